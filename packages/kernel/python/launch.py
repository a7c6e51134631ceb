"""Starts a program that is not this package's as a kernel, with the same guard: ``launch.py OPTIONS program argument...``

OPTIONS is JSON: ``parent`` (process id, or null where a sandbox stands between), ``limits``, ``directory``. Descriptor 3 is
a socket to the worker, descriptor 4 the lifeline that the guardian watches. This process makes the FIFOs ``stdout`` and
``stderr`` in the directory, sends one line of JSON, waits for one byte (both FIFOs have a reader then) and becomes the
program.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from callboard_kernel.guard import close_inherited, die_with_parent, set_limits, start_guardian

CONTROL, LIFELINE = 3, 4
EXIT_NOT_FOUND = 127


def main():
    options = json.loads(sys.argv[1])
    command = sys.argv[2:]
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    close_inherited(LIFELINE)
    start_guardian(LIFELINE, lambda: remove(options["directory"]))
    os.set_inheritable(CONTROL, False)
    die_with_parent(os.getppid() if options["parent"] is None else options["parent"])
    paths = [os.path.join(options["directory"], name) for name in ("stdout", "stderr")]
    for path in paths:
        os.mkfifo(path, 0o600)
    refused = set_limits(options["limits"])
    os.write(CONTROL, json.dumps({"limitsRefused": refused}).encode("ascii") + b"\n")
    if not os.read(CONTROL, 1):
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


def remove(directory):
    """Flat: holds FIFOs, sockets and perhaps the connection file. The worker may be ahead."""
    try:
        for name in os.listdir(directory):
            os.unlink(os.path.join(directory, name))
        os.rmdir(directory)
    except OSError:
        pass


main()
