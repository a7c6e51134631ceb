"""Runs cells on the main thread, and the event loop between them."""
import asyncio
import builtins
import contextvars
import os
import queue
import sys
import time
import traceback

from . import modules
from .bounded import bounded_repr
from .cell import Cell, is_awaitable
from .failure import format_failure
from .namespace import Namespace, difference

CANCEL_GRACE_S = 1.0
TASK_CONTEXT = sys.version_info >= (3, 11)


class Runner:
    def __init__(self, channel, output, interrupts, memory_limit):
        self._channel = channel
        self._output = output
        self._interrupts = interrupts
        self._memory_limit = memory_limit
        self._namespace = Namespace()
        self._context = contextvars.copy_context()
        self._inbox = queue.SimpleQueue()
        self._idle = False
        self._process = os.getpid()
        self._modules = frozenset(sys.modules)
        self.loop = self._new_loop()
        self.task = None
        self.running = None

    # Control thread --------------------------------------------------------------------------------------------------

    def submit(self, message):
        self._inbox.put(message)
        try:
            self.loop.call_soon_threadsafe(self._wake)
        except RuntimeError:  # closed by a cell; the main thread notices before it waits again
            pass

    # Main thread -----------------------------------------------------------------------------------------------------

    def serve(self):
        while True:
            message = self._next()
            if message["type"] == "execute":
                self._execute(message)
            elif message["type"] == "reset":
                self._reset(message["level"])

    def publish(self, data, metadata=None):
        """Shows a MIME bundle (type to text or base64) as part of the running cell."""
        with self._interrupts:
            self._channel.send({"type": "display", "run": self.running, "data": data, "metadata": metadata or {}})

    def _next(self):
        self._idle = True
        try:
            while True:
                try:
                    return self._inbox.get_nowait()
                except queue.Empty:
                    self._run_loop()
        finally:
            self._idle = False

    def _run_loop(self):
        """Background tasks go on; whatever one of them throws must not end the kernel."""
        try:
            self._ensure_loop().run_forever()
        except BaseException:
            traceback.print_exc()

    def _wake(self):
        # A message for the next cell must not stop the loop under a cell that awaits.
        if self._idle:
            self.loop.stop()

    def _execute(self, message):
        run, started = message["run"], time.monotonic()
        self.running = run
        self._interrupts.install()
        self._interrupts.begin(run)
        self._output.mark(message["beginMark"].encode("ascii"))
        self._channel.send({"type": "started", "run": run})
        before = self._namespace.snapshot()
        outcome = self._guarded(run, message["code"])
        self._leave_if_forked(outcome)
        self._interrupts.end()
        self.running = None
        self._output.flush()
        finished = dict(outcome, type="finished", run=run, durationS=time.monotonic() - started)
        finished["names"] = difference(before, self._namespace.snapshot())
        self._output.mark(message["endMark"].encode("ascii"))
        self._channel.send(finished)

    def _guarded(self, run, source):
        """A KeyboardInterrupt can surface after the last instruction of the cell: then the outcome that stands is kept."""
        outcome = None
        try:
            try:
                self._interrupts.open()
                outcome = self._outcome(run, source)
            finally:
                self._interrupts.close()
        except KeyboardInterrupt:
            self._interrupts.close()
        return outcome or self._stopped(run, "KeyboardInterrupt", 0)

    def _outcome(self, run, source):
        try:
            value = self._run_cell(Cell(run, source))
        except SystemExit as exit_:
            if exit_.code is None or exit_.code == 0:
                return done(None, 0)
            return failed("error", *format_failure(exit_))
        except (KeyboardInterrupt, asyncio.CancelledError) as stop:
            text, omitted = format_failure(stop)
            if isinstance(stop, asyncio.CancelledError) and self._interrupts.was_announced(run):
                text = text.rpartition("\n")[0] + "\nKeyboardInterrupt"
            return self._stopped(run, text.lstrip("\n"), omitted)
        except BaseException as exception:
            return failed("error", *format_failure(exception, self._memory_limit))
        if value is None:
            return done(None, 0)
        builtins._ = value
        return done(*self._describe(value))

    def _stopped(self, run, text, omitted):
        return failed("interrupted" if self._interrupts.was_announced(run) else "error", text, omitted)

    def _describe(self, value):
        try:
            return bounded_repr(value)
        except KeyboardInterrupt:
            raise
        except BaseException as exception:
            reason = "".join(traceback.format_exception_only(type(exception), exception)).strip().split("\n")[-1]
            return ("<repr failed: %s>" % reason)[:2000], 0

    def _run_cell(self, cell):
        asyncio.set_event_loop(self._ensure_loop())
        value, parts = None, [code for code in (cell.body, cell.last) if code is not None]
        if any(is_awaitable(code) for code in parts):
            value = self._run_task(self._await_parts(parts))
        else:
            # Outside the running loop, so that `asyncio.run` works.
            for code in parts:
                value = self._context.run(eval, code, self._namespace.names)
        return value if cell.last is not None else None

    async def _await_parts(self, parts):
        """One task for the whole cell: what comes before the first await may already create tasks."""
        value = None
        for code in parts:
            value = eval(code, self._namespace.names)
            if is_awaitable(code):
                value = await value
        return value

    def _run_task(self, coroutine):
        keywords = {"context": self._context} if TASK_CONTEXT else {}
        self.task = self.loop.create_task(coroutine, **keywords)
        try:
            return self.loop.run_until_complete(self.task)
        finally:
            self._abandon(self.task)
            self.task = None

    def _abandon(self, task):
        """A signal leaves the loop but not the task: let the task end, for a bounded time."""
        if task.done():
            if not task.cancelled():
                task.exception()
            return
        task.cancel()
        try:
            self.loop.run_until_complete(asyncio.wait([task], timeout=CANCEL_GRACE_S))
        except RuntimeError:  # the loop was stopped or closed by the cell
            pass

    def _leave_if_forked(self, outcome):
        """`os.fork()` in a cell returns twice; the child ends with its cell and never answers for the kernel."""
        if os.getpid() == self._process:
            return
        if outcome["error"]:
            sys.stderr.write(outcome["error"] + "\n")
        self._output.flush()
        os._exit(0 if outcome["error"] is None else 1)

    def _reset(self, level):
        for task in asyncio.all_tasks(self._ensure_loop()):
            task.cancel()
        self.loop.call_soon(self.loop.stop)
        self._run_loop()
        kept = modules.drop_since(self._modules) if level == "modules" else []
        self._channel.send({"type": "cleared", "names": self._namespace.clear(), "kept": kept})

    def _ensure_loop(self):
        if self.loop.is_closed():
            self.loop = self._new_loop()
        return self.loop

    def _new_loop(self):
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        return loop


def done(result, omitted):
    return {"outcome": "ok", "result": result, "error": None, "resultOmitted": omitted, "errorOmitted": 0}


def failed(outcome, error, omitted):
    return {"outcome": outcome, "result": None, "error": error, "resultOmitted": 0, "errorOmitted": omitted}
