"""Which run a thread or a task belongs to: the one that started it.

Tasks carry it in a context variable, which they copy when they are made. Threads do not inherit context variables (before
Python 3.14), so whatever starts a thread, or hands work to a pool of threads, carries it over.
"""
import _thread
import concurrent.futures.thread
import contextvars
import functools
import threading
from _thread import get_ident

RUN = contextvars.ContextVar("callboard_run", default=None)
# By thread, for code that runs in an empty context of its own making.
_threads = {}


def run_of_caller():
    """The run that the calling thread or task belongs to; None for a thread that neither Python nor a run has started."""
    run = RUN.get()
    return _threads.get(get_ident()) if run is None else run


def enter(run):
    """The calling context, and all that it starts from here on, belongs to this run."""
    RUN.set(run)
    _threads[get_ident()] = run


def belonging_to(run, function):
    """``function``, whoever calls it, as a part of this run."""
    return _Carried(run, function)


def install():
    """Before the first run. What starts threads outside Python's own modules is not seen: its output counts to the current run."""
    for module, names in ((_thread, _STARTERS), (threading, ["_" + name for name in _STARTERS])):
        for name in names:
            if hasattr(module, name):
                setattr(module, name, _carrying(getattr(module, name)))
    pool = concurrent.futures.thread.ThreadPoolExecutor
    pool.submit = _submitting(pool.submit)


_STARTERS = ["start_new_thread", "start_new", "start_joinable_thread"]


class _Carried:
    __slots__ = ("_run", "_function")

    def __init__(self, run, function):
        self._run = run
        self._function = function

    def __call__(self, *args, **kwargs):
        ident = get_ident()
        before = _threads.get(ident)
        _threads[ident] = self._run
        token = RUN.set(self._run)
        try:
            return self._function(*args, **kwargs)
        finally:
            RUN.reset(token)
            if before is None:
                _threads.pop(ident, None)
            else:
                _threads[ident] = before

    def __repr__(self):  # Python names the function when a thread dies
        return repr(self._function)


def _carry(function):
    run = run_of_caller()
    return function if run is None or not callable(function) else _Carried(run, function)


def _carrying(start):
    @functools.wraps(start)
    def start_thread(function, *args, **kwargs):
        return start(_carry(function), *args, **kwargs)

    return start_thread


def _submitting(submit):
    @functools.wraps(submit)
    def submit_carried(self, fn, /, *args, **kwargs):
        return submit(self, _carry(fn), *args, **kwargs)

    return submit_carried
