"""Rich display: what a value offers beside its repr (images, tables, markup), bounded before it leaves this process."""
import base64
import json
import os
import threading

from .bounded import WEIGHT_PLAIN_MAX, cut, describe, weight
from .failure import reason_of
from .static import class_entries, class_name, mro

# In base64 still below the 4 MiB that one message to an agent holds.
IMAGE_BYTES_MAX = 3 * 1000 * 1000
# A character takes up to twelve bytes in a frame.
TEXT_CHARACTERS_MAX = 512 * 1024
PLAIN_BYTES_MAX = 16 * 1024
# Of one run: more than an agent looks at, and what its folder may hold.
RUN_ITEMS_MAX = 100
RUN_BYTES_MAX = 32 * 1024 * 1024
RUNS_COUNTED_MAX = 64

IMAGES = ("image/png", "image/jpeg")
# What an agent can use, best first. The first that a value gives is enough: no further code of it runs.
METHODS = (
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_html_", "text/html"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
)
# With one of these an agent needs no repr beside it.
READABLE = IMAGES + ("text/plain", "text/markdown", "text/latex")
RICH = tuple(mime for _, mime in METHODS)
METHOD_NAMES = frozenset(["_repr_mimebundle_"] + [method for method, _ in METHODS])
# Cut, these still say something; half a page or half a drawing does not.
CUTTABLE = ("text/plain", "text/markdown", "text/latex")

_installed = None


def display(*values):
    """Shows each value beside the result of the run: as an image, a table or markup if it offers one, else as its repr."""
    if _installed is not None:
        for value in values:
            _installed.show(value)


