"""Python's own streams, by whose writes the worker learns which run has written.

Without a lock, because a signal handler, a fork or a thread that ends at the wrong time would leave one locked: the main
thread alone writes the marks of runs and the plain bytes of the run that is current, and every other write goes out in
pieces with a mark in front of each, small enough that the kernel of the system never divides them (PIPE_BUF).
"""
import io
import os
import select
import threading
from _thread import get_ident

from .attribution import RUN, run_of_caller

HEADER_BYTES_MAX = 96
PIECE_BYTES_MAX = select.PIPE_BUF - HEADER_BYTES_MAX
RETRY_MS = 1000


class Marks:
    """What is written into both streams, and never by anyone who does not know the token; ``src/output/output-marks.ts`` reads it."""

    def __init__(self, token):
        self._prefix = b"\0\x01callboard %s " % token.encode("ascii")
        self.main = threading.main_thread().ident
        self.current = None

    def begin(self, run):
        self.current = run
        return b"%s<%d\0" % (self._prefix, run)

    def end(self, run):
        return b"%s>%d\0" % (self._prefix, run)

    def piece(self, run, length):
        return b"%s=%d %d\0" % (self._prefix, run, length)

    def after_fork(self):
        """The child may outlive the run and writes beside its parent: nothing that it prints goes without a mark."""
        self.main = None


class RunStream(io.FileIO):
    """Unbuffered, like the streams of ``python -u``."""

    def __init__(self, descriptor, name, marks):
        super().__init__(descriptor, "w", closefd=False)
        self.name = name
        self._descriptor = descriptor
        self._pipe = _identity(descriptor)
        self._marks = marks

    def write(self, data):
        if self.closed:
            raise ValueError("I/O operation on closed file")
        marks = self._marks
        if RUN.get() == marks.current and get_ident() == marks.main:
            try:
                written = os.write(self._descriptor, data) if type(data) is bytes else 0
            except BlockingIOError:
                written = 0
            return written if written == len(data) else self._write_rest(data, written)
        run = run_of_caller()
        # Descriptors 1 and 2 may lead elsewhere by now, to a file of the cell's, say: no marks there.
        if run is None or _identity(self._descriptor) != self._pipe:
            return self._write_rest(data, 0)
        return self._write_pieces(run, data)

    def _write_rest(self, data, written):
        with memoryview(data).cast("B") as view:
            write_all(self._descriptor, view[written:])
            return len(view)

    def _write_pieces(self, run, data):
        if type(data) is bytes and len(data) <= PIECE_BYTES_MAX:
            write_all(self._descriptor, self._marks.piece(run, len(data)) + data)
            return len(data)
        with memoryview(data).cast("B") as view:
            for start in range(0, len(view), PIECE_BYTES_MAX):
                piece = bytes(view[start : start + PIECE_BYTES_MAX])
                write_all(self._descriptor, self._marks.piece(run, len(piece)) + piece)
            return len(view)


def write_all(descriptor, data):
    """Also after a signal in the middle, and when a program has made the descriptor non-blocking."""
    try:
        written = os.write(descriptor, data)
    except BlockingIOError:
        written = 0
    while written < len(data):
        try:
            written += os.write(descriptor, data[written:])
        except BlockingIOError:
            writable = select.poll()
            writable.register(descriptor, select.POLLOUT)
            writable.poll(RETRY_MS)


def _identity(descriptor):
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
