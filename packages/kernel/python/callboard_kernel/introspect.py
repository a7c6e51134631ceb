"""What the worker asks about names while a cell runs. Runs on a side thread, and none of the user's code."""
import builtins
import difflib
import fnmatch
import re

from . import describe
from .complete import complete
from .namespace import shown
from .preview import preview, shape_of, size_of
from .static import MISSING, attribute, attribute_names, entries, find, is_computed, is_module, loaded_module, type_name

PARTS_MAX = 20
# Names compared with a wrong one.
SIMILAR_MAX = 5000


class Introspection:
    def __init__(self, namespace):
        self._namespace = namespace

    def register(self, bridge):
        bridge.answer("variables", self.variables)
        bridge.answer("inspect", self.inspect)
        bridge.answer("complete", self.complete)

    def variables(self, params):
        """``{pattern, type, limit}``: user names, newest run first. ValueError: a sentence for the agent."""
        matches = re.compile(fnmatch.translate(params["pattern"])).match if params.get("pattern") else None
        wanted, found = params.get("type"), []
        for name, value in self._namespace.user_entries():
            kind = type_name(type(value))
            if (matches is None or matches(name)) and wanted in (None, kind, kind.rpartition(".")[2]):
                found.append((name, kind, value, self._namespace.bound_by(name, value)))
        # Stable: of one run, in the order of their first binding.
        found.sort(key=lambda row: -1 if row[3] is None else row[3], reverse=True)
        return {"variables": [self._row(*row) for row in found[: params["limit"]]], "total": len(found)}

    def _row(self, name, kind, value, run):
        return {
            "name": shown(name),
            "type": kind,
            "size": size_of(value),
            "shape": shape_of(value),
            "preview": preview(value),
            "run_id": run,
        }

    def inspect(self, params):
        """``{name, with_source}``: a dotted name, resolved without running code. ``{missing: sentence}`` if nothing has that name."""
        parts = params["name"].strip().split(".")
        if len(parts) > PARTS_MAX or not all(part.isidentifier() for part in parts):
            raise ValueError("%r is not a dotted name like np.linalg.norm." % params["name"])
        try:
            value, owner = self._resolve(parts)
        except LookupError as missing:
            return {"missing": missing.args[0]}
        return dict(describe.of(value, owner, parts[-1], params.get("with_source")), name=".".join(parts))

    def _resolve(self, parts):
        """``(value, owner)``; owner is what the last part was found on, or MISSING."""
        value, owner = self.root(parts[0]), MISSING
        if value is MISSING:
            raise LookupError("There is no name %r here%s" % (parts[0], _hint(parts[0], self._root_names())))
        for index, part in enumerate(parts[1:], 1):
            parent = ".".join(parts[:index])
            if owner is not MISSING and not is_module(owner) and is_computed(value):
                raise LookupError("%s is computed by code, which is not run, so nothing below it can be found." % parent)
            value, owner = attribute(value, part), value
            if value is MISSING:
                raise LookupError("%s has no attribute %r%s" % (parent, part, _hint(part, attribute_names(owner))))
        return value, owner

    def root(self, name):
        """Of the namespace, else a builtin, else a module that was imported."""
        for names in (self._namespace.names, vars(builtins)):
            value = find(names, name)
            if value is not MISSING:
                return value
        module = loaded_module(name)
        return MISSING if module is None else module

    def complete(self, params):
        """``{code, cursor}``: cursor in code points, from 0 to the length of the code; null: at its end."""
        code, cursor = params["code"], params.get("cursor")
        if cursor is None:
            cursor = len(code)
        if cursor > len(code):
            raise ValueError("cursor is %d, but the code has %d characters (code points)." % (cursor, len(code)))
        return complete(code[:cursor], self.root, self._root_names)

    def _root_names(self):
        return [name for names in (self._namespace.names, vars(builtins)) for name, _ in entries(names)]


def _hint(name, known):
    near = difflib.get_close_matches(name, [other for other in known[:SIMILAR_MAX] if len(other) < 200], n=1)
    return "; did you mean %r?" % near[0] if near else "."
