from . import _checks as check
from ._values import NextFire
from ._worker import ask

_FIELDS = (
    "id",
    "name",
    "trigger",
    "action",
    "priority",
    "enabled",
    "status",
    "max_fires",
    "cooldown_s",
    "lead_s",
    "max_late_s",
    "limit_s",
    "where",
    "fired_count",
    "suppressed_count",
    "missed_count",
    "error_count",
    "last_fired_at",
    "last_error",
)


class Rule:
    """A rule as the worker last told of it; its methods bring the fields up to date, `get_rule(rule.id)` asks anew.

    Fields: id, name, trigger, action, priority ("critical" … "idle"), enabled, status ("active", "done", "unbound",
    "errored"), max_fires, cooldown_s, lead_s, max_late_s, limit_s, where, fired_count, suppressed_count, missed_count,
    error_count (in a row), last_fired_at (RFC 3339), last_error. After three errors in a row it is disabled.

    Example:
        get_rule("on_drop").disable()
    """

    __slots__ = _FIELDS

    def __init__(self, answer):
        self._learn(answer)

    def _learn(self, answer):
        for field in _FIELDS:
            object.__setattr__(self, field, answer.get(field))
        return self

    def __setattr__(self, name, value):
        raise AttributeError("Rule is read-only; use its methods, or register a rule of the same name")

    def __eq__(self, other):
        return self.id == other.id if isinstance(other, Rule) else NotImplemented

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        state = self.status if self.enabled or self.status != "active" else "disabled"
        text = "<Rule %r: %s -> %s, %s, fired %s" % (self.name, self.trigger, self.action, state, self.fired_count)
        return "%s%s>" % (text, ", last error: " + self.last_error.rpartition("\n")[2] if self.last_error else "")

    def enable(self):
        """Lets it fire again, and forgets its errors. Returns the rule."""
        return self._learn(ask("set_rule", id=self.id, enabled=True))

    def disable(self):
        """It stays, but does not fire. Returns the rule."""
        return self._learn(ask("set_rule", id=self.id, enabled=False))

    def remove(self):
        """Ends it for good. Returns whether it was still there."""
        return ask("remove_rule", id=self.id)

    def fire(self):
        """Fires it now, beside its trigger. Returns the rule, without waiting for the action."""
        return self._learn(ask("fire_rule", id=self.id))

    def next_fire(self):
        """NextFire(beat, time), or None if it is not known: for events, disabled rules, a transport that stands."""
        answer = ask("next_fire", id=self.id)
        known = answer is not None and (answer["beat"] is not None or answer["time"] is not None)
        return NextFire.of(answer) if known else None

    def log(self, limit=20):
        """The newest firings: a list of dicts with target_beat, fired_at, late_s, outcome, detail.

        `outcome`: "ok", "error", "suppressed", "missed" or "late". `detail`: why, e.g. a traceback.
        """
        return ask("rule_log", id=self.id, limit=check.whole("limit", limit, 1))
