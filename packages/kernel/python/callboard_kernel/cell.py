"""Source to code objects. A cell is parsed once and run once; only its last expression is compiled on its own."""
import __future__
import ast
import inspect
import linecache

FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag

# Sources kept for tracebacks; the oldest go first.
CELLS_REMEMBERED = 1000


class Cell:
    """``body`` runs first, ``last`` gives the value; either may be None."""

    __slots__ = ("filename", "body", "last")

    def __init__(self, number, source):
        self.filename = "<cell-%d>" % number
        remember(number, self.filename, source)
        tree = compile(
            source, self.filename, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        # Compiled even when empty: a `from __future__` line of the body holds for the last expression too.
        body = compile(tree, self.filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        self.body = body if tree.body else None
        self.last = None
        if last is not None:
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | (body.co_flags & FUTURE_FLAGS)
            self.last = compile(ast.Expression(last.value), self.filename, "eval", flags, dont_inherit=True)


def is_awaitable(code):
    return bool(code.co_flags & inspect.CO_COROUTINE)


def remember(number, filename, source):
    """Puts the source where tracebacks and ``inspect`` look. No modification time: ``checkcache`` then keeps it."""
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    linecache.cache.pop("<cell-%d>" % (number - CELLS_REMEMBERED), None)
