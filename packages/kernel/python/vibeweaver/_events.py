from . import _checks as check
from ._values import EventPage
from ._worker import ask, ask_async

TIMEOUT_S_MAX = 3600
EVENTS_MAX = 1000


def emit(name, data=None):
    """Tells everyone who waits for events of this type. Returns the event: a dict with cursor, type, data, time.

    `name`: the type, e.g. "mix.ready". `data`: JSON, at most 64 KiB. Events are kept in memory only, the newest 16,384.

    Example:
        emit("mix.ready", {"take": 3})["type"]
    """
    return ask("emit", name=check.text("name", name, 1), data=check.data("data", data, check.EVENT_BYTES_MAX))


def events(cursor=None, types=None, limit=100):
    """Events after `cursor`, or the newest without one: EventPage(events, cursor, has_more, gap).

    `types`: a list of patterns such as "job.*". `limit`: how many at most. Go on with the page's `cursor`.

    Example:
        page = events(types=["mix.*"])
    """
    if isinstance(types, str):
        types = [types]
    return EventPage.of(
        ask(
            "events",
            cursor=check.maybe(check.text, "cursor", cursor),
            types=None if types is None else [check.text("types", kind, 1) for kind in types],
            limit=check.whole("limit", limit, 1, EVENTS_MAX),
        )
    )


async def wait_event(pattern, timeout_s, cursor=None):
    """Waits for the next event that fits the pattern, e.g. "job.*". Returns it as a dict. Await it.

    With `cursor` (of an event or a page) events since then count too, so that none is lost between two calls.
    Raises LimitError when `timeout_s` (more than 0, at most 3600) is over.

    Example:
        start = events().cursor
        emit("mix.ready")
        (await wait_event("mix.*", 5, cursor=start))["type"]
    """
    return await ask_async(
        "wait_event",
        pattern=check.text("pattern", pattern, 1),
        timeout_s=check.number("timeout_s", timeout_s, above=0, most=TIMEOUT_S_MAX),
        cursor=check.maybe(check.text, "cursor", cursor),
    )
