from . import _checks as check
from ._rule import Rule
from ._worker import ask
from . import _worker

PRIORITIES = ("critical", "high", "normal", "low", "idle")
LIMIT_S_MAX = 3600
SOURCE_LENGTH_MAX = 4 * 1024


def rule(
    trigger,
    action,
    *,
    name=None,
    priority="normal",
    enabled=True,
    one_shot=None,
    max_fires=None,
    cooldown_s=0,
    lead_s=0,
    max_late_s=None,
    limit_s=5
):
    """Does something whenever the trigger comes. Returns the Rule. A rule of the same name is replaced.

    `trigger`: "beat:4" (every 4 beats), "beat:4+1" (offset 1), "at:32", "marker:drop", "every:2.5s", "after:10s",
    "event:job.*". `action`: a function that takes a Fire, or text: "eval:<code>", "play", "pause", "stop", "seek:16",
    "tempo:140", "emit:name", "notify:text", "tool:name {json}". `priority`: "critical", "high", "normal", "low", "idle".
    `one_shot`: max_fires 1, which is so for "at:" and "after:" unless told. `cooldown_s`: least time between two firings.
    `lead_s`: starts that much earlier. `max_late_s`: later than this it is not started. `limit_s`: running time of a
    function or code, then an exception is raised in it. Functions end with the kernel; all other actions are kept.

    Example:
        rule("beat:4", lambda fire: print(fire.target_beat), name="count")
    """
    given = dict(name=name, priority=priority, enabled=enabled, one_shot=one_shot, max_fires=max_fires)
    given.update(cooldown_s=cooldown_s, lead_s=lead_s, max_late_s=max_late_s, limit_s=limit_s)
    return _register(trigger, action, "fire", None, given)


def on(trigger, **options):
    """Decorator: the function runs with a Fire whenever the trigger comes. The function itself stays as it is.

    `trigger` and `options` are those of `rule`. The rule is named after the function, so that a cell run twice does not
    double it; a second decorator on the same function adds its trigger to the name.

    Example:
        @on("every:30s", priority="low")
        def look(fire):
            print(fire.count)
    """
    return _decorator(check.text("trigger", trigger, 1), "fire", None, options)


def on_beat(divisor):
    """Decorator: the function runs with the beat (float) at every multiple of `divisor` beats, at least 0.25.

    Example:
        @on_beat(4)
        def bar(beat):
            print("bar", beat / 4)
    """
    every = check.number("divisor", divisor, least=check.DIVISOR_MIN)
    return _decorator("beat:%s" % format(every, ".15g"), "beat", None, {})


def on_marker(name):
    """Decorator: the function runs with (name, beat) when the transport reaches the marker. It may be set later.

    Example:
        @on_marker("drop")
        def on_drop(name, beat):
            tempo(140)
    """
    return _decorator("marker:%s" % check.name("name", name), "marker", None, {})


def on_artifact(tag=None):
    """Decorator: the function runs with each event (dict) "artifact.created"; with `tag`, if its data's `tags` have it.

    Example:
        @on_artifact("stem")
        def keep(event):
            note(event["data"]["id"])
    """
    where = None if tag is None else {"tags": check.text("tag", tag, 1)}
    return _decorator("event:artifact.created", "event", where, {})


def on_event(pattern, /, **where):
    """Decorator: the function runs with each event (dict: cursor, type, data, time) that fits the pattern.

    `pattern`: e.g. "job.*". `where`: what fields of its data must equal.

    Example:
        @on_event("job.*", name="render")
        def done(event):
            print(event["type"])
    """
    check.data("where", where, check.METADATA_BYTES_MAX)
    return _decorator("event:%s" % check.text("pattern", pattern, 1), "event", where or None, {})


def rules(all=False):
    """The session's rules, disabled ones too; with `all` also finished ones. A list of Rule.

    Example:
        [r.name for r in rules() if r.enabled]
    """
    return [Rule(answer) for answer in ask("rules", all=check.truth("all", all))]


