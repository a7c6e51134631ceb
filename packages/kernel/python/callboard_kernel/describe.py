"""What is known of a value without running any of its code: kind, signature, documentation, source."""
import inspect
import re
import types

from .preview import preview
from .source import source_of_class, source_of_code
from .static import (
    BUILTIN_FUNCTIONS,
    MISSING,
    among,
    class_entries,
    find,
    in_classes,
    instance_dict,
    is_class,
    is_computed,
    is_module,
    mro,
    type_name,
    unwrapped,
)


DOCUMENTATION_CHARACTERS_MAX = 8 * 1024
SIGNATURE_CHARACTERS_MAX = 2000
WRAPPERS_MAX = 10

_CLASS_TEXT_SIGNATURE = type.__dict__["__text_signature__"].__get__


def of(value, owner, name, with_source):
    """``owner``: what the value was found on, or MISSING. A dict of the fields of the answer but the name."""
    function = _innermost(value)
    kind = kind_of(value, owner)
    source, origin = None, None
    if is_class(value):
        source, origin = source_of_class(value)
    elif type(function) is types.FunctionType:
        source, origin = source_of_code(function.__code__)
    return {
        "kind": kind,
        "type": type_name(type(value)),
        "signature": _signature(value, owner, function, name),
        "doc": _documentation(value, function),
        "origin": origin,
        "source": source if with_source else None,
        "preview": None if kind in ("property", "attribute") else preview(value),
    }


def kind_of(value, owner):
    inner = type(unwrapped(value))
    is_function = inner is types.FunctionType or among(inner, BUILTIN_FUNCTIONS)
    if is_module(value):
        return "module"
    if is_class(value):
        return "class"
    if owner is not MISSING and not is_module(owner):
        if type(value) is property:
            return "property"
        if is_computed(value):
            return "attribute"
        if is_function:
            return "method"
    if is_function:
        return "function" if inner is types.FunctionType else "builtin"
    return "method" if type(value) is types.MethodType else "value"


def _innermost(value):
    """The function behind methods, properties and decorators that kept `__wrapped__`."""
    for _ in range(WRAPPERS_MAX):
        value = unwrapped(value)
        if type(value) is types.MethodType:
            value = value.__func__
        elif type(value) is property:
            value = value.fget
        elif type(value) is types.FunctionType and find(value.__dict__, "__wrapped__") is not MISSING:
            value = find(value.__dict__, "__wrapped__")
        else:
            break
    return value


def _signature(value, owner, function, name):
    text = None
    if is_class(value):
        text = _signature_of_class(value)
    elif type(value) is property or is_module(value):
        return None
    elif type(function) is types.FunctionType:
        of_instance = owner is not MISSING and not is_class(owner) and not is_module(owner)
        bound = among(type(value), (types.MethodType, classmethod)) or (type(value) is types.FunctionType and of_instance)
        text = _signature_of_function(function, bound)
    elif among(type(function), BUILTIN_FUNCTIONS):
        text = _plain(function.__text_signature__)
    else:
        call = in_classes(type(value), "__call__")
        text = _signature_of_function(call, True) if type(call) is types.FunctionType else None
    return None if text is None else (name + text)[:SIGNATURE_CHARACTERS_MAX]


def _signature_of_class(value):
    for special in ("__init__", "__new__"):
        method = unwrapped(in_classes(value, special))
        if type(method) is types.FunctionType:
            return _signature_of_function(method, True)
    try:
        return _plain(_CLASS_TEXT_SIGNATURE(value))
    except Exception:
        return None


def _plain(text):
    """From C's own notation, like `($self, x, /)`: what a caller passes."""
    return re.sub(r"^\(\$\w+(, /)?(, )?", "(", text) if type(text) is str else None


def _signature_of_function(function, bound):
    """From the code object: ``inspect.signature`` asks attributes that anybody may set."""
    code = function.__code__
    defaults = function.__defaults__ or ()
    keyword_defaults = function.__kwdefaults__ or {}
    names = code.co_varnames[: code.co_argcount]
    parts = []
    for index, name in enumerate(names):
        position = index - (len(names) - len(defaults))
        parts.append(name if position < 0 else "%s=%s" % (name, preview(defaults[position])))
        if index + 1 == code.co_posonlyargcount:
            parts.append("/")
    rest = list(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
    if code.co_flags & inspect.CO_VARARGS:
        parts.append("*" + rest.pop(0))
    elif code.co_kwonlyargcount:
        parts.append("*")
    for name in code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
        default = find(keyword_defaults, name)
        parts.append(name if default is MISSING else "%s=%s" % (name, preview(default)))
    if code.co_flags & inspect.CO_VARKEYWORDS:
        parts.append("**" + rest.pop(0))
    if bound and names:
        del parts[0]
        if parts and parts[0] == "/":
            del parts[0]
    return "(%s)" % ", ".join(parts)


def _documentation(value, function):
    if is_class(value):
        text = _first_text([value])
    elif is_module(value):
        text = find(instance_dict(value), "__doc__")
    elif type(value) is property:
        text = value.__doc__
    elif type(function) is types.FunctionType or among(type(function), BUILTIN_FUNCTIONS):
        text = function.__doc__
    elif among(type(value), (types.GetSetDescriptorType, types.MemberDescriptorType)):
        text = value.__doc__
    else:
        text = _first_text(mro(type(value))[:-1])
    if type(text) is not str or text == "":
        return None
    return inspect.cleandoc(text[:DOCUMENTATION_CHARACTERS_MAX])


def _first_text(classes):
    """As it was written: reading ``__doc__`` would run a property that stands there."""
    for kind in classes:
        text = find(dict(class_entries(kind)), "__doc__")
        if type(text) is str:
            return text
    return None
