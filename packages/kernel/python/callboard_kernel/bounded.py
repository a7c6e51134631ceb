"""``repr`` with a bound: exact for what fits, never the whole text of a huge built-in value."""
from .failure import reason_of

RESULT_BYTES_MAX = 16 * 1024
# Below this weight (characters and elements) plain repr is cheap, and exact by definition.
WEIGHT_PLAIN_MAX = 256 * 1024
DEPTH_MAX = 100

_ATOMS = (int, float, complex, bool, type(None))
_BRACKETS = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), frozenset: ("frozenset({", "})"), dict: ("{", "}")}


def describe(value):
    """As ``bounded_repr``, with the reason in place of a repr that raises. Only KeyboardInterrupt comes out of here."""
    try:
        return bounded_repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as exception:
        return "<repr failed: %s>" % reason_of(exception), 0


def bounded_repr(value):
    """``(text, omitted)``: at most RESULT_BYTES_MAX bytes of UTF-8, and how many bytes of the repr are missing.

    ``omitted`` is exact when the whole repr was made, else the least that is known to be missing. Runs each ``__repr__``
    once; what one raises comes out of here.
    """
    if weight(value, WEIGHT_PLAIN_MAX) < WEIGHT_PLAIN_MAX:
        text, more = _repr(value), 0
    else:
        pieces = _Pieces(RESULT_BYTES_MAX)
        pieces.add(value, 0, [])
        text, more = "".join(pieces.parts), pieces.more
    return cut(text, RESULT_BYTES_MAX, more)


def cut(text, bytes_max, more=0):
    if len(text) <= bytes_max // 4 and not more:
        return text, 0
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= bytes_max and not more:
        return text, 0
    head = encoded[:bytes_max].decode("utf-8", "ignore")
    kept = len(head.encode("utf-8", "surrogatepass"))
    return head, len(encoded) - kept + more


def weight(value, limit):
    """Characters and elements in exact built-in containers; stops at the limit. Runs no code of the user."""
    total, pending, seen = 0, [value], set()
    while pending and total < limit:
        item = pending.pop()
        kind = type(item)
        total += 1
        # Built-in types have no other metaclass; one of the user's could run code when it is compared.
        if type(kind) is not type:
            continue
        if kind in (str, bytes, bytearray):
            total += len(item)
        elif kind in _BRACKETS and id(item) not in seen:
            seen.add(id(item))
            total += len(item)
            if total < limit:
                pending.extend(item)
                if kind is dict:
                    pending.extend(item.values())
    return total


def _repr(value):
    """Of exactly ``str``: a ``__repr__`` may give a string of the user's own class."""
    return str.__str__(repr(value))


class _Pieces:
    """Writes a repr piece by piece until the budget is used up."""

    def __init__(self, budget):
        self.parts = []
        self.budget = budget
        self.more = 0

    def add(self, value, depth, parents):
        kind = type(value)
        if type(kind) is not type:
            self._write(_repr(value))
        elif kind in (str, bytes, bytearray):
            self._add_text(value)
        elif kind not in _BRACKETS or depth > DEPTH_MAX or not value:
            self._write(_repr(value) if depth <= DEPTH_MAX else "...")
        elif id(value) in parents:
            self._write("...".join(_BRACKETS[kind]))
        else:
            self._add_container(value, kind, depth, parents + [id(value)])

    def _add_text(self, value):
        # A character of the source is at least one character of the repr.
        room = max(self.budget, 0)
        self._write(repr(value[: room + 1]))
        self.more += max(0, len(value) - room - 1)

    def _add_container(self, value, kind, depth, parents):
        opening, closing = _BRACKETS[kind]
        self._write(opening)
        done = 0
        for item in value:
            if self.budget <= 0:
                break
            if done:
                self._write(", ")
            self.add(item, depth + 1, parents)
            if kind is dict:
                self._write(": ")
                self.add(value[item], depth + 1, parents)
            done += 1
        # One digit and a separator is the least that each missing element would have taken.
        self.more += 3 * (len(value) - done)
        self._write("," + closing if kind is tuple and len(value) == 1 else closing)

    def _write(self, text):
        self.parts.append(text)
        self.budget -= len(text)
