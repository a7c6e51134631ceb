"""Stops one announced run and no other.

Each step is tried from a side thread: cancel the awaiting task if the loop answers, else SIGINT to the main thread, which
(unlike `_thread.interrupt_main`) also wakes a blocked sleep or lock. The worker takes the later steps: SIGINT to the
process group, then SIGKILL.
"""
import queue
import signal
import threading

LOOP_ANSWER_S = 0.1
CANCEL_PATIENCE_S = 2.0
SIGNAL_AGAIN_S = 0.25


class Interrupts:
    def __init__(self):
        self._main = threading.main_thread().ident
        self._announced = None
        self._delivered = False
        self._expected = None
        self._current = None
        self._open = False
        self._shielded = 0
        self._pending = False
        self._ended = threading.Event()
        self._insistences = queue.SimpleQueue()
        # Made now: at the memory limit no thread can be started any more.
        threading.Thread(target=self._insist, name="callboard-interrupt", daemon=True).start()

    # Main thread -----------------------------------------------------------------------------------------------------

    def install(self):
        """Before each run: user code and libraries replace handlers."""
        signal.signal(signal.SIGINT, self._on_signal)

    def begin(self, run):
        self._current = run

    def open(self):
        """From here to `close` a KeyboardInterrupt may surface; at once, if the interrupt came before the run began."""
        self._open = True
        if self._announced == self._current:
            self._delivered = True
            raise KeyboardInterrupt

    def close(self):
        self._open = False

    def end(self):
        self._current = None
        self._expected = None
        self._ended.set()

    def was_announced(self, run):
        return self._announced == run

    def __enter__(self):
        """Shields a piece of work that must not be torn, like a frame half sent. Other threads are never interrupted."""
        if threading.get_ident() == self._main:
            self._shielded += 1

    def __exit__(self, *_):
        if threading.get_ident() != self._main:
            return
        self._shielded -= 1
        if self._pending and not self._shielded and self._open:
            self._pending = False
            raise KeyboardInterrupt

    def _on_signal(self, _number, _frame):
        if not self._open or self._current is None or self._announced != self._current:
            return
        self._delivered = True
        if self._shielded:
            self._pending = True
        else:
            raise KeyboardInterrupt

    # Control thread --------------------------------------------------------------------------------------------------

    def expect(self, run):
        """The run was received; an interrupt that follows is meant for it, whether the main thread has begun it or not."""
        self._delivered, self._pending = False, False
        self._ended.clear()
        self._expected = run

    def announce(self, run, loop, task):
        """Returns how the run is being stopped: `cancel`, `signal` or `not_running`."""
        if self._expected != run:
            return "not_running"
        self._announced = run
        cancelled = task is not None and self._cancel(loop, task)
        self._insistences.put((run, CANCEL_PATIENCE_S if cancelled else 0))
        return "cancel" if cancelled else "signal"

    def _cancel(self, loop, task):
        answered = threading.Event()

        def cancel():
            task.cancel()
            answered.set()

        try:
            loop.call_soon_threadsafe(cancel)
        except RuntimeError:  # closed by the cell
            return False
        return answered.wait(LOOP_ANSWER_S)

    def _insist(self):
        """Until the handler has run: `system()` ignores SIGINT while it waits, so one signal may be lost."""
        while True:
            run, patience = self._insistences.get()
            if patience:
                self._ended.wait(patience)
            while self._expected == run and not self._delivered:
                if self._current == run:
                    signal.pthread_kill(self._main, signal.SIGINT)
                self._ended.wait(SIGNAL_AGAIN_S)
