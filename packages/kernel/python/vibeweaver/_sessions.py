from . import _checks as check
from ._values import SessionInfo
from ._worker import ask


def session(name=None, vibe=None, load=None, shared=None):
    """The current session, or another one made current. Returns SessionInfo(id, name, vibe, tempo_bpm).

    Without arguments: the current one. `name`: your session of that name, made if there is none. `load`: an existing one
    by its id, also another owner's that is shared and free. `vibe`: sets its free-text direction. `shared`: lets other
    owners read it, and load it while it is free. Switching pauses the old session's transport and rules; Python names stay.
    Raises NotFoundError, SessionBusyError if another kernel holds it; ValueError for both name and load.

    Example:
        session("demo", vibe="slow and warm").name
    """
    if name is not None and load is not None:
        raise ValueError("give name or load, not both")
    return SessionInfo.of(
        ask(
            "session",
            name=check.maybe(check.text, "name", name, 1),
            vibe=check.maybe(check.text, "vibe", vibe),
            load=check.maybe(check.text, "load", load, 1),
            shared=check.maybe(check.truth, "shared", shared),
        )
    )


def sessions():
    """Your sessions, and others' that are shared: a list of SessionInfo with `shared` and `current`.

    Example:
        [s.name for s in sessions()]
    """
    return [SessionInfo.of(answer) for answer in ask("sessions")]


def history(limit=20, query=None):
    """What was done in the session, newest first: a list of dicts with action, params, result, success, timestamp.

    `limit`: how many at most. `query`: only those that contain this text.

    Example:
        history(5, query="eval")
    """
    return ask("history", limit=check.whole("limit", limit, 1), query=check.maybe(check.text, "query", query))


def note(text):
    """Adds an entry of your own to the history, for whoever comes later. Returns None.

    Example:
        note("the drop feels too early")
    """
    ask("note", text=check.text("text", text, 1))
