"""Joins the module `vibeweaver` to this kernel: its line to the worker, its callbacks, its names in cells."""
import vibeweaver
from vibeweaver import _worker

from .rules import Callbacks, Rules


def join(bridge, runner, run_of_caller, enter_run=lambda run: None):
    """`run_of_caller()` is the run that the calling thread or task belongs to; after `enter_run(run)` it belongs to that one.

    A callback, and so what it prints, belongs to the run that registered it.
    """
    callbacks = Callbacks(run_of_caller)
    rules = Rules(bridge, callbacks, runner.namespace.names, lambda: runner.running is not None, enter_run)
    runner.on_cell_end, runner.on_reset = rules.cell_ended, rules.clear
    _worker.connect(bridge, callbacks)
    offered = {name: getattr(vibeweaver, name) for name in vibeweaver.__all__}
    runner.namespace.offer(dict(offered, vibeweaver=vibeweaver))
