"""The cells' namespace: a real ``__main__`` module, so that pickle, inspect and multiprocessing find what cells define."""
import builtins
import sys
import types

# A cell like `from numpy import *` must not fill a reply.
NAMES_REPORTED_MAX = 100


class Namespace:
    def __init__(self):
        self.module = types.ModuleType("__main__")
        self.module.__builtins__ = builtins
        sys.modules["__main__"] = self.module

    @property
    def names(self):
        return self.module.__dict__

    def snapshot(self):
        """Identities, not values: holding values would keep alive what a cell deletes."""
        return {name: id(value) for name, value in list(self.names.items()) if is_public(name)}

    def clear(self):
        """Returns how many names of the user went."""
        gone = [name for name in self.names if not (name.startswith("__") and name.endswith("__"))]
        for name in gone:
            self.names.pop(name, None)
        builtins.__dict__.pop("_", None)
        return sum(1 for name in gone if is_public(name))


def is_public(name):
    return isinstance(name, str) and name != "_" and not name.startswith("__")


def difference(before, after):
    return {
        "added": [name for name in after if name not in before][:NAMES_REPORTED_MAX],
        "changed": [name for name, value in after.items() if before.get(name, value) != value][:NAMES_REPORTED_MAX],
        "deleted": [name for name in before if name not in after][:NAMES_REPORTED_MAX],
    }
