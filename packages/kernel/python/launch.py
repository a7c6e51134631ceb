"""Starts a program that is not this package's as a kernel, with the same guard: ``launch.py program argument...``

Descriptor 3 is a socket to the worker, descriptor 4 the lifeline that the guardian watches. The worker sends one line of
JSON: ``parent`` (what ``getppid()`` says while all is well), ``limits``, ``directory``, ``tidy`` (whether the guardian can
remove the directory: in a sandbox it is a mount). This process makes the FIFOs ``stdout`` and ``stderr`` in there, answers with one line of JSON, waits for another line (both FIFOs have a reader
then) and becomes the program.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from callboard_kernel.guard import close_inherited, die_with_parent, set_limits, start_guardian

CONTROL, LIFELINE = 3, 4
EXIT_NOT_FOUND = 127


def main():
    command = sys.argv[1:]
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    close_inherited(LIFELINE)
    os.set_inheritable(CONTROL, False)
    options = json.loads(read_line() or os._exit(0))
    start_guardian(LIFELINE, (lambda: remove(options["directory"])) if options["tidy"] else None)
    die_with_parent(options["parent"])
    paths = [os.path.join(options["directory"], name) for name in ("stdout", "stderr")]
    for path in paths:
        os.mkfifo(path, 0o600)
    hello = {"pid": os.getpid(), "limitsRefused": set_limits(options["limits"])}
    os.write(CONTROL, json.dumps(hello).encode("ascii") + b"\n")
    if not read_line():
        os._exit(0)
    for number, path in enumerate(paths, 1):
        descriptor = os.open(path, os.O_WRONLY)
        os.dup2(descriptor, number)
        os.close(descriptor)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, ("%s: %s\n" % (command[0], error.strerror)).encode("utf-8", "replace"))
        os._exit(EXIT_NOT_FOUND)


def read_line():
    """Empty at the end of the connection. Nothing follows a line before it is answered."""
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(CONTROL, 65536)
        if not piece:
            return b""
        line += piece
    return line


def remove(directory):
    """Flat: holds FIFOs, sockets and perhaps the connection file. The worker may be ahead."""
    try:
        for name in os.listdir(directory):
            os.unlink(os.path.join(directory, name))
        os.rmdir(directory)
    except OSError:
        pass


main()
