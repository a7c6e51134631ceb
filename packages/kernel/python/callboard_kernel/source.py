"""Source text of functions and classes: of cells from ``linecache``, of files from the disk. Imports and runs nothing."""
import ast
import inspect
import linecache
import os
import stat
import sys
import types

from .static import class_entries, find, class_name, instance_dict, plain, qualified_name, unwrapped

SOURCE_CHARACTERS_MAX = 16 * 1024
FILE_BYTES_MAX = 4 * 1024 * 1024
# Lines that a block is looked for in.
BLOCK_LINES_MAX = 2000
CELLS_SEARCHED_MAX = 200


def source_of_code(code):
    """``(text or None, origin)``; origin like `<cell-3>:7` or `/usr/lib/python3/json/decoder.py:12`."""
    filename = plain(code.co_filename)
    origin = "%s:%d" % (filename, code.co_firstlineno)
    lines = lines_of(filename)
    start = code.co_firstlineno - 1
    if not 0 <= start < len(lines):
        return None, origin
    try:
        block = inspect.getblock(lines[start : start + BLOCK_LINES_MAX])
    except Exception:  # the file is another one now
        return None, origin
    return _bounded("".join(block)), origin


def source_of_class(kind):
    """As ``source_of_code``; origin is None for what is not written in Python."""
    for filename in _files_of_class(kind):
        lines = lines_of(filename)
        found = _find_class(lines, qualified_name(kind), class_name(kind))
        if found is not None:
            start, end = found
            return _bounded("".join(lines[start - 1 : end])), "%s:%d" % (filename, start)
    return None, None


def lines_of(filename):
    entry = dict.get(linecache.cache, filename) if type(linecache.cache) is dict else None
    if type(entry) is tuple and len(entry) == 4:
        return entry[2]
    path = _path_of_frozen(filename)
    try:
        state = os.stat(path)
        # A pipe or device would keep this thread waiting for ever.
        if not os.path.isabs(path) or not stat.S_ISREG(state.st_mode) or state.st_size > FILE_BYTES_MAX:
            return []
        return linecache.getlines(path)
    except Exception:
        return []


def _path_of_frozen(filename):
    """`<frozen os>` has its source in the standard library's folder."""
    if filename.startswith("<frozen ") and filename.endswith(">"):
        module = sys.modules.get(filename[8:-1])
        path = find(instance_dict(module), "__file__") if type(module) is types.ModuleType else None
        return path if type(path) is str else filename
    return filename


def _files_of_class(kind):
    """Where its methods were compiled; for a class without any, the newest cells or its module's file."""
    prefix = qualified_name(kind)
    names = []
    for _, value in class_entries(kind):
        function = unwrapped(value)
        function = function.fget if type(function) is property else function
        if type(function) is types.FunctionType and prefix in plain(function.__qualname__):
            names.append(plain(function.__code__.co_filename))
    module = find(dict(class_entries(kind)), "__module__")
    if type(module) is str and module == "__main__":
        cells = [name for name in list(linecache.cache) if type(name) is str and name.startswith("<cell-")]
        names.extend(cells[: -CELLS_SEARCHED_MAX - 1 : -1])
    elif type(module) is str and type(sys.modules.get(module)) is types.ModuleType:
        path = find(instance_dict(sys.modules[module]), "__file__")
        names.extend([path] if type(path) is str else [])
    return list(dict.fromkeys(names))


def _find_class(lines, qualified, name):
    """First and last line, decorators included, of the last class of this qualified name."""
    text = "".join(lines)
    if "class " + name not in text:
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found, pending = None, [(node, "") for node in tree.body]
    while pending:
        node, outer = pending.pop(0)
        inner = outer
        if isinstance(node, ast.ClassDef):
            inner = outer + node.name + "."
            if outer + node.name == qualified:
                found = (min([node.lineno] + [line.lineno for line in node.decorator_list]), node.end_lineno)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = outer + node.name + ".<locals>."
        if isinstance(node, (ast.stmt, ast.excepthandler)):
            pending.extend((child, inner) for child in ast.iter_child_nodes(node))
    return found


def _bounded(text):
    if len(text) <= SOURCE_CHARACTERS_MAX:
        return text
    return text[:SOURCE_CHARACTERS_MAX] + "\n[... %d characters omitted ...]" % (len(text) - SOURCE_CHARACTERS_MAX)
