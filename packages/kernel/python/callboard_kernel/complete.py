"""What could stand at a cursor: names, attributes and modules, found without running code or importing anything."""
import importlib.machinery
import keyword
import os
import re
import sys

from .static import MISSING, attribute, attribute_names, entries, find, instance_dict, is_computed, is_module, loaded_module

MATCHES_MAX = 100
# Looked at for the beginning of a statement, and for strings that are open.
TEXT_CHARACTERS_MAX = 64 * 1024
# Of a line, and of a dotted name: the patterns take the square of it at worst.
LINE_CHARACTERS_MAX = 2000
FOLDERS_MAX = 100
FILES_MAX = 20_000

_NAME = r"[^\W\d]\w*"
_DOTTED = re.compile(r"((?:%s\s*\.\s*)*)(%s)?$" % (_NAME, _NAME))
_IMPORT = re.compile(r"(?:^|;)\s*import\s(?:[\w.\s]+,)*\s*([\w.]*)$")
_FROM = re.compile(r"(?:^|;)\s*from\s+([\w.]*)$")
_FROM_IMPORT = re.compile(r"(?:^|;)\s*from\s+([\w.]+)\s+import\s+\(?(?:[\w\s]+,)*\s*(\w*)$")
_STANDARD = getattr(sys, "stdlib_module_names", sys.builtin_module_names)
_OPENING = re.compile(r'#|"""|\'\'\'|"|\'')
# Where a string ends; one of one line ends with its line, closed or not.
_CLOSING = {
    '"': re.compile(r'(?s)\\.|"|\n'),
    "'": re.compile(r"(?s)\\.|'|\n"),
    '"""': re.compile(r'(?s)\\.|"""'),
    "'''": re.compile(r"(?s)\\.|'''"),
}


def complete(text, root, root_names):
    """``text`` ends at the cursor. ``root(name)`` gives a top-level value or MISSING. start and end in code points."""
    end = len(text)
    text = text[-TEXT_CHARACTERS_MAX:]
    prefix, names = _candidates(text, root, root_names)
    shown = sorted({name for name in names if name.startswith(prefix) and _is_wanted(name, prefix)}, key=_rank)
    return {"matches": shown[:MATCHES_MAX], "total": len(shown), "start": end - len(prefix), "end": end}


def _candidates(text, root, root_names):
    """``(prefix, names)``: what stands before the cursor, and what it could be the beginning of."""
    if _is_in_text(text):
        return "", []
    text = text[-LINE_CHARACTERS_MAX:]
    line = text.rpartition("\n")[2]
    imported = _IMPORT.search(line) or _FROM.search(line)
    if imported:
        parent, _, prefix = imported.group(1).rpartition(".")
        return prefix, _submodules(parent) if parent else _modules()
    named = _FROM_IMPORT.search(line)
    if named:
        module = loaded_module(named.group(1))
        return named.group(2), _submodules(named.group(1)) + ([] if module is None else attribute_names(module))
    path, prefix = _DOTTED.search(text).groups()
    prefix = prefix or ""
    if path:
        before = text[: len(text) - len(path) - len(prefix)].rstrip()
        return prefix, [] if before.endswith(".") else _attributes(path, root)
    before = text[: len(text) - len(prefix)].rstrip()
    # After a call, an index or a number: what it gives is not known without running it.
    return prefix, [] if before.endswith(".") else root_names() + keyword.kwlist


def _attributes(path, root):
    parts = [part.strip() for part in path.split(".")[:-1]]
    value = root(parts[0])
    for part in parts[1:]:
        owner, value = value, MISSING if value is MISSING else attribute(value, part)
        if value is not MISSING and not is_module(owner) and is_computed(value):
            return []
    return [] if value is MISSING else attribute_names(value)


def _is_wanted(name, prefix):
    return prefix.startswith("_") or not name.startswith("_")


def _rank(name):
    return (name.startswith("__"), name.startswith("_"), name.lower(), name)


def _is_in_text(text):
    """In a string or comment. Scans from the beginning, as a quote means nothing without what came before."""
    position, opened = 0, None
    while True:
        found = (_OPENING if opened is None else _CLOSING[opened]).search(text, position)
        if found is None:
            return opened is not None
        mark, position = found.group(), found.end()
        if mark == "#":
            position = text.find("\n", position)
            if position < 0:
                return True
        elif opened is None:
            opened = mark
        elif not mark.startswith("\\"):
            opened = None


def _modules():
    names = [name.partition(".")[0] for name, _ in entries(sys.modules)]
    names.extend(_STANDARD)
    return names + _files_of([path or os.getcwd() for path in _folders(sys.path)])


def _submodules(name):
    folders = _folders_of_package(name)
    known = [other[len(name) + 1 :] for other, _ in entries(sys.modules) if other.startswith(name + ".")]
    return [other for other in known if "." not in other] + _files_of(folders)


def _folders_of_package(name):
    module = loaded_module(name)
    if module is not None:
        return _folders(find(instance_dict(module), "__path__"))
    parent, _, last = name.rpartition(".")
    above = _folders_of_package(parent) if parent else [path or os.getcwd() for path in _folders(sys.path)]
    return [folder for folder in (os.path.join(path, last) for path in above) if os.path.isdir(folder)]


def _folders(paths):
    return [path for path in paths[:FOLDERS_MAX] if type(path) is str] if type(paths) is list else []


def _files_of(folders):
    """Modules and packages by their files; hooks of the import system may be anybody's, so none is asked."""
    names, left = [], FILES_MAX
    for folder in folders:
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    left -= 1
                    if left < 0:
                        return names
                    names.append(_module_of(entry))
        except OSError:
            pass
    return [name for name in names if name.isidentifier() and name != "__init__"]


def _module_of(entry):
    if "." not in entry.name:
        return entry.name if entry.name != "__pycache__" and entry.is_dir() else ""
    suffix = next((suffix for suffix in importlib.machinery.all_suffixes() if entry.name.endswith(suffix)), None)
    return "" if suffix is None else entry.name[: -len(suffix)]
