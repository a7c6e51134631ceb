"""Framed JSON over the private control socket: four bytes of length, big-endian, then UTF-8 JSON."""
import contextlib
import fcntl
import json
import os
import socket
import struct
import threading

# Taken now: cells replace functions of modules, e.g. by a faster json or a clock that stands still.
_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
_decode = json.JSONDecoder().decode
_pack, _unpack = struct.pack, struct.unpack

# Out of the way of programs that close or reuse the low descriptors.
DESCRIPTOR_MIN = 200
FRAME_BYTES_MAX = 16 * 1024 * 1024


class Reentered(RuntimeError):
    """A finalizer, run in the middle of a send, wants to send itself."""


class Channel:
    """One sender at a time by a lock; one reader, the control thread.

    `shield` is entered around each send: an interrupt must not tear a frame.
    """

    def __init__(self, descriptor):
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, DESCRIPTOR_MIN)
        os.close(descriptor)
        self._socket = socket.socket(fileno=high)
        self._socket.setblocking(True)
        # One that knows its owner: a finalizer or signal handler may run while this thread holds it.
        self.lock = threading.RLock()
        self._open = True
        self.shield = contextlib.nullcontext()

    @property
    def open(self):
        return self._open

    def send(self, message):
        # ASCII escapes carry lone surrogates, which UTF-8 cannot.
        body = _encode(message).encode("ascii")
        if len(body) > FRAME_BYTES_MAX:  # the worker would take the whole connection for damaged
            raise ValueError("a message to the worker has %d bytes, and may have %d" % (len(body), FRAME_BYTES_MAX))
        frame = _pack(">I", len(body)) + body
        if self.lock._is_owned():
            raise Reentered("a finalizer cannot speak to the worker while its thread does")
        with self.shield, self.lock:
            if self._open:
                self._socket.sendall(frame)

    def receive(self):
        """The next message; None at the end of the connection."""
        head = self._read_exactly(4)
        if head is None:
            return None
        (length,) = _unpack(">I", head)
        if length > FRAME_BYTES_MAX:
            raise ValueError("control frame of %d bytes" % length)
        body = self._read_exactly(length)
        return None if body is None else _decode(body.decode("utf-8"))

    def drop_after_fork(self):
        """A forked child must neither speak for the kernel nor keep its connection open."""
        self.lock = threading.RLock()
        self._open = False
        os.close(self._socket.detach())

    def _read_exactly(self, count):
        chunks = []
        while count > 0:
            chunk = self._socket.recv(min(count, 1 << 16))
            if not chunk:
                return None
            chunks.append(chunk)
            count -= len(chunk)
        return b"".join(chunks)
