"""Python actions of rules: on threads of their own, so that they fire while a cell runs.

One at a time, by due instant, then priority, then arrival. One exception: a critical firing that is due while another
action runs starts beside it, on the second lane. So two run at once at most, and whatever blocks delays no critical one.

An async callback runs to its end on its lane, on an event loop of its own: the kernel's loop stands still during a cell.
What must live on the kernel's loop belongs into a task of a cell, with `wait_event` or `sleep_beats`.
"""
import ast
import asyncio
import threading
import time
from time import monotonic

from .cell import forget_source, remember_source
from .deadline import Deadlines, Limit, Overdue
from .failure import format_failure

CRITICAL, IDLE = 0, 4
# The worker suppresses a rule that still runs and limits the rate; this only keeps a fault from filling the memory.
PENDING_MAX = 1024
# Firings of one beat come as orders of their own, each with its remaining delay: they are due at the same instant all the same.
SAME_INSTANT_S = 0.025
DETAIL_LENGTH_MAX = 4 * 1024
CODES_MAX = 256


class Callback:
    """`function` is None for an `eval:` rule, which needs no more than the run that its prints belong to."""

    __slots__ = ("function", "takes", "name", "trigger", "run")

    def __init__(self, function, takes, name, trigger, run):
        self.function = function
        self.takes = takes
        self.name = name
        self.trigger = trigger
        self.run = run


class Callbacks:
    """By rule id. Bound on the control thread, before it hears the first firing; hence without a lock."""

    def __init__(self, run_of_caller):
        self.run_of_caller = run_of_caller
        self._by_rule = {}

    def bind(self, rule, function, takes, name, trigger, run):
        self._by_rule[rule] = Callback(function, takes, name, trigger, run)

    def find(self, rule):
        return self._by_rule.get(rule)

    def drop(self, rule):
        self._by_rule.pop(rule, None)

    def clear(self):
        self._by_rule.clear()

    def has_other_trigger(self, function, name, trigger):
        """Whether this very function is bound under this name already, by a decorator above or below."""
        known = list(self._by_rule.values())
        return any(c.function is function and c.name == name and c.trigger != trigger for c in known)


class Firing:
    __slots__ = ("order", "due", "instant", "arrival", "resets")

    def __init__(self, order, due, arrival, resets):
        self.order = order
        self.due = due
        # Of its order: shared by all that are due together.
        self.instant = due
        self.arrival = arrival
        # How many there had been when it came.
        self.resets = resets

    @property
    def rank(self):
        return (self.instant, self.order["priority"], self.arrival)

    def same_beat(self, order):
        mine = self.order
        return mine["generation"] == order["generation"] and mine["target_beat"] == order["target_beat"]


class Lane:
    __slots__ = ("firing",)

    def __init__(self):
        self.firing = None


