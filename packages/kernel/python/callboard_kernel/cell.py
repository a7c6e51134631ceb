"""Source to code objects. A cell is parsed once and run once; only its last expression is compiled on its own."""
import __future__
import ast
import inspect
import linecache
import warnings

FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag

# Sources kept for tracebacks; the oldest go first.
CELLS_REMEMBERED = 1000


class Cell:
    """``parts``: code objects in order, each with whether its value is one of the cell's: of the last expression, or of ``every``."""

    __slots__ = ("filename", "parts")

    def __init__(self, number, source, every=False):
        self.filename = "<cell-%d>" % number
        remember(number, self.filename, source)
        tree = compile(
            source, self.filename, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        if every:
            # Compiled whole for what holds across statements, like `global x` after a use of x, and `from __future__`.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                flags |= compile(tree, self.filename, "exec", flags, dont_inherit=True).co_flags & FUTURE_FLAGS
        self.parts = []
        for statements, value in _split(tree.body, every):
            # Compiled even when empty: a `from __future__` line of the body holds for the last expression too.
            body = compile(ast.Module(statements, tree.type_ignores), self.filename, "exec", flags, dont_inherit=True)
            flags |= body.co_flags & FUTURE_FLAGS
            if statements:
                self.parts.append((body, False))
            if value is not None:
                code = compile(ast.Expression(value.value), self.filename, "eval", flags, dont_inherit=True)
                self.parts.append((code, True))


def _split(statements, every):
    """``(statements, expression or None)`` in order; at least one."""
    pieces, start = [], 0
    for index, statement in enumerate(statements):
        if isinstance(statement, ast.Expr) and (every or index == len(statements) - 1):
            pieces.append((statements[start:index], statement))
            start = index + 1
    if start < len(statements) or not pieces:
        pieces.append((statements[start:], None))
    return pieces


def is_awaitable(code):
    return bool(code.co_flags & inspect.CO_COROUTINE)


def remember(number, filename, source):
    remember_source(filename, source)
    forget_source("<cell-%d>" % (number - CELLS_REMEMBERED))


def remember_source(filename, source):
    """Puts the source where tracebacks and ``inspect`` look. No modification time: ``checkcache`` then keeps it."""
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)


def forget_source(filename):
    linecache.cache.pop(filename, None)
