"""Exceptions as text: what a person would see in an interactive Python, without the frames of this harness."""
import os
import traceback

from .static import class_name

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODULE = os.path.join(_ROOT, "vibeweaver") + os.sep
HARNESS = (os.path.join(_ROOT, "callboard_kernel") + os.sep, MODULE)
OF_THE_USER = ("<cell-", "<rule-")
ERROR_BYTES_MAX = 32 * 1024
# The last line is never cut, but a frame has to end somewhere.
LAST_LINE_BYTES_MAX = 256 * 1024
REASON_CHARACTERS_MAX = 2000


def format_failure(exception, memory_limit=None):
    """``(text, omitted)``: traceback with chained causes. ``omitted`` counts bytes cut from its middle."""
    try:
        report = traceback.TracebackException(type(exception), exception, exception.__traceback__)
        _strip(report, set())
        lines = "".join(report.format()).rstrip("\n")
    except KeyboardInterrupt:
        raise
    except BaseException as failure:  # a hostile __str__, __cause__ or recursion
        names = (class_name(type(exception)), class_name(type(failure)))
        lines = "%s: <its text could not be made: %s>" % names
    if isinstance(exception, MemoryError) and memory_limit:
        lines += "%s memory limit of this kernel: %d MiB" % (
            ":" if lines.endswith("MemoryError") else ";",
            memory_limit // (1024 * 1024),
        )
    return shorten(lines + _advice(exception))


def _advice(exception):
    """What to do instead, for what people bring along from IPython; on the last line, which summaries show."""
    if type(exception) is RuntimeError:
        (reason,) = exception.args if len(exception.args) == 1 else (None,)
        if type(reason) is str and reason == "no running event loop":
            return " (the event loop runs cells that await: add e.g. await asyncio.sleep(0))"
    if type(exception) is SyntaxError and type(exception.text) is str:
        if exception.text.lstrip()[:1] in ("!", "%"):
            return " (no shell lines or magics here: use subprocess.run, or plain Python)"
    return ""


def reason_of(exception):
    """One line: the class and the message, bounded; for failures that are told in passing."""
    try:
        line = "".join(traceback.format_exception_only(type(exception), exception)).strip().split("\n")[-1]
    except KeyboardInterrupt:
        raise
    except BaseException:  # a hostile __str__
        line = class_name(type(exception))
    return line[:REASON_CHARACTERS_MAX]


def shorten(text):
    """Cuts the middle; the last line stays whole."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= ERROR_BYTES_MAX:
        return text, 0
    head, last = encoded.rpartition(b"\n")[::2]
    first = head[: ERROR_BYTES_MAX // 3]
    rest = head[len(first) :]
    middle = rest[max(0, len(rest) - (ERROR_BYTES_MAX - len(first))) :]
    omitted = len(rest) - len(middle)
    if len(last) > LAST_LINE_BYTES_MAX:
        omitted += len(last) - LAST_LINE_BYTES_MAX
        last = last[: LAST_LINE_BYTES_MAX // 2] + b" ... " + last[len(last) - LAST_LINE_BYTES_MAX // 2 :]
    parts = [part.decode("utf-8", "replace") for part in (first, middle, last)]
    if not omitted:
        return "\n".join(["".join(parts[:2]), parts[2]]), 0
    note = "[... %d bytes omitted ...]" % omitted
    return "\n".join(part for part in (parts[0], note, parts[1], parts[2]) if part), omitted


def _strip(report, seen):
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    frames = report.stack
    own = [index for index, frame in enumerate(frames) if frame.filename.startswith(OF_THE_USER)]
    start = own[0] if own else None
    if own:
        # What this module's calls lead to in the library is as little the user's as they are.
        called = [index for index, frame in enumerate(frames) if index > own[-1] and frame.filename.startswith(MODULE)]
        del frames[called[0] if called else len(frames) :]
        del frames[:start]
    frames[:] = [frame for frame in frames if not frame.filename.startswith(HARNESS)]
    if start is None and not any(not frame.filename.startswith(HARNESS) for frame in frames):
        # Only our own frames: the cell never ran (a syntax error), so there is no trace to head.
        report.exc_traceback = None
    _strip(report.__cause__, seen)
    _strip(report.__context__, seen)
    for inner in getattr(report, "exceptions", None) or ():
        _strip(inner, seen)