class Rules:
    """`names`: the namespace of `eval:` code. `cell_runs()`: whether a cell runs. `set_run(run)`: whose prints the calling
    thread's are from now on."""

    def __init__(self, bridge, callbacks, names, cell_runs, set_run=lambda run: None):
        self._bridge = bridge
        self._callbacks = callbacks
        self._names = names
        self._cell_runs = cell_runs
        self._set_run = set_run
        self._changed = threading.Condition()
        self._pending = []
        self._arrivals = 0
        self._resets = 0
        # By the monotonic clock: what was ordered before the last reset of the names is not to fire after it.
        self._cleared_at = 0.0
        self._codes = {}
        self._deadlines = Deadlines(bridge.send_lock)
        self._lane, self._beside = Lane(), Lane()
        self._lanes = {}
        bridge.firing_of_caller = self.firing_of_caller
        bridge.obey("fire", self.fire)
        bridge.obey("revoke", self.revoke)
        bridge.obey("forget_rules", self.forget)
        # Made now: at the memory limit no thread can be started any more. They cost nothing until something fires.
        for lane, name in ((self._lane, "callboard-rules"), (self._beside, "callboard-rules-critical")):
            threading.Thread(target=self._serve, args=(lane,), name=name, daemon=True).start()

    # Side thread -----------------------------------------------------------------------------------------------------

    def fire(self, order):
        firing = Firing(order, self._bridge.received_at + max(0.0, order["delay_s"]), self._arrivals, self._resets)
        self._arrivals += 1
        with self._changed:
            gone = self._bridge.received_at <= self._cleared_at
            full = len(self._pending) >= PENDING_MAX
            stale = self._coalesced(order["rule_id"]) if order["priority"] == IDLE else []
            if not full and not gone:
                together = [f for f in self._pending if f.same_beat(order) and abs(f.due - firing.due) < SAME_INSTANT_S]
                firing.instant = min([firing.due] + [f.instant for f in together])
                self._pending.append(firing)
            self._changed.notify_all()
        if gone:
            self._ended(firing, "revoked", None)
        elif full:
            self._ended(firing, "missed", "%d firings wait already" % PENDING_MAX)
        for other in stale:
            self._ended(other, "missed", "a later firing took its place while a cell ran")

    def revoke(self, order):
        self._withdraw(lambda firing: firing.order["generation"] <= order["generation"])

    def forget(self, order):
        ids = set(order["ids"])
        for rule in ids:
            self._callbacks.drop(rule)
            self._codes.pop(rule, None)
            forget_source(code_name(rule))
        self._withdraw(lambda firing: firing.order["rule_id"] in ids)

    # Main thread -----------------------------------------------------------------------------------------------------

    def cell_ended(self):
        """Idle firings wait for this."""
        if self._pending:
            with self._changed:
                self._changed.notify_all()

    def clear(self):
        """Nothing of these names may run on: drops callbacks and firings, and stops what runs."""
        # Before the rest: a firing that is just about to begin sees it, or is found by what stops those that run.
        self._resets += 1
        self._callbacks.clear()
        self._codes.clear()
        with self._changed:
            self._cleared_at = time.monotonic()
        self._withdraw(lambda firing: True)
        self._deadlines.stop_all()

    # Lanes -----------------------------------------------------------------------------------------------------------

    def _serve(self, lane):
        self._lanes[threading.get_ident()] = lane
        while True:
            try:
                self._perform(self._take(lane))
            except BaseException:  # out of memory, or a late Overdue: nothing ends this thread
                time.sleep(0.01)
            finally:
                with self._changed:
                    lane.firing = None
                    self._changed.notify_all()

    def _take(self, lane):
        with self._changed:
            while True:
                now = monotonic()
                firing = self._startable(lane, now)
                if firing is not None:
                    self._pending.remove(firing)
                    lane.firing = firing
                    # The other lane may have to take what is critical now.
                    self._changed.notify_all()
                    return firing
                self._changed.wait(self._patience(now))

    def _startable(self, lane, now):
        due = [firing for firing in self._pending if firing.instant <= now]
        if lane is self._beside:
            running = self._lane.firing
            if running is None or running.order["priority"] == CRITICAL:
                return None
            due = [firing for firing in due if firing.order["priority"] == CRITICAL]
        elif self._beside.firing is not None:
            return None
        elif self._cell_runs():
            due = [firing for firing in due if firing.order["priority"] != IDLE]
        return min(due, key=lambda firing: firing.rank, default=None)

    def _patience(self, now):
        """Seconds until the next is due; those that are due already wait for an end, which notifies."""
        coming = [firing.instant for firing in self._pending if firing.instant > now]
        return min(coming) - now if coming else None

    def _perform(self, firing):
        order = firing.order
        late = max(0.0, monotonic() - firing.due)
        if order["max_late_s"] is not None and late > order["max_late_s"]:
            return self._ended(firing, "late", "%.3f s late, more than max_late_s" % late)
        callback = self._callbacks.find(order["rule_id"])
        if order["code"] is None and (callback is None or callback.function is None):
            return self._ended(firing, "unbound", "its function is not registered in this kernel")
        self._bridge.notify("fire_started", {"firing": order["firing"], "late_s": late})
        self._set_run(callback.run if callback is not None else None)
        try:
            outcome, detail = self._bounded(firing, callback, late)
        finally:
            self._set_run(None)
        return self._ended(firing, outcome, detail)

    def _bounded(self, firing, callback, late):
        """An Overdue can surface after the last instruction of the action; the second `close` makes sure that none is left."""
        order = firing.order
        outcome, limit = ("ok", None), Limit(order["limit_s"])
        try:
            try:
                self._deadlines.open(limit)
                if firing.resets != self._resets:
                    return "error", "Cancelled: the kernel was reset"
                outcome = self._outcome(order, callback, late, limit)
            finally:
                self._deadlines.close(limit)
        except Overdue as overdue:
            self._deadlines.close(limit)
            outcome = "error", detail_of(overdue)
        if limit.reason is None:
            return outcome
        # In place of the exception that stopped it, which means nothing to whoever wrote the rule.
        trace = (outcome[1] or "").rpartition("\n")[0]
        return "error", trace + "\n" + limit.reason if trace else limit.reason

    def _outcome(self, order, callback, late, limit):
        try:
            if order["code"] is not None:
                result = eval(self._compiled(order), self._names)
            else:
                result = callback.function(*arguments(callback, order, late))
            if asyncio.iscoroutine(result):
                asyncio.run(cancellable(result, limit))
            return "ok", None
        except Overdue:
            raise
        except SystemExit as exit_:
            return ("ok", None) if exit_.code in (None, 0) else ("error", detail_of(exit_))
        except BaseException as exception:
            return "error", detail_of(exception)

    def _compiled(self, order):
        rule, code = order["rule_id"], order["code"]
        known = self._codes.get(rule)
        if known is None or known[0] != code:
            filename = code_name(rule)
            remember_source(filename, code)
            if len(self._codes) >= CODES_MAX:
                self._codes.clear()
            known = (code, compile(code, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True))
            self._codes[rule] = known
        return known[1]

    # Any thread ------------------------------------------------------------------------------------------------------

    def firing_of_caller(self):
        lane = self._lanes.get(threading.get_ident())
        firing = lane.firing if lane is not None else None
        return firing.order["firing"] if firing is not None else None

    def _withdraw(self, fits):
        with self._changed:
            gone = [firing for firing in self._pending if fits(firing)]
            self._pending = [firing for firing in self._pending if not fits(firing)]
        for firing in gone:
            self._ended(firing, "revoked", None)

    def _coalesced(self, rule):
        """Takes out the firings of an idle rule that are due already and only wait for the end of a cell."""
        now = monotonic()
        stale = [f for f in self._pending if f.order["rule_id"] == rule and f.instant <= now]
        self._pending = [f for f in self._pending if f not in stale]
        return stale

    def _ended(self, firing, outcome, detail):
        ended = {"firing": firing.order["firing"], "outcome": outcome, "detail": detail}
        self._bridge.notify("fire_ended", ended)


async def cancellable(coroutine, limit):
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def cancel():
        try:
            loop.call_soon_threadsafe(task.cancel)
        except RuntimeError:  # closed: it is over
            pass

    limit.cancel = cancel
    await coroutine


def code_name(rule):
    return "<rule-%s>" % rule


def arguments(callback, order, late):
    beat = order["target_beat"]
    if callback.takes == "beat":
        # None if it was fired by hand.
        return (float(order["position"] if beat is None else beat),)
    if callback.takes == "marker":
        return (order["marker"], float(order["position"] if beat is None else beat))
    if callback.takes == "event":
        return (order["event"],)
    from vibeweaver import Fire

    return (Fire(order["rule_id"], beat, order["position"], late, order["count"], order["event"]),)


def detail_of(exception):
    """The end says what happened, and is kept."""
    text = format_failure(exception)[0]
    return text if len(text) <= DETAIL_LENGTH_MAX else "...\n" + text[-DETAIL_LENGTH_MAX:]
