"""Modules that cells have imported, and which of them can be forgotten."""
import sys


def drop_since(before):
    """Forgets what was imported since; the next import runs it again. Returns the packages that have to stay.

    Compiled modules cannot be loaded twice into a process, and their Python halves would find the old ones: so a package
    with a compiled part stays whole.
    """
    imported = [name for name in sys.modules if name not in before and name != "__main__"]
    compiled = {_package(name) for name in imported if _is_compiled(sys.modules[name])}
    for name in imported:
        if _package(name) not in compiled:
            sys.modules.pop(name, None)
    return sorted(compiled)


def _package(name):
    return name.partition(".")[0]


def _is_compiled(module):
    # A module can put anything into sys.modules, also an object whose attributes run code.
    spec = getattr(module, "__dict__", {}).get("__spec__") if isinstance(module, type(sys)) else None
    loader = type(getattr(spec, "loader", None)).__name__
    return module is not None and loader in ("ExtensionFileLoader", "NoneType")
