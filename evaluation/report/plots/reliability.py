"""Reliability diagrams: what was forecast against what came true."""

from typing import TYPE_CHECKING

from .canvas import DASHES, MARKERS, MUTED, draw, legend_above, percent_axis, series, short
from .estimate import Bin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def reliability_plot(groups: dict[str, list[Bin]], *, name: str, forecast: str) -> str:
    """Return the drawing, one curve a group (a language); `forecast` names the x axis.

    The area of a mark grows with the cases in its bin; on the diagonal a forecast is honest.
    """
    most = max((b.n for bins in groups.values() for b in bins), default=1)

    def paint(_: "Figure", panels: list["Axes"]) -> None:
        axes = panels[0]
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1.2, linestyle=(0, (2, 3)))
        for index, (label, bins) in enumerate(groups.items()):
            _group(axes, label, bins, index, most)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_aspect("equal")
        axes.set_xlabel(forecast)
        axes.set_ylabel("share that came true")
        percent_axis(axes)
        percent_axis(axes, "x")
        legend_above(axes)

    return draw(paint, name=name, width=5.2, height=5.2)


def _group(axes: "Axes", label: str, bins: list[Bin], index: int, most: int) -> None:
    xs, ys = [b.forecast for b in bins], [b.observed for b in bins]
    marker = MARKERS[index % len(MARKERS)]
    axes.plot(xs, ys, color=series(index), linestyle=DASHES[index % len(DASHES)], linewidth=1.6)
    sizes = [18 + 110 * b.n / most for b in bins]
    axes.scatter(xs, ys, s=sizes, color=series(index), marker=marker, zorder=3, label=short(label))
