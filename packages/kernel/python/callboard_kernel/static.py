"""Reads objects without running any code of theirs.

Everything goes through descriptors of the interpreter itself, fetched once from ``type``: ``x.attr``, ``isinstance`` (which asks
``x.__class__``), ``len``, and even ``name in d`` and ``type(x) in (int, str)`` (which compare with keys and metaclasses of any
kind) can run code that a user wrote.
"""
import sys
import types

MISSING = object()

_mro = type.__dict__["__mro__"].__get__
_class_dict = type.__dict__["__dict__"].__get__
_name = type.__dict__["__name__"].__get__
_qualified_name = type.__dict__["__qualname__"].__get__
_flags = type.__dict__["__flags__"].__get__
# For a class in C; of one in Python it looks into a dict, whose keys may be anybody's.
_module = type.__dict__["__module__"].__get__
_MADE_BY_PYTHON = 1 << 9
_module_dict = types.ModuleType.__dict__["__dict__"].__get__
_class_method_function = classmethod.__dict__["__func__"].__get__
_static_method_function = staticmethod.__dict__["__func__"].__get__

# Descriptors that C makes and no one can subclass: reading through them runs C code only.
_C_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)
CHANGES_BORNE_MAX = 3

BUILTIN_FUNCTIONS = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
)
FUNCTIONS = BUILTIN_FUNCTIONS + (types.FunctionType, types.MethodType, staticmethod, classmethod)


def mro(kind):
    return _mro(kind)


def among(kind, kinds):
    """By identity: ``in`` would ask a metaclass."""
    return any(kind is other for other in kinds)


def is_class(value):
    return among(type, _mro(type(value)))


def is_module(value):
    return among(types.ModuleType, _mro(type(value)))


def type_name(kind):
    """`list`, `numpy.ndarray`, `Frame` for a class of a cell."""
    module, name = find(_class_dict(kind), "__module__"), qualified_name(kind)
    if module is MISSING and not _flags(kind) & _MADE_BY_PYTHON:
        module = _module(kind)
    if type(module) is not str or module in ("builtins", "__main__"):
        return name
    return "%s.%s" % (module, name)


def class_name(kind):
    return plain(_name(kind))


def qualified_name(kind):
    return plain(_qualified_name(kind))


def plain(text):
    """Names of classes, functions and files may be of the user's own class of str."""
    return text if type(text) is str else str.__str__(text)


def entries(mapping):
    """``(name, value)`` for every exact-str key of a dict or class dict, as of one moment. Running code may change it meanwhile."""
    is_dict = among(dict, _mro(type(mapping)))
    if not is_dict and type(mapping) is not types.MappingProxyType:
        return []
    for _ in range(CHANGES_BORNE_MAX):
        try:
            pairs = list(dict.items(mapping) if is_dict else mapping.items())
            return [pair for pair in pairs if type(pair[0]) is str]
        except RuntimeError:  # changed size during iteration
            pass
    return []


def find(mapping, name):
    for key, value in entries(mapping):
        if key == name:
            return value
    return MISSING


def class_entries(kind):
    return entries(_class_dict(kind))


def in_classes(kind, name):
    for base in _mro(kind):
        value = find(_class_dict(base), name)
        if value is not MISSING:
            return value
    return MISSING


def instance_dict(value):
    """The ``__dict__`` of a module or instance; an empty one for what has none, or claims one by a property."""
    if is_module(value):
        return _module_dict(value)
    descriptor = in_classes(type(value), "__dict__")
    if not among(type(descriptor), _C_DESCRIPTORS):
        return {}
    try:
        own = descriptor.__get__(value)
    except Exception:  # taken from another class
        return {}
    return own if among(dict, _mro(type(own))) else {}


def attribute(value, name):
    """What ``value.name`` would start from: the stored value, or the property, slot or function found on the class, not called."""
    if is_module(value):
        return find(_module_dict(value), name)
    if is_class(value):
        own = in_classes(value, name)
        return own if own is not MISSING else in_classes(type(value), name)
    of_class = in_classes(type(value), name)
    if type(of_class) is types.MemberDescriptorType:
        return _slot(of_class, value)
    if of_class is not MISSING and in_classes(type(of_class), "__set__") is not MISSING:
        return of_class
    own = find(instance_dict(value), name)
    return own if own is not MISSING else of_class


def attribute_names(value):
    """Without duplicates, nearest first; those of a class's metaclass left out, as by ``dir``."""
    names = {}
    if is_class(value):
        sources = [_class_dict(base) for base in _mro(value)]
    else:
        sources = [instance_dict(value)]
        if not is_module(value):
            sources.extend(_class_dict(base) for base in _mro(type(value)))
    for source in sources:
        names.update(dict.fromkeys(name for name, _ in entries(source)))
    return list(names)


def is_computed(value):
    """Found on a class, only code would give its value: a property, or another descriptor that is no function."""
    kind = type(value)
    return not among(kind, FUNCTIONS) and in_classes(kind, "__get__") is not MISSING


def unwrapped(value):
    """The function in a static or class method."""
    if type(value) is staticmethod:
        return _static_method_function(value)
    if type(value) is classmethod:
        return _class_method_function(value)
    return value


def loaded_module(name):
    """A module that was imported, if it is a plain one: lazy ones import themselves when touched."""
    found = find(sys.modules, name)
    return found if type(found) is types.ModuleType else None


def _slot(descriptor, value):
    try:
        return descriptor.__get__(value)
    except Exception:  # not set, or taken from another class
        return MISSING
