import asyncio

from . import _checks as check
from ._errors import UnavailableError
from ._worker import ask


def tool(name, /, **arguments):
    """Calls a tool of the hub within the live weave_eval call, and waits for its result: structured content, else text.

    `arguments`: the tool's input by keyword; a dict as `**input`. It is no coroutine: do not await it. Raises
    UnavailableError after the call has detached, or if the hub forbids it; NotFoundError; VibeError with the tool's message
    if the tool failed; ValueError for weave_eval and weave_wait that would wait for the run that calls them.

    Example:
        tool("forum_search", query="drums")
    """
    found = check.data("arguments", arguments, check.ARGUMENTS_BYTES_MAX)
    return ask("tool", name=check.text("name", name, 1), arguments=found)


async def gather(awaitables):
    """Awaits several things at once. Returns the list of their results, in order. Await it.

    If one fails, the others are cancelled and its exception is raised.

    Example:
        await gather([sleep_beats(1), wait_event("mix.*", 10)])
    """
    tasks = [asyncio.ensure_future(awaitable) for awaitable in awaitables]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def display(obj):
    """Shows an object richly: images, SVG or HTML if it can be shown so, else its repr. Returns None.

    Example:
        display(figure)
    """
    try:
        from callboard_kernel import display as rich
    except ImportError:
        raise UnavailableError("This kernel cannot show objects; use print().") from None
    rich.display(obj)


class Documentation(str):
    """Text whose repr is itself, so that it reads well as the result of a cell."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


def docs(topic=None):
    """The text of weave_help: an overview, a topic (api, session, scheduler, examples), or a tool's or a call's name.

    Raises NotFoundError, which names all topics.

    Example:
        docs("on_beat")
    """
    return Documentation(ask("docs", topic=check.maybe(check.text, "topic", topic)))
