"""Descriptors 1 and 2: FIFOs that the worker reads, with marks where a run begins and ends.

FIFOs, because on the sockets that Node makes for stdio a program cannot open /dev/stdout, and because a reader thread in
this process would wait for ever for the GIL that a blocked C writer holds.
"""
import ctypes
import fcntl
import io
import os
import sys

from .channel import DESCRIPTOR_MIN
from .run_stream import Marks, RunStream, write_all

NAMES = ("stdout", "stderr", "faults")
PUBLIC = (("stdout", 1), ("stderr", 2))


class Output:
    def __init__(self, directory, token):
        self._paths = {name: os.path.join(directory, name) for name in NAMES}
        for path in self._paths.values():
            os.mkfifo(path, 0o600)
        self._private = {}
        self._streams = {}
        self._marks = Marks(token)
        self._c = ctypes.CDLL(None)
        self.faults = -1

    def attach(self):
        """The worker has opened its ends. Afterwards nothing on disk names the FIFOs."""
        opened = {name: os.open(path, os.O_WRONLY | os.O_CLOEXEC) for name, path in self._paths.items()}
        for path in self._paths.values():
            os.unlink(path)
        for name, public in PUBLIC:
            os.dup2(opened[name], public)
        for name, descriptor in opened.items():
            self._private[name] = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, DESCRIPTOR_MIN)
            os.close(descriptor)
        self.faults = self._private["faults"]
        for name, public in PUBLIC:
            self._streams[name] = self._open(name, public)
            setattr(sys, name, self._streams[name])
            setattr(sys, "__%s__" % name, self._streams[name])

    def begin(self, run):
        self._repair()
        self._mark(self._marks.begin(run))

    def end(self, run):
        """What the run has written is out; what its threads and tasks write from here on is still known to be theirs."""
        self._flush()
        self._repair()
        self._mark(self._marks.end(run))

    def flush_and_leave(self, status):
        """For a forked child that has come to the end of its cell."""
        self._flush()
        os._exit(status)

    def after_fork(self):
        self._marks.after_fork()

    def _mark(self, mark):
        """Written to descriptors that user code cannot redirect; short enough to be one piece (PIPE_BUF)."""
        for name, _ in PUBLIC:
            write_all(self._private[name], mark)

    def _flush(self):
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except Exception:  # replaced or closed by the cell: its own affair
                pass
        self._c.fflush(None)

    def _repair(self):
        """A stream that is replaced stays so, but one that was closed would make every later cell fail at its first print."""
        for name, public in PUBLIC:
            try:
                os.fstat(public)
            except OSError:
                os.dup2(self._private[name], public)
            dead = self._streams[name]
            if _is_open(dead):
                continue
            self._streams[name] = self._open(name, public)
            for holder in (name, "__%s__" % name):
                if getattr(sys, holder, None) is dead:
                    setattr(sys, holder, self._streams[name])

    def _open(self, name, public):
        raw = RunStream(public, "<%s>" % name, self._marks)
        errors = "backslashreplace" if name == "stderr" else "surrogateescape"
        text = io.TextIOWrapper(raw, encoding="utf-8", errors=errors, newline="\n", write_through=True)
        text.mode = "w"
        return text


def _is_open(stream):
    try:
        return not stream.closed
    except ValueError:  # detached
        return False
