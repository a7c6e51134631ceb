"""Which part of a cell is setup: running it again has no effect but to bind names."""
import ast

_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def setup_of(code):
    """The imports, functions, classes and constant assignments of ``code``; "" if there are none. Comments go."""
    tree = ast.parse(code)
    tree.body = [node for node in tree.body if isinstance(node, _DEFINITIONS) or _is_constant_assignment(node)]
    return ast.unparse(tree)


def _is_constant_assignment(node):
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets, value = [node.target], node.value
    else:
        return False
    return all(_is_name(target) for target in targets) and _is_constant(value)


def _is_name(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_is_name(part) for part in target.elts)
    return isinstance(target, ast.Name)


def _is_constant(value):
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
