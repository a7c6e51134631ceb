"""The cells' namespace: a real ``__main__`` module, so that pickle, inspect and multiprocessing find what cells define."""
import builtins
import sys
import types

from .static import entries

# A cell like `from numpy import *` must not fill a reply.
NAMES_REPORTED_MAX = 100
# Code can bind any text by way of `globals()`; a long one is reported by its beginning.
NAME_REPORTED_LENGTH_MAX = 200
# Names of which the run that bound them is remembered.
NAMES_TRACED_MAX = 20_000


class Namespace:
    def __init__(self):
        self.module = types.ModuleType("__main__")
        self.module.__builtins__ = builtins
        sys.modules["__main__"] = self.module
        # Taken now: a cell can give its module another class.
        self.names = self.module.__dict__
        self._run = None
        self._before = {}
        self._bound_by = {}
        self._offered = {}

    def user_entries(self):
        """``(name, value)`` of what cells have bound, newest binding of a name last. For a side thread."""
        return [(name, value) for name, value in entries(self.names) if is_public(name)]

    def offer(self, names):
        """Names that cells find without an import. Under the namespace, as builtins are: an assignment shadows one, `del`
        reveals it, and neither `dir()` nor a report counts it among the user's."""
        self._offered = dict(names)
        builtins.__dict__.update(self._offered)

    def snapshot(self):
        """Identities, not values: holding values would keep alive what a cell deletes."""
        return {name: id(value) for name, value in list(self.names.items()) if is_public(name)}

    def begin(self, run):
        self._before = self.snapshot()
        self._run = run

    def end(self):
        """What the run that began has bound, bound anew and deleted."""
        changes = difference(self._before, self.snapshot())
        for name in changes["added"] + changes["changed"]:
            self._bound_by.pop(name, None)
            self._bound_by[name] = self._run
        for name in changes["deleted"]:
            self._bound_by.pop(name, None)
        while len(self._bound_by) > NAMES_TRACED_MAX:
            del self._bound_by[next(iter(self._bound_by))]
        self._run = None
        return {kind: [shown(name) for name in names[:NAMES_REPORTED_MAX]] for kind, names in changes.items()}

    def bound_by(self, name, value):
        """The run that last bound the name, the running one included; None if no cell did. For a side thread."""
        run = self._run
        if run is not None and self._before.get(name) != id(value):
            return run
        return self._bound_by.get(name)

    def clear(self):
        """Returns how many names of the user went."""
        gone = sum(1 for name in list(self.names) if is_public(name))
        kept = {name: value for name, value in list(self.names.items()) if type(name) is str and is_special(name)}
        # Not name by name: a key of the user's own class would run its code.
        self.names.clear()
        self.names.update(kept, __builtins__=builtins)
        builtins.__dict__.pop("_", None)
        builtins.__dict__.update(self._offered)
        self._bound_by.clear()
        return gone


def is_public(name):
    return type(name) is str and name != "_" and not name.startswith("__")


def shown(name):
    return name if len(name) <= NAME_REPORTED_LENGTH_MAX else name[:NAME_REPORTED_LENGTH_MAX] + "\u2026"


def is_special(name):
    return name.startswith("__") and name.endswith("__")


def difference(before, after):
    return {
        "added": [name for name in after if name not in before],
        "changed": [name for name, value in after.items() if before.get(name, value) != value],
        "deleted": [name for name in before if name not in after],
    }
