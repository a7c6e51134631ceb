"""The line to the worker, which owns clock, rules and stored state: this module is a thin client of it."""
from callboard_kernel.bridge import WorkerError

from . import _errors

_KINDS = {kind.__name__: kind for kind in (TypeError, ValueError)}
_KINDS.update({kind.__name__: kind for kind in vars(_errors).values() if isinstance(kind, type)})

_bridge = None
# Of this process: callbacks by rule, see callboard_kernel.rules.
callbacks = None


def connect(bridge, rule_callbacks):
    global _bridge, callbacks
    _bridge, callbacks = bridge, rule_callbacks


def ask(method, _take=None, **params):
    """Blocks the calling thread until the worker answers. `_take(answer)` runs before anything else the worker says is heard."""
    bridge = _connected()
    try:
        return bridge.request(method, _present(params), _take)
    except WorkerError as error:
        raised = _exception(error)
    # Outside the handler, so that no context of this harness is chained to it.
    raise raised


async def ask_async(method, **params):
    """Waits in a task; cancelling it withdraws the question."""
    bridge = _connected()
    try:
        return await bridge.request_async(method, _present(params))
    except WorkerError as error:
        raised = _exception(error)
    raise raised


def _connected():
    if _bridge is None:
        raise _errors.UnavailableError("This Python is no kernel of a worker, so there is nobody to ask.")
    return _bridge


def _present(params):
    return {name: value for name, value in params.items() if value is not None}


def _exception(error):
    return _KINDS.get(error.kind, _errors.VibeError)(str(error))
