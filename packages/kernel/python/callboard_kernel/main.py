"""Start of a kernel: guard, greet, attach the output, then serve. The order matters; see each step."""
import faulthandler
import os
import signal
import sys
import threading

from .channel import Channel
from .guard import close_inherited, die_with_parent, set_limits, start_guardian

CONTROL, LIFELINE = 3, 4


def main():
    if os.getpgrp() != os.getpid():
        # The worker makes the group; whatever ends with this kernel must never be the worker's own.
        os.setpgid(0, 0)
    close_inherited(LIFELINE)
    # First, while this process is small and has one thread: forking later would copy both.
    start_guardian(LIFELINE)
    channel = Channel(CONTROL)
    start = channel.receive()
    if start is None:
        os._exit(0)
    die_with_parent(start["parent"])

    from . import attribution
    from .bridge import Bridge
    from .introspect import Introspection
    from .interrupts import Interrupts
    from .module import join
    from .output import Output
    from .runner import Runner

    # From here on imports go by the kernel's working directory, as in an interactive Python, not by the harness's folder.
    sys.path[0] = ""

    output = Output(start["directory"], start["outputToken"])
    channel.send({"type": "hello", "pid": os.getpid(), "python": "%d.%d.%d" % sys.version_info[:3]})
    if channel.receive() is None:
        os._exit(0)
    output.attach()
    faulthandler.enable(output.faults)
    faulthandler.register(signal.SIGUSR1, output.faults, all_threads=True)
    refused = set_limits(start["limits"])
    sys.argv = [""]
    interrupts = Interrupts()
    interrupts.install()
    memory_limit = None if "memoryBytes" in refused else start["limits"].get("memoryBytes")
    runner = Runner(channel, output, interrupts, memory_limit)
    bridge = Bridge(channel, attribution.run_of_caller)
    bridge.answer("ping", lambda params: None)
    bridge.answer("setup_of", setup_of)
    Introspection(runner.namespace).register(bridge)
    runner.install_display()
    channel.shield = interrupts
    join(bridge, runner, attribution.run_of_caller, attribution.enter)
    os.register_at_fork(after_in_child=lambda: after_fork(channel, output))
    threading.Thread(target=control, args=(channel, runner, interrupts, bridge), name="callboard-control", daemon=True).start()
    # Last: the harness's own threads belong to no run.
    attribution.install()
    channel.send({"type": "ready", "limitsRefused": refused})
    runner.serve()


def setup_of(params):
    # Rarely wanted: not worth the time at every start.
    from .replay import setup_of

    return setup_of(params["code"])


def control(channel, runner, interrupts, bridge):
    """Reads while cells run. The end of the connection is the end of the worker: nothing here may outlive it."""
    try:
        while True:
            message = channel.receive()
            if message is None:
                break
            try:
                handle(message, channel, runner, interrupts, bridge)
            except MemoryError:  # the cell's doing; the worker goes on to harder means by itself
                pass
    finally:
        os.killpg(0, signal.SIGKILL)


def handle(message, channel, runner, interrupts, bridge):
    if message["type"] == "interrupt":
        how = interrupts.announce(message["run"], runner.loop, runner.task)
        channel.send({"type": "interrupting", "run": message["run"], "how": how})
    elif message["type"] in ("ask", "tell", "reply"):
        bridge.receive(message)
    else:
        if message["type"] == "execute":
            interrupts.expect(message["run"])
        runner.submit(message)


def after_fork(channel, output):
    channel.drop_after_fork()
    output.after_fork()
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    except ValueError:  # not the main thread of the child
        pass
