"""Questions and orders beside cells: the worker asks a side thread here, code in the kernel asks the worker."""
import asyncio
import itertools
import queue
import threading
from time import monotonic

from .channel import Reentered
from .failure import reason_of

# A wait on a lock is deaf to exceptions that another thread raises here; between two waits they are heard.
HEAR_EXCEPTIONS_S = 1.0


class WorkerError(Exception):
    """What the worker answered instead of a value; ``kind`` names the exception that the module raises for it."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Bridge:
    """``run_of_caller`` names the run that the calling thread belongs to, or None."""

    def __init__(self, channel, run_of_caller=lambda: None):
        self._channel = channel
        self._run_of_caller = run_of_caller
        # The firing of a rule that the calling thread performs, or None.
        self.firing_of_caller = lambda: None
        self._ids = itertools.count(1)
        self._waiting = {}
        self._asked = queue.SimpleQueue()
        self._answerers = {}
        self._orders = {}
        self._control = None
        # By the monotonic clock, when the order came that the side thread obeys just now.
        self.received_at = 0.0
        # Made now: at the memory limit no thread can be started any more.
        threading.Thread(target=self._answer, name="callboard-side", daemon=True).start()

    def answer(self, method, function):
        """``function(params)`` answers the worker's questions of this name, on the side thread. ValueError: a sentence for the agent."""
        self._answerers[method] = function

    def obey(self, method, function):
        """``function(params)`` takes the worker's orders of this name, on the side thread."""
        self._orders[method] = function

    @property
    def send_lock(self):
        return self._channel.lock

    def notify(self, method, params):
        self._channel.send({"type": "notice", "method": method, "params": params})

    def request(self, method, params, take=None):
        """Blocks the calling thread, interruptibly. Raises a WorkerError.

        `take(value)` is called on the control thread, before anything that the worker says later is heard.
        """
        # A bare lock: an exception at any instruction of this thread must not leave the control thread waiting for it.
        waiting = threading.Lock()
        waiting.acquire()
        box = []

        def settle(reply):
            try:
                if take is not None and reply.get("error") is None:
                    take(reply["value"])
            finally:
                box.append(reply)
                waiting.release()

        if threading.get_ident() == self._control:
            raise WorkerError("UnavailableError", "A finalizer ran on a thread of the harness, which cannot wait.")
        number = next(self._ids)
        try:
            self._begin(number, method, params, settle)
            while not waiting.acquire(timeout=HEAR_EXCEPTIONS_S):
                pass
        finally:
            self._end(number, bool(box))
        return _value(box[0])

    async def request_async(self, method, params):
        """As ``request``, for a task. Cancelling it withdraws the question."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def settle(reply):
            if not future.done():
                future.set_result(reply)

        number = next(self._ids)
        try:
            self._begin(number, method, params, lambda reply: _call_soon(loop, settle, reply))
            reply = await future
        finally:
            self._end(number, future.done() and not future.cancelled())
        return _value(reply)

    # Control thread --------------------------------------------------------------------------------------------------

    def receive(self, message):
        self._control = threading.get_ident()
        if message["type"] == "reply":
            settle = self._waiting.pop(message["id"], None)
            if settle is not None:
                settle(message)
        else:
            self._asked.put((message, monotonic()))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _begin(self, number, method, params, settle):
        if not self._channel.open:
            raise WorkerError("UnavailableError", "A forked child has no line to the worker; only the kernel itself has.")
        self._waiting[number] = settle
        try:
            asker = {"run": self._run_of_caller(), "firing": self.firing_of_caller()}
            self._channel.send(dict(asker, type="request", id=number, method=method, params=params))
        except Reentered as error:
            del self._waiting[number]
            raise WorkerError("UnavailableError", "Not possible just here: %s." % error) from None

    def _end(self, number, replied):
        if self._waiting.pop(number, None) is not None and not replied:
            self._channel.send({"type": "withdraw", "id": number})

    def _answer(self):
        while True:
            message, self.received_at = self._asked.get()
            try:
                if message["type"] == "tell":
                    self._orders[message["method"]](message["params"])
                    continue
                value, error = self._answerers[message["method"]](message["params"]), None
            except ValueError as failure:
                value, error = None, str(failure)
            except BaseException as failure:  # nothing may end this thread
                value, error = None, "%s: %s" % (type(failure).__name__, failure)
            if message["type"] == "ask":
                self._send_answer(message["id"], value, error)

    def _send_answer(self, number, value, error):
        try:
            self._channel.send({"type": "answer", "id": number, "value": value, "error": error})
        except BaseException as failure:  # too large a value, say
            self._channel.send({"type": "answer", "id": number, "value": None, "error": reason_of(failure)})


def _call_soon(loop, function, argument):
    try:
        loop.call_soon_threadsafe(function, argument)
    except RuntimeError:  # closed by a cell
        pass


def _value(reply):
    error = reply.get("error")
    if error is not None:
        raise WorkerError(error["kind"], error["message"])
    return reply.get("value")
