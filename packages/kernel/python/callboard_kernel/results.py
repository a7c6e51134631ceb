"""The values of one cell as its reply has them: bounded reprs, made once, and what they show beside."""
import builtins

from .bounded import RESULT_BYTES_MAX, cut, describe


class Results:
    """``mode``: `last` and `all` describe what they are given, `none` only binds ``_``."""

    def __init__(self, mode, display, figures):
        self.every = mode == "all"
        self._silent = mode == "none"
        self._display = display
        self._figures = figures
        self._room = RESULT_BYTES_MAX
        self.text = None
        self.omitted = 0

    def add(self, value):
        """Runs the value's own code. Of what that raises only KeyboardInterrupt comes out of here."""
        if value is None:
            return
        builtins._ = value
        if self._silent:
            return
        self._append(*describe(value))
        if not self._figures.is_figure(value):
            self._display.show_result(value)
        elif not self._figures.is_open(value):
            self._figures.show(value)

    def _append(self, text, omitted):
        whole = text if self.text is None else "\n" + text
        kept, more = cut(whole, self._room, omitted)
        # An omission leaves no room: what follows it would look as if it were next.
        self._room = 0 if more else self._room - len(kept.encode("utf-8", "surrogatepass"))
        self.text = (self.text or "") + kept
        self.omitted += more
