"""Ends what runs for too long on another thread, by an exception there, and never hits what comes after it."""
import ctypes
import queue
import threading
import time
from time import monotonic

# Swallowed by a bare `except`, it comes again.
INSIST_S = 1.0

_set_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc


class Overdue(BaseException):
    """Raised in code whose time is over. Not an Exception, so that `except Exception` in a loop does not keep it running."""


class Limit:
    """Of the calling thread, from now on. `reason` is why the code was stopped, or None.

    `cancel()` is tried first, where there is one: an event loop that waits is deaf to exceptions.
    """

    __slots__ = ("thread", "until", "because", "reason", "cancel", "closed", "striking")

    def __init__(self, seconds):
        self.thread = threading.get_ident()
        self.until = monotonic() + seconds
        self.because = "LimitError: it ran for more than limit_s, %g s" % seconds
        self.reason = None
        self.cancel = None
        self.closed = False
        self.striking = False


class Deadlines:
    """One thread watches all limits. It acts between `open` and `close` only, both called by the thread that is limited.

    That thread takes no lock here: the exception may surface at any of its instructions, and would leave the lock behind.
    The one lock that it does take, for sending, is held while the exception is set, so that it never surfaces between
    acquiring and releasing that.
    """

    def __init__(self, send_lock):
        self._send_lock = send_lock
        self._open = []
        self._wakes_at = None
        self._wake = queue.SimpleQueue()
        threading.Thread(target=self._watch, name="callboard-limits", daemon=True).start()

    def open(self, limit):
        self._open.append(limit)
        wakes_at = self._wakes_at
        # A watch that wakes in time anyway is left alone: most code ends long before its limit.
        if wakes_at is None or wakes_at > limit.until:
            self._wake.put(None)

    def close(self, limit):
        """Idempotent. Afterwards no exception is on its way."""
        limit.closed = True
        # Either the watch sees that, or it is at work, and what it sets is taken back.
        while limit.striking:
            time.sleep(0)
        _set_exception(ctypes.c_ulong(limit.thread), None)
        try:
            self._open.remove(limit)
        except ValueError:  # the second time
            pass

    def stop_all(self):
        for limit in list(self._open):
            limit.because = "Cancelled: the kernel was reset"
            limit.until = monotonic()
        self._wake.put(None)

    def _watch(self):
        while True:
            try:
                self._wait()
                for limit in list(self._open):
                    if limit.until <= monotonic():
                        self._strike(limit)
            except MemoryError:
                time.sleep(0.01)

    def _wait(self):
        seen = list(self._open)
        until = min((limit.until for limit in seen), default=None)
        self._wakes_at = until
        # Whoever came between these lines may have believed the former value.
        if seen == self._open:
            try:
                self._wake.get(timeout=None if until is None else max(0.0, until - monotonic()))
            except queue.Empty:
                pass

    def _strike(self, limit):
        with self._send_lock:
            limit.striking = True
            if not limit.closed:
                gently = limit.reason is None and limit.cancel is not None
                limit.reason = limit.reason or limit.because
                limit.until = monotonic() + INSIST_S
                if not gently:
                    _set_exception(ctypes.c_ulong(limit.thread), ctypes.py_object(Overdue))
                if limit.cancel is not None:
                    limit.cancel()
            limit.striking = False
