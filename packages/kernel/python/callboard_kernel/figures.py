"""matplotlib's open figures as PNG, at each ``plt.show()`` and after each run. Never imports matplotlib: it may be absent, and is slow."""
import base64
import functools
import io
import math
import sys
import types
import warnings

from .failure import reason_of
from .static import among, mro

PNG_BYTES_MAX = 1000 * 1000
PIXELS_MAX = 8 * 1000 * 1000
SIDE_PIXELS_MAX = 8000
DPI_MIN = 10
# Each attempt halves the bytes at least; after these the figure goes as it is.
ATTEMPTS_MAX = 5
PYPLOT = "matplotlib.pyplot"
SHOWN_REMEMBERED_MAX = 200


class Figures:
    def __init__(self, display):
        self._display = display
        self._shown = {}
        display.show_differently(self.is_figure, self.show)

    def begin(self):
        self._shown.clear()

    def flush(self):
        """Shows and closes every open figure. What drawing raises is told and keeps no other from being shown."""
        pyplot = _loaded(PYPLOT)
        if pyplot is None:
            return
        try:
            for number, figure in _open_figures():
                try:
                    self._draw(figure, "figure %s" % number, self._shown.pop(id(figure), None))
                finally:
                    pyplot.close(figure)
        except KeyboardInterrupt:
            _close_all(pyplot)
            self._display.note("<interrupted: figures that were open are not shown>")
        except BaseException as exception:  # half imported, or replaced by the cell
            self._display.note("<open figures could not be shown: %s>" % reason_of(exception))

    def show(self, figure):
        """As a value, or by `display`: the end of the run shows it again only if it has changed."""
        digest = self._draw(figure, "figure", None)
        if len(self._shown) < SHOWN_REMEMBERED_MAX:
            self._shown[id(figure)] = digest

    def _draw(self, figure, title, known):
        """Returns what the picture is recognised by; nothing is sent if that is ``known``."""
        try:
            png = draw(figure)
        except KeyboardInterrupt:
            raise
        except BaseException as exception:
            self._display.note("<%s could not be drawn: %s>" % (title, reason_of(exception)))
            return None
        digest = (len(png), hash(png))
        if digest != known:
            self._display.publish({"image/png": base64.b64encode(png).decode("ascii")})
        return digest

    def is_figure(self, value):
        figure = getattr(_loaded("matplotlib.figure"), "Figure", None)
        return figure is not None and among(figure, mro(type(value)))

    def is_open(self, figure):
        """It will be shown at the end of the run anyway."""
        try:
            return any(other is figure for _, other in _open_figures())
        except Exception:
            return False

    def watch(self):
        """Lets ``plt.show()`` show at once, as in a notebook: code that draws, shows and draws again means two pictures."""
        warnings.filterwarnings("ignore", r"(FigureCanvasAgg is non-interactive|Matplotlib is currently using agg)", UserWarning)
        sys.meta_path.insert(0, _PyplotFinder(self._replace_show))

    def _replace_show(self, pyplot):
        original = pyplot.show

        @functools.wraps(original)
        def show(*args, **kwargs):
            if pyplot.get_backend().lower() != "agg":
                return original(*args, **kwargs)
            # `plt.pause` asks for it at each step: such a figure is still being drawn.
            if (args[:1] or (kwargs.get("block"),))[0] is not False:
                self.flush()

        pyplot.show = show


def draw(figure):
    """PNG of at most PNG_BYTES_MAX if a lower resolution can reach that."""
    width, height = (float(inches) for inches in figure.get_size_inches())
    dpi = min(
        float(figure.dpi),
        math.sqrt(PIXELS_MAX / max(width * height, 1e-6)),
        SIDE_PIXELS_MAX / max(width, height, 1e-6),
    )
    for _ in range(ATTEMPTS_MAX):
        png = _save(figure, dpi)
        if len(png) <= PNG_BYTES_MAX or dpi <= DPI_MIN:
            break
        dpi = max(DPI_MIN, dpi * min(0.7, 0.95 * math.sqrt(PNG_BYTES_MAX / len(png))))
    return png


def _save(figure, dpi):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def _open_figures():
    """Asked by ``plt.figure`` they would become the current one."""
    helpers = _loaded("matplotlib._pylab_helpers")
    managers = [] if helpers is None else helpers.Gcf.get_all_fig_managers()
    return [(manager.num, manager.canvas.figure) for manager in managers]


def _loaded(name):
    found = sys.modules.get(name)
    return found if type(found) is types.ModuleType else None


def _close_all(pyplot):
    try:
        pyplot.close("all")
    except BaseException:  # a handler of the cell, or the next interrupt
        pass


class _PyplotFinder:
    """Finds nothing by itself; ``hook(module)`` is called once pyplot was imported."""

    def __init__(self, hook):
        self._hook = hook

    def find_spec(self, name, path, target=None):
        if name != PYPLOT:
            return None
        others = [finder.find_spec for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        spec = next(filter(None, (find(name, path, target) for find in others)), None)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _after(spec.loader.exec_module, self._hook)
        return spec


def _after(exec_module, hook):
    def run(module):
        exec_module(module)
        try:
            hook(module)
        except Exception:  # another pyplot than the ones we know: figures are still shown after the run
            pass

    return run
