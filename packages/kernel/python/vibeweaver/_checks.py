"""Arguments, checked before anything is sent: a wrong type is a TypeError, a wrong value a ValueError."""
import json
import math

NAME_LENGTH_MAX = 64
BPM_MIN, BPM_MAX = 1, 999
DIVISOR_MIN = 0.25
METADATA_BYTES_MAX = 4 * 1024
EVENT_BYTES_MAX = 64 * 1024
# A control frame holds 16 MiB; a tool's input is far smaller.
ARGUMENTS_BYTES_MAX = 1024 * 1024


def number(what, value, least=None, most=None, above=None):
    """A float; takes whatever can say that it is a number (int, float, Fraction, NumPy's), but no text and no bool."""
    if isinstance(value, (bool, str, bytes, bytearray)):
        raise TypeError("%s must be a number, not %s" % (what, type(value).__name__))
    try:
        result = float(value)
    except TypeError:
        raise TypeError("%s must be a number, not %s" % (what, type(value).__name__)) from None
    except OverflowError:
        raise ValueError("%s is too large" % what) from None
    if not math.isfinite(result):
        raise ValueError("%s must be a finite number, not %r" % (what, result))
    if above is not None and result <= above:
        raise ValueError("%s must be more than %g, not %g" % (what, above, result))
    if least is not None and result < least:
        raise ValueError("%s must be at least %g, not %g" % (what, least, result))
    if most is not None and result > most:
        raise ValueError("%s must be at most %g, not %g" % (what, most, result))
    return result


def beat(what, value):
    return number(what, value, least=0)


def whole(what, value, least, most=None):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError("%s must be a whole number, not %s" % (what, type(value).__name__))
    return int(number(what, value.__index__(), least, most))


def text(what, value, least=0, most=None):
    if not isinstance(value, str):
        raise TypeError("%s must be text (str), not %s" % (what, type(value).__name__))
    if len(value) < least or (most is not None and len(value) > most):
        size = "%d to %d characters" % (least, most) if most is not None else "at least %d characters" % least
        raise ValueError("%s must have %s, not %d" % (what, size, len(value)))
    return value


def name(what, value):
    return text(what, value, 1, NAME_LENGTH_MAX)


def truth(what, value):
    if not isinstance(value, bool):
        raise TypeError("%s must be True or False, not %r" % (what, value))
    return value


def maybe(check, what, value, *limits, **named):
    """None means absent."""
    return None if value is None else check(what, value, *limits, **named)


def data(what, value, bytes_max):
    """JSON only: dict with text keys, list, text, finite number, bool, None."""
    try:
        encoded = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except TypeError as error:
        raise TypeError("%s must be JSON: %s" % (what, error)) from None
    except (ValueError, RecursionError) as error:
        raise ValueError("%s must be JSON: %s" % (what, error)) from None
    size = len(encoded.encode("utf-8", "surrogatepass"))
    if size > bytes_max:
        raise ValueError("%s must be at most %d bytes as JSON, not %d" % (what, bytes_max, size))
    return value
