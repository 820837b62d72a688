"""Full support against the token budget, one curve a setting."""

from typing import TYPE_CHECKING

from .canvas import DASHES, MARKERS, draw, legend_above, percent_axis, series, short
from .estimate import Curve, reaches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHIFT = 0.025
"""Share of x by which neighbours are moved apart, so that their intervals do not cover."""


def support_plot(curves: list[Curve], *, name: str) -> str:
    """Return the drawing; x in tokens on a logarithmic axis, y a share in [0, 1]."""

    def paint(_: "Figure", panels: list["Axes"]) -> None:
        axes = panels[0]
        for index, curve in enumerate(curves):
            _curve(axes, curve, index, len(curves))
        budgets = sorted({x for curve in curves for x, _ in curve.points})
        axes.set_xscale("log")
        axes.set_xticks(budgets, [f"{budget:,.0f}" for budget in budgets])
        axes.minorticks_off()
        axes.set_ylim(0, 1)
        axes.set_xlabel("content budget (tokens)")
        axes.set_ylabel("questions with full support")
        percent_axis(axes)
        legend_above(axes)

    return draw(paint, name=name)


def _curve(axes: "Axes", curve: Curve, index: int, of: int) -> None:
    shift = 1 + _SHIFT * (index - (of - 1) / 2)
    estimates = [estimate for _, estimate in curve.points]
    means = [estimate.mean for estimate in estimates]
    axes.errorbar(
        [x * shift for x, _ in curve.points],
        means,
        yerr=reaches(estimates),
        label=short(curve.name),
        color=series(index),
        marker=MARKERS[index % len(MARKERS)],
        linestyle=DASHES[index % len(DASHES)],
        linewidth=2,
        markersize=7,
        capsize=4,
        elinewidth=1.2,
    )
