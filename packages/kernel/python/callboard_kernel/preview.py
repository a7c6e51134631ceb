"""One-line pictures of values that run no code of theirs: built-in types are shown, all else is named by its class."""
import itertools
import types

from .static import MISSING, among, class_name, find, in_classes, instance_dict, is_class, is_module, loaded_module, plain, type_name

CHARACTERS_MAX = 200
ITEMS_MAX = 12
DEPTH_MAX = 3
# Beyond this the decimal digits of an integer take long to find.
INTEGER_BITS_MAX = 1024

_BRACKETS = {list: "[]", tuple: "()", set: ("{", "}"), frozenset: ("frozenset({", "})"), dict: "{}"}
_SIZED = (str, bytes, bytearray, list, tuple, set, frozenset, dict, range)
_DTYPES = {"b": "bool", "i": "int%d", "u": "uint%d", "f": "float%d", "c": "complex%d", "M": "datetime64", "m": "timedelta64"}
_DTYPES.update({"O": "object", "S": "bytes", "U": "str", "V": "void"})


def preview(value):
    text = _Preview().of(value, 0)
    return text if len(text) <= CHARACTERS_MAX else text[: CHARACTERS_MAX - 1] + "…"


def size_of(value):
    """Elements, characters or bytes of exact built-in types and arrays; None for all else."""
    if among(type(value), _SIZED):
        return len(value)
    shape = shape_of(value)
    if shape is None:
        return None
    size = 1
    for length in shape:
        size *= length
    return size


def shape_of(value):
    """Of exactly numpy's arrays and pandas' frames and series; None for all else."""
    if _is_exactly(value, "numpy", "ndarray"):
        shape = _read(value, "shape")
        return list(shape) if type(shape) is tuple else None
    if _is_exactly(value, "pandas", "DataFrame") or _is_exactly(value, "pandas", "Series"):
        return _shape_of_frame(value)
    return None


def dtype_of(value):
    """`float64` and the like, of exactly numpy's arrays."""
    dtype = _read(value, "dtype") if _is_exactly(value, "numpy", "ndarray") else MISSING
    kind, width = _read(dtype, "kind"), _read(dtype, "itemsize")
    if type(kind) is not str or type(width) is not int:
        return None
    name = _DTYPES.get(kind, kind)
    return name % (width * 8) if "%d" in name else name


def _is_exactly(value, module, name):
    loaded = loaded_module(module)
    return loaded is not None and type(value) is find(instance_dict(loaded), name)


def _read(value, name):
    """An attribute that C keeps; MISSING for anything else, as a module of the user's may call itself numpy."""
    descriptor = in_classes(type(value), name)
    if not among(type(descriptor), (types.GetSetDescriptorType, types.MemberDescriptorType)):
        return MISSING
    try:
        return descriptor.__get__(value)
    except Exception:  # taken from another class
        return MISSING


def _field(value, name):
    own = find(instance_dict(value), name)
    return _read(value, name) if own is MISSING else own


def _shape_of_frame(value):
    """Where pandas keeps it: its own ``shape`` asks index objects, which may be anybody's."""
    axes = _field(find(instance_dict(value), "_mgr"), "axes")
    if type(axes) is not list:
        return None
    lengths = [_length_of_index(axis) for axis in axes[:2]]
    # Its manager has the columns first.
    return None if None in lengths else lengths[::-1]


def _length_of_index(index):
    span, data = _field(index, "_range"), _field(index, "_data")
    if type(span) is range:
        return len(span)
    # An array around an array: of dates and the like.
    inner = _field(data, "_ndarray")
    shape = shape_of(inner if _is_exactly(inner, "numpy", "ndarray") else data)
    return shape[0] if shape else None


class _Preview:
    """Stops when the line is full; whatever lies deeper or later is three dots."""

    def __init__(self):
        self._room = CHARACTERS_MAX

    def of(self, value, depth):
        text = self._container(value, depth) if among(type(value), _BRACKETS) else _atom(value)
        self._room -= len(text)
        return text

    def _container(self, value, depth):
        kind = type(value)
        opening, closing = _BRACKETS[kind]
        if not value:
            return {set: "set()", frozenset: "frozenset()"}.get(kind, opening + closing)
        if depth >= DEPTH_MAX or self._room <= 0:
            return opening + "…" + closing
        parts = [self._item(item, kind, depth + 1) for item in self._first(value, kind)]
        if len(value) > len(parts):
            parts.append("…")
        elif kind is tuple and len(parts) == 1:
            parts.append("")
        return opening + ", ".join(parts).rstrip(" " if kind is tuple else "") + closing

    def _item(self, item, kind, depth):
        if self._room <= 0:
            return "…"
        if kind is dict:
            return "%s: %s" % (self.of(item[0], depth), self.of(item[1], depth))
        return self.of(item, depth)

    def _first(self, value, kind):
        """A copy: a running cell may change the container at any time."""
        for _ in range(3):
            try:
                return list(itertools.islice(value.items() if kind is dict else value, ITEMS_MAX))
            except RuntimeError:  # changed size during iteration
                pass
        return []


def _atom(value):
    kind = type(value)
    if kind is int:
        bits = value.bit_length()
        return repr(value) if bits <= INTEGER_BITS_MAX else "<int of %d bits>" % bits
    if kind is range:
        return _range(value)
    if value is None or value is Ellipsis or among(kind, (float, complex, bool)):
        return repr(value)
    if among(kind, (str, bytes, bytearray)):
        return repr(value[:CHARACTERS_MAX]) + ("…" if len(value) > CHARACTERS_MAX else "")
    if kind is types.FunctionType:
        return "<function %s>" % plain(value.__qualname__)
    if is_module(value):
        name = find(instance_dict(value), "__name__")
        return "<module %s>" % (name if type(name) is str else "?")
    if is_class(value):
        return "<class %s>" % type_name(value)
    return _array(value) or "<%s>" % class_name(kind)


def _range(value):
    small = all(abs(bound).bit_length() <= INTEGER_BITS_MAX for bound in (value.start, value.stop, value.step))
    return repr(value) if small else "<range>"


def _array(value):
    shape, dtype = shape_of(value), dtype_of(value)
    if shape is None:
        return None
    return "<%s %s%s>" % (class_name(type(value)), "" if dtype is None else dtype + " ", tuple(shape))
