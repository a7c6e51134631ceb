from . import _checks as check
from ._values import MarkerInfo, TransportState
from ._worker import ask, ask_async


def tempo(bpm=None):
    """Gets or sets the tempo in beats per minute, 1 to 999. Returns it as a float. A change keeps the current beat.

    Example:
        tempo(96)
    """
    return float(ask("tempo", bpm=check.maybe(check.number, "bpm", bpm, check.BPM_MIN, check.BPM_MAX)))


def play(from_beat=None):
    """Starts or resumes the transport, from a beat if given. Returns TransportState.

    Example:
        play(0).state
    """
    return TransportState.of(ask("play", from_beat=check.maybe(check.beat, "from_beat", from_beat)))


def pause():
    """Holds the transport where it is. Returns TransportState.

    Example:
        pause().position
    """
    return TransportState.of(ask("pause"))


def stop():
    """Stops the transport and goes back to beat 0. Returns TransportState.

    Example:
        stop()
    """
    return TransportState.of(ask("stop"))


def seek(beat):
    """Goes to a beat (≥ 0); what lies between is not fired. Returns TransportState.

    Example:
        seek(16).position
    """
    return TransportState.of(ask("seek", beat=check.beat("beat", beat)))


def loop(start, end=None):
    """Repeats the beats from `start` up to, not including, `end`; `loop(None)` ends it. Returns TransportState.

    Example:
        loop(0, 4).loop
    """
    if start is None:
        if end is not None:
            raise ValueError("loop(None) takes no end")
        return TransportState.of(ask("loop"))
    if end is None:
        raise TypeError("loop needs start and end, or None to end it")
    first = check.beat("start", start)
    last = check.number("end", end, above=first)
    return TransportState.of(ask("loop", start=first, end=last))


def beat():
    """The current beat, in quarter notes, as a float.

    Example:
        beat()
    """
    return transport().position


def transport():
    """The transport now: TransportState(state, position, bpm, loop).

    Example:
        transport().bpm
    """
    return TransportState.of(ask("transport"))


async def until_beat(b):
    """Waits until the clock reaches beat `b` (at once if it has passed), also across pauses. Returns the beat. Await it.

    Example:
        await until_beat(8)
    """
    return float(await ask_async("until_beat", beat=check.beat("b", b)))


async def sleep_beats(n):
    """Waits for `n` beats of the clock, also across pauses and changes of tempo. Returns the beat. Await it.

    Example:
        await sleep_beats(0.5)
    """
    return float(await ask_async("sleep_beats", n=check.beat("n", n)))


def marker(name, beat, metadata=None):
    """Sets a marker, or moves the one of that name. Returns MarkerInfo(name, beat, metadata).

    `name`: 1 to 64 characters, unique per session. `beat`: ≥ 0. `metadata`: JSON, at most 4 KiB.

    Example:
        marker("drop", 32, {"energy": "high"})
    """
    found = ask(
        "marker",
        name=check.name("name", name),
        beat=check.beat("beat", beat),
        metadata=check.data("metadata", metadata, check.METADATA_BYTES_MAX),
    )
    return MarkerInfo.of(found)


def markers(start=None, end=None):
    """Markers by beat, those from beat `start` to beat `end` if given: a list of MarkerInfo.

    Example:
        [m.name for m in markers(0, 64)]
    """
    found = ask("markers", start=check.maybe(check.beat, "start", start), end=check.maybe(check.beat, "end", end))
    return [MarkerInfo.of(answer) for answer in found]


def remove_marker(name):
    """Removes a marker. Returns whether there was one.

    Example:
        remove_marker("drop")
    """
    return ask("remove_marker", name=check.name("name", name))
