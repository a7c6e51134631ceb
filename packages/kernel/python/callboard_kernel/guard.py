"""Nothing outlives the worker: a guardian process, a death signal, and limits that are set before user code."""
import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def close_inherited(highest_kept):
    """Descriptors that whoever started the worker left open are no business of a cell."""
    for name in os.listdir("/proc/self/fd" if sys.platform.startswith("linux") else "/dev/fd"):
        if int(name) > highest_kept:
            try:
                os.close(int(name))
            except OSError:  # the one that listed
                pass


def start_guardian(lifeline, tidy=None):
    """Leaves a process behind that waits for the worker's end of the lifeline to close, then kills the whole group.

    It also covers what a thread here cannot: C code that holds the GIL, programs started by cells, systems without
    PR_SET_PDEATHSIG. Forked twice, so that it is no child of the kernel and `os.wait()` in a cell never meets it.
    `tidy` is called before the end, for what the worker can no longer remove.
    """
    child = os.fork()
    if child:
        os.close(lifeline)
        os.waitpid(child, 0)
        return
    if os.fork():
        os._exit(0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    os.dup2(lifeline, 0)
    os.closerange(1, 64)
    try:
        while os.read(0, 1):
            pass
    except OSError:
        pass
    try:
        if tidy:
            tidy()
    finally:
        os.killpg(0, signal.SIGKILL)


def die_with_parent(parent):
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def set_limits(limits):
    """Soft and hard alike, so that a cell cannot raise them. A limit that this system refuses is reported, not fatal."""
    refused = []
    for name, number in (
        ("memoryBytes", resource.RLIMIT_AS),
        ("openFiles", resource.RLIMIT_NOFILE),
        ("fileBytes", resource.RLIMIT_FSIZE),
        ("coreBytes", resource.RLIMIT_CORE),
        ("tasks", resource.RLIMIT_NPROC),
    ):
        value = limits.get(name)
        if value is None:
            continue
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(number, (value, value))
        except (ValueError, OSError):
            refused.append(name)
    try:
        os.nice(limits.get("niceness") or 0)
    except OSError:
        refused.append("niceness")
    return refused