def get_rule(id_or_name):
    """The rule of that id or name. Raises NotFoundError.

    Example:
        get_rule("count").fired_count
    """
    return Rule(ask("get_rule", id_or_name=check.text("id_or_name", id_or_name, 1)))


_OPTIONS = rule.__kwdefaults__


def _decorator(trigger, takes, where, options):
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise TypeError("unknown option %s; there are %s" % (", ".join(unknown), ", ".join(_OPTIONS)))

    def register(function):
        if not callable(function):
            raise TypeError("decorate a function, not %s" % type(function).__name__)
        given = dict(_OPTIONS, **options)
        if given["name"] is None:
            given["name"] = _own_name(function, trigger)
        _register(trigger, function, takes, where, given)
        return function

    return register


def _own_name(function, trigger):
    name = getattr(function, "__name__", None)
    if name is None or name == "<lambda>":
        return None
    name = name[: check.NAME_LENGTH_MAX]
    table = _worker.callbacks
    twice = table is not None and table.has_other_trigger(function, name, trigger)
    return ("%s %s" % (name, trigger))[: check.NAME_LENGTH_MAX] if twice else name


def _register(trigger, action, takes, where, given):
    check.text("trigger", trigger, 1)
    params = _options(trigger, given)
    params.update(trigger=trigger, where=where)
    table = _worker.callbacks
    if callable(action):
        _fits(action, takes)
        params.update(action="call:%s" % _callable_name(action), source=_source(action))
    else:
        params["action"] = check.text("action", action, 1)
        if action.startswith("call:"):
            raise ValueError("give the function itself instead of %r" % action)

    def bind(answer):
        table.bind(answer["id"], action if callable(action) else None, takes, answer["name"], trigger, run)

    run = table.run_of_caller() if table is not None else None
    return Rule(ask("rule", bind, **params))


def _options(trigger, given):
    if given["priority"] not in PRIORITIES:
        raise ValueError("priority must be one of %s, not %r" % (", ".join(PRIORITIES), given["priority"]))
    one_shot = check.maybe(check.truth, "one_shot", given["one_shot"])
    max_fires = check.maybe(check.whole, "max_fires", given["max_fires"], 1)
    if one_shot and max_fires not in (None, 1):
        raise ValueError("one_shot means max_fires 1, not %d" % max_fires)
    if one_shot is None and max_fires is None:
        one_shot = trigger.startswith(("at:", "after:"))
    return {
        "name": check.maybe(check.name, "name", given["name"]),
        "priority": given["priority"],
        "enabled": check.truth("enabled", given["enabled"]),
        "max_fires": 1 if one_shot else max_fires,
        "cooldown_s": check.number("cooldown_s", given["cooldown_s"], least=0),
        "lead_s": check.number("lead_s", given["lead_s"], least=0),
        "max_late_s": check.maybe(check.number, "max_late_s", given["max_late_s"], 0),
        "limit_s": check.number("limit_s", given["limit_s"], above=0, most=LIMIT_S_MAX),
    }


_ARGUMENTS = {"fire": ("a Fire",), "beat": ("the beat",), "marker": ("the name", "the beat"), "event": ("the event",)}


def _fits(function, takes):
    """Said now, where the function is written, rather than at every firing."""
    import inspect

    arguments = _ARGUMENTS[takes]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some builtins have none
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        message = "%s must take %s: %s" % (_callable_name(function), " and ".join(arguments), error)
        raise TypeError(message) from None


def _callable_name(function):
    return str(getattr(function, "__name__", type(function).__name__))[:200]


def _source(function):
    """For display only. By the code's own file and line: `inspect.getsource` would search all modules."""
    import inspect
    import linecache

    try:
        code = inspect.unwrap(function).__code__
        lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
        return "".join(inspect.getblock(lines))[:SOURCE_LENGTH_MAX] or None
    except Exception:  # none to be had: a partial, a builtin, typed in a way that has no file
        return None