class Display:
    """``send(message)`` is called on whichever thread shows something; ``run_of_caller()`` names that thread's run, or None."""

    def __init__(self, send, run_of_caller):
        self._send = send
        self._run_of_caller = run_of_caller
        self._process = os.getpid()
        # Shows what has no method of its own, like matplotlib's figures: `(applies(value), show(value))`.
        self._other_way = (lambda value: False, None)
        self._spent = {}
        self._lock = threading.Lock()

    def install(self):
        """Makes this the one behind the function ``display``."""
        global _installed
        _installed = self

    def show_differently(self, applies, show):
        self._other_way = (applies, show)

    def show(self, value):
        """The function ``display``. Runs the value's own code; of what that raises only KeyboardInterrupt comes out of here."""
        applies, show_special = self._other_way
        if applies(value):
            show_special(value)
            return
        data, notes = bundle_of(value)
        if not any(mime in data for mime in READABLE):
            text, omitted = describe(value)
            data["text/plain"] = text + "[... %d bytes omitted ...]" % omitted if omitted else text
        self._publish_all(data, notes)

    def show_result(self, value):
        """What the value of an expression offers beside its repr, which the caller has; nothing for most values."""
        data, notes = bundle_of(value)
        data.pop("text/plain", None)
        self._publish_all(data, notes)

    def publish(self, data, metadata=None):
        """Sends a MIME bundle (type to text, or to base64 for images) as part of the calling thread's run."""
        if os.getpid() != self._process:
            return
        run = self._run_of_caller()
        size = sum(len(content if type(content) is str else json.dumps(content)) for content in data.values())
        admitted, note = self._admit(run, size)
        if note is not None:
            data, metadata = {"text/plain": note}, None
        if admitted or note is not None:
            self._send({"type": "display", "run": run, "data": data, "metadata": metadata or {}})

    def note(self, text):
        self.publish({"text/plain": text})

    def _publish_all(self, data, notes):
        if data:
            self.publish(data)
        for note in notes:
            self.note(note)

    def _admit(self, run, size):
        """``(admitted, note)``; the note comes once per run, with the first item that has no room."""
        with self._lock:
            items, used, full = self._spent.pop(run, (0, 0, False))
            room = not full and items < RUN_ITEMS_MAX and used + size <= RUN_BYTES_MAX
            self._spent[run] = (items + 1, used + size, False) if room else (items, used, True)
            while len(self._spent) > RUNS_COUNTED_MAX:
                del self._spent[next(iter(self._spent))]
        if room or full:
            return room, None
        limits = (RUN_ITEMS_MAX, RUN_BYTES_MAX // (1024 * 1024))
        return False, "<no more is shown of this run: at most %d items and %d MiB>" % limits


def bundle_of(value):
    """``(data, notes)``: at most one rich type and ``text/plain``, ready to be sent; and a sentence for each method that failed."""
    data, notes = {}, []
    offered = _methods_of(type(value))
    bundle = _call(value, "_repr_mimebundle_", offered, notes)
    if bundle is not None:
        _take_bundle(bundle, data, notes)
    for method, mime in METHODS:
        if any(rich in data for rich in RICH):
            break
        content = _call(value, method, offered, notes)
        if content is not None:
            _take(mime, content, data, notes, method)
    return data, notes


def _methods_of(kind):
    """Those that the class has: an object that has every attribute one asks for, like a mock, offers none."""
    return {name for base in mro(kind)[:-1] for name, _ in class_entries(base) if name in METHOD_NAMES}


def _call(value, name, offered, notes):
    if name not in offered:
        return None
    try:
        content = getattr(value, name)()
        # Jupyter's convention: data, or data and metadata.
        return content[0] if type(content) is tuple and len(content) == 2 else content
    except KeyboardInterrupt:
        raise
    except NotImplementedError:
        return None
    except BaseException as exception:
        notes.append("<%s failed: %s>" % (name, reason_of(exception)))
        return None


def _take_bundle(bundle, data, notes):
    if not issubclass(type(bundle), dict):
        notes.append("<_repr_mimebundle_ gave %s instead of a dict>" % class_name(type(bundle)))
        return
    offered = {mime: content for mime, content in dict.items(bundle) if type(mime) is str and content is not None}
    for mime in RICH:
        if mime in offered and not any(rich in data for rich in RICH):
            _take(mime, offered[mime], data, notes, "_repr_mimebundle_")
    if "text/plain" in offered:
        _take("text/plain", offered["text/plain"], data, notes, "_repr_mimebundle_")


def _take(mime, content, data, notes, source):
    try:
        data[mime] = _clean(mime, content)
    except _Refused as refused:
        notes.append("<%s of %s not shown: %s>" % (mime, source, refused))
    except KeyboardInterrupt:
        raise
    except BaseException as exception:  # a JSON value with code of its own
        notes.append("<%s of %s failed: %s>" % (mime, source, reason_of(exception)))


class _Refused(Exception):
    pass


def _clean(mime, content):
    """As it goes into the frame, or _Refused. Sizes are looked at before anything is copied."""
    kind = type(content)
    if mime in IMAGES and issubclass(kind, (bytes, bytearray)):
        return _image(content)
    if mime == "application/json":
        return _json(content)
    if not issubclass(kind, str):
        raise _Refused("it is %s instead of %s" % (class_name(kind), "bytes" if mime in IMAGES else "str"))
    if mime in IMAGES:
        return _encoded_image(content)
    length = str.__len__(content)
    if mime in CUTTABLE:
        limit = PLAIN_BYTES_MAX if mime == "text/plain" else TEXT_CHARACTERS_MAX
        text, omitted = cut(str.__getitem__(content, slice(0, limit)), limit, max(0, length - limit))
        return text + "\n[... %d bytes omitted ...]" % omitted if omitted else text
    if length > TEXT_CHARACTERS_MAX:
        raise _Refused("it has %d characters, at most %d are shown" % (length, TEXT_CHARACTERS_MAX))
    return str.__str__(content)


def _image(content):
    length = len(memoryview(content))
    if length > IMAGE_BYTES_MAX:
        raise _Refused("it has %d bytes, at most %d are shown" % (length, IMAGE_BYTES_MAX))
    return base64.b64encode(content).decode("ascii")


def _encoded_image(content):
    """Base64 already, perhaps in lines."""
    if str.__len__(content) > IMAGE_BYTES_MAX * 3 // 2:
        raise _Refused("its base64 has %d characters" % str.__len__(content))
    return _image(base64.b64decode(str.encode(content, "ascii")))


def _json(content):
    if weight(content, WEIGHT_PLAIN_MAX) >= WEIGHT_PLAIN_MAX:
        raise _Refused("it is too large")
    # NaN is no JSON: the worker would take the frame for damage.
    text = json.dumps(content, allow_nan=False)
    if len(text) > TEXT_CHARACTERS_MAX:
        raise _Refused("it has %d characters, at most %d are shown" % (len(text), TEXT_CHARACTERS_MAX))
    return json.loads(text)
