"""Exceptions of this module. Wrong types raise TypeError, wrong values ValueError, as everywhere in Python."""


class VibeError(Exception):
    """Base of this module's own exceptions; itself raised for what none of the others names."""


class NotFoundError(VibeError):
    """There is no session, rule, marker or tool of that name or id, or it is another owner's."""


class SessionBusyError(VibeError):
    """Another kernel holds the session at present; it can be loaded when that one has let go of it."""


class LimitError(VibeError):
    """A limit was reached: of a count, a rate, a depth or a time, e.g. nothing came within `timeout_s`."""


class UnavailableError(VibeError):
    """Not possible here and now: e.g. `tool()` after the call has detached, or any call in a forked child."""
