"""Questions and orders beside cells: the worker asks a side thread here, code in the kernel asks the worker."""
import asyncio
import itertools
import queue
import threading

REPLY_LOST = "The worker has gone."


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
        self._ids = itertools.count(1)
        self._waiting = {}
        self._asked = queue.SimpleQueue()
        self._answerers = {}
        self._orders = {}
        # Made now: at the memory limit no thread can be started any more.
        threading.Thread(target=self._answer, name="callboard-side", daemon=True).start()

    def answer(self, method, function):
        """``function(params)`` answers the worker's questions of this name, on the side thread. ValueError: a sentence for the agent."""
        self._answerers[method] = function

    def obey(self, method, function):
        """``function(params)`` takes the worker's orders of this name, on the side thread."""
        self._orders[method] = function

    def notify(self, method, params):
        self._channel.send({"type": "notice", "method": method, "params": params})

    def request(self, method, params):
        """Blocks the calling thread, interruptibly. Raises a WorkerError."""
        replied = threading.Event()
        box = []
        number = self._begin(method, params, lambda reply: (box.append(reply), replied.set()))
        try:
            replied.wait()
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

        number = self._begin(method, params, lambda reply: _call_soon(loop, settle, reply))
        try:
            reply = await future
        finally:
            self._end(number, future.done() and not future.cancelled())
        return _value(reply)

    # Control thread --------------------------------------------------------------------------------------------------

    def receive(self, message):
        if message["type"] == "reply":
            settle = self._waiting.pop(message["id"], None)
            if settle is not None:
                settle(message)
        else:
            self._asked.put(message)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _begin(self, method, params, settle):
        number = next(self._ids)
        self._waiting[number] = settle
        self._channel.send(
            {"type": "request", "id": number, "run": self._run_of_caller(), "method": method, "params": params}
        )
        return number

    def _end(self, number, replied):
        self._waiting.pop(number, None)
        if not replied:
            self._channel.send({"type": "withdraw", "id": number})

    def _answer(self):
        while True:
            message = self._asked.get()
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
                self._channel.send({"type": "answer", "id": message["id"], "value": value, "error": error})


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
