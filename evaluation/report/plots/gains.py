"""The gain of each setting over the first, one line a data set: a forest plot."""

from typing import TYPE_CHECKING

from .canvas import GRID, MARKERS, MUTED, draw, legend_above, series, short
from .estimate import Effect, reaches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_LEAST = 5.0
"""Percentage points that the axis shows on either side at least: gains of nothing alone would
stretch it to fractions of one."""


def gains_plot(effects: list[Effect], *, name: str, first: str, total: str) -> str:
    """Return the drawing; x in percentage points, labels from top to bottom as given.

    A line sets off the effects labelled `total` from those that they are made of.
    """
    labels = list(dict.fromkeys(effect.label for effect in effects))
    settings = list(dict.fromkeys(effect.setting for effect in effects))

    def paint(_: "Figure", panels: list["Axes"]) -> None:
        axes = panels[0]
        axes.axvline(0, color=MUTED, linewidth=1.2)
        if total in labels:
            axes.axhline(labels.index(total) - 0.5, color=GRID, linewidth=1.2)
        for index, setting in enumerate(settings):
            offset = (index - (len(settings) - 1) / 2) * 0.8 / len(settings)
            own = [effect for effect in effects if effect.setting == setting]
            _effects(axes, own, [labels.index(e.label) + offset for e in own], index)
        left, right = axes.get_xlim()
        axes.set_xlim(min(left, -_LEAST), max(right, _LEAST))
        axes.set_yticks(range(len(labels)), [short(label, lines=2) for label in labels])
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(f"gain over {short(first)} (percentage points, 95 % interval)")
        legend_above(axes)

    height = 1.4 + 0.24 * len(labels) * max(len(settings), 1.5)
    return draw(paint, name=name, height=height)


def _effects(axes: "Axes", effects: list[Effect], heights: list[float], index: int) -> None:
    estimates = [effect.estimate for effect in effects]
    axes.errorbar(
        [estimate.mean * 100 for estimate in estimates],
        heights,
        xerr=[[reach * 100 for reach in side] for side in reaches(estimates)],
        label=short(effects[0].setting),
        color=series(index + 1),  # the first colour is the setting they are compared with
        marker=MARKERS[(index + 1) % len(MARKERS)],
        linestyle="none",
        markersize=7,
        capsize=3,
        elinewidth=1.4,
    )
