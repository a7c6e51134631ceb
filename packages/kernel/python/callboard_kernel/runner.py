"""Runs cells on the main thread, and the event loop between them."""
import asyncio
import contextvars
import queue
import sys
import traceback

# Taken now: cells replace functions of modules, e.g. by a clock that stands still.
from os import getpid
from time import monotonic

from . import modules
from .attribution import enter, run_of_caller
from .cell import Cell, is_awaitable
from .display import Display
from .failure import format_failure
from .figures import Figures
from .namespace import Namespace
from .results import Results
from .static import class_name

CANCEL_GRACE_S = 1.0
TASK_CONTEXT = sys.version_info >= (3, 11)


class Runner:
    def __init__(self, channel, output, interrupts, memory_limit):
        self._channel = channel
        self._output = output
        self._interrupts = interrupts
        self._memory_limit = memory_limit
        self.namespace = Namespace()
        self.display = Display(channel.send, run_of_caller)
        self._figures = Figures(self.display)
        self._results = None
        self._context = contextvars.copy_context()
        self._inbox = queue.SimpleQueue()
        self._idle = False
        self._process = getpid()
        self._modules = frozenset(sys.modules)
        self.loop = self._new_loop()
        self.task = None
        self.running = None
        # Main thread: after each cell, and when a reset clears the names.
        self.on_cell_end = lambda: None
        self.on_reset = lambda: None

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

    def install_display(self):
        """For cells: `display`, and matplotlib's figures where that is imported."""
        self.display.install()
        self._figures.watch()

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
        run, started = message["run"], monotonic()
        self.running = run
        self._interrupts.install()
        self._interrupts.begin(run)
        enter(run)
        self._context.run(enter, run)
        self._output.begin(run)
        self._channel.send({"type": "started", "run": run})
        self.namespace.begin(run)
        self._figures.begin()
        self._results = Results(message["resultMode"], self.display, self._figures)
        outcome = self._guarded(run, message["code"])
        self._leave_if_forked(outcome)
        self._interrupts.end()
        self.running = None
        finished = dict(outcome, type="finished", run=run, durationS=monotonic() - started)
        finished["result"], finished["resultOmitted"] = self._results.text, self._results.omitted
        finished["names"] = self.namespace.end()
        self._output.end(run)
        self._channel.send(finished)
        self.on_cell_end()

    def _guarded(self, run, source):
        """A KeyboardInterrupt can surface after the last instruction of the cell: then the outcome that stands is kept."""
        outcome = None
        try:
            try:
                self._interrupts.open()
                outcome = self._outcome(run, source)
                # Within reach of an interrupt, whose later steps also end a drawing that does not: figures survive the first.
                if getpid() == self._process:
                    self._figures.flush()
            finally:
                self._interrupts.close()
        except KeyboardInterrupt:
            self._interrupts.close()
        except BaseException as failure:  # at the memory limit even a report can fail
            outcome = outcome or failed("error", class_name(type(failure)), 0)
        return outcome or self._stopped(run, "KeyboardInterrupt", 0)

    def _outcome(self, run, source):
        try:
            self._run_cell(Cell(run, source, every=self._results.every))
        except SystemExit as exit_:
            if is_success(exit_):
                return DONE
            return failed("error", *format_failure(exit_))
        except (KeyboardInterrupt, asyncio.CancelledError) as stop:
            text, omitted = format_failure(stop)
            if isinstance(stop, asyncio.CancelledError) and self._interrupts.was_announced(run):
                text = text.rpartition("\n")[0] + "\nKeyboardInterrupt"
            return self._stopped(run, text.lstrip("\n"), omitted)
        except BaseException as exception:
            return failed("error", *format_failure(exception, self._memory_limit))
        return DONE

    def _stopped(self, run, text, omitted):
        return failed("interrupted" if self._interrupts.was_announced(run) else "error", text, omitted)

    def _run_cell(self, cell):
        asyncio.set_event_loop(self._ensure_loop())
        take = self._results.add
        if any(is_awaitable(code) for code, _ in cell.parts):
            value = self._run_task(self._await_parts(cell.parts))
            if cell.parts[-1][1]:
                self._context.run(take, value)
            return
        # Outside the running loop, so that `asyncio.run` works. One context: a repr sees what the cell has set.
        for code, is_value in cell.parts:
            value = self._context.run(eval, code, self.namespace.names)
            if is_value:
                self._context.run(take, value)

    async def _await_parts(self, parts):
        """One task for the whole cell: what comes before the first await may already create tasks. Gives the last value."""
        value = None
        try:
            for index, (code, is_value) in enumerate(parts):
                value = eval(code, self.namespace.names)
                if is_awaitable(code):
                    value = await value
                if is_value and index < len(parts) - 1:
                    self._results.add(value)
            return value
        finally:
            # An older Python gives every task a copy, so what the cell has set would be lost; not when only collected.
            if not TASK_CONTEXT and sys.exc_info()[0] is not GeneratorExit:
                self._context = contextvars.copy_context()

    def _run_task(self, coroutine):
        if TASK_CONTEXT:
            self.task = self.loop.create_task(coroutine, context=self._context)
        else:
            self.task = self._context.run(self.loop.create_task, coroutine)
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
        if getpid() == self._process:
            return
        if outcome["error"]:
            sys.stderr.write(outcome["error"] + "\n")
        self._output.flush_and_leave(0 if outcome["error"] is None else 1)

    def _reset(self, level):
        self.on_reset()
        for task in asyncio.all_tasks(self._ensure_loop()):
            task.cancel()
        self.loop.call_soon(self.loop.stop)
        self._run_loop()
        kept = modules.drop_since(self._modules) if level == "modules" else []
        self._channel.send({"type": "cleared", "names": self.namespace.clear(), "kept": kept})

    def _ensure_loop(self):
        if self.loop.is_closed():
            self.loop = self._new_loop()
        return self.loop

    def _new_loop(self):
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        return loop


DONE = {"outcome": "ok", "error": None, "errorOmitted": 0}


def failed(outcome, error, omitted):
    return {"outcome": outcome, "error": error, "errorOmitted": omitted}


def is_success(exit_):
    """Read where the interpreter keeps it: a cell's own subclass, or its own class of code, must not run anything here."""
    code = SystemExit.__dict__["code"].__get__(exit_)
    return code is None or (type(code) in (int, bool) and code == 0)
