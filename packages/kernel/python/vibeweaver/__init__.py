"""Sessions, a clock in beats, markers, rules and events, kept by the worker of this kernel.

Beats are quarter notes, floats of at least 0; times are seconds. Wrong types raise TypeError, wrong values ValueError, all
else a VibeError. Every call works in cells, threads, tasks and callbacks of rules; those marked so are to be awaited.
"""
import sys as _sys

from ._clock import (
    beat,
    loop,
    marker,
    markers,
    pause,
    play,
    remove_marker,
    seek,
    sleep_beats,
    stop,
    tempo,
    transport,
    until_beat,
)
from ._errors import LimitError, NotFoundError, SessionBusyError, UnavailableError, VibeError
from ._events import emit, events, wait_event
from ._host import display, docs, gather, tool
from ._rule import Rule
from ._rules import get_rule, on, on_artifact, on_beat, on_event, on_marker, rule, rules
from ._sessions import history, note, session, sessions
from ._values import EventPage, Fire, MarkerInfo, NextFire, SessionInfo, TransportState

# By subject, in the order in which help shows them.
_SUBJECTS = {
    "Session": ("session", "sessions", "history", "note"),
    "Clock": ("tempo", "play", "pause", "stop", "seek", "loop", "beat", "transport", "until_beat", "sleep_beats"),
    "Markers": ("marker", "markers", "remove_marker"),
    "Rules": ("rule", "on", "on_beat", "on_marker", "on_artifact", "on_event", "rules", "get_rule"),
    "Events": ("emit", "events", "wait_event"),
    "Tools and display": ("tool", "gather", "display", "docs"),
    "Values": ("SessionInfo", "TransportState", "MarkerInfo", "Rule", "Fire", "NextFire", "EventPage"),
    "Exceptions": ("VibeError", "NotFoundError", "SessionBusyError", "LimitError", "UnavailableError"),
}
__all__ = [_name for _names in _SUBJECTS.values() for _name in _names]

for _name in __all__:
    # Where a program finds them, and what a traceback should say.
    globals()[_name].__module__ = __name__

_NEEDS = {name: "a music generator" for name in ("sample", "latent", "schedule", "audition")}


def _missing(name):
    return "vibeweaver.%s needs %s, which this kernel does not have" % (name, _NEEDS[name])


def __getattr__(name):
    if name in _NEEDS:
        raise AttributeError(_missing(name))
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def __dir__():
    return sorted(__all__)


class _MissingFinder:
    """`from vibeweaver import sample` asks for a submodule before it gives up, and would not say why."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        package, _, name = fullname.rpartition(".")
        if package == __name__ and name in _NEEDS:
            raise ImportError(_missing(name), name=fullname)
        return None


_sys.meta_path.insert(0, _MissingFinder)
