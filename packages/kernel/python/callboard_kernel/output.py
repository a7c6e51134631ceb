"""Descriptors 1 and 2: FIFOs that the worker reads, with marks where a run begins and ends.

FIFOs, because on the sockets that Node makes for stdio a program cannot open /dev/stdout, and because a reader thread in
this process would wait for ever for the GIL that a blocked C writer holds.
"""
import ctypes
import fcntl
import os
import sys

from .channel import DESCRIPTOR_MIN

NAMES = ("stdout", "stderr", "faults")


class Output:
    def __init__(self, directory):
        self._paths = {name: os.path.join(directory, name) for name in NAMES}
        for path in self._paths.values():
            os.mkfifo(path, 0o600)
        self._private = {}
        self._c = ctypes.CDLL(None)
        self.faults = -1

    def attach(self):
        """The worker has opened its ends. Afterwards nothing on disk names the FIFOs."""
        opened = {name: os.open(path, os.O_WRONLY | os.O_CLOEXEC) for name, path in self._paths.items()}
        for path in self._paths.values():
            os.unlink(path)
        for name, public in (("stdout", 1), ("stderr", 2)):
            os.dup2(opened[name], public)
        for name, descriptor in opened.items():
            self._private[name] = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, DESCRIPTOR_MIN)
            os.close(descriptor)
        self.faults = self._private["faults"]

    def mark(self, mark):
        """Written to descriptors that user code cannot redirect; short enough to be one piece (PIPE_BUF)."""
        for name in ("stdout", "stderr"):
            os.write(self._private[name], mark)

    def flush(self):
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except Exception:  # replaced or closed by the cell: its own affair
                pass
        self._c.fflush(None)
