"""The distribution of scores for each grade, as box plots."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .canvas import HATCHES, INK, draw, legend_above, series, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Five numbers of the scores of one grade; whiskers are the 5th and 95th percentile."""

    layer: str
    grade: str
    low: float
    lower: float
    median: float
    upper: float
    high: float
    n: int


def grades_plot(boxes: list[Box], *, name: str) -> str:
    """Return the drawing: grades from left to right, layers side by side; y in [0, 4]."""
    layers = list(dict.fromkeys(box.layer for box in boxes))
    grades = list(dict.fromkeys(box.grade for box in boxes))

    def paint(_: "Figure", panels: list["Axes"]) -> None:
        axes = panels[0]
        for index, layer in enumerate(layers):
            own = [box for box in boxes if box.layer == layer]
            shift = (index - (len(layers) - 1) / 2) * 0.8 / len(layers)
            _layer(axes, own, [grades.index(box.grade) + shift for box in own], index)
        axes.set_xticks(range(len(grades)), grades)
        axes.set_xlim(-0.6, len(grades) - 0.4)
        axes.set_ylim(-0.1, 4.1)
        axes.grid(visible=False, axis="x")
        axes.set_xlabel("grade of the passage")
        axes.set_ylabel("score (0 to 4)")
        legend_above(axes)

    return draw(paint, name=name)


def _layer(axes: "Axes", boxes: list[Box], places: list[float], index: int) -> None:
    drawn = axes.bxp(
        [
            {"med": b.median, "q1": b.lower, "q3": b.upper, "whislo": b.low, "whishi": b.high}
            for b in boxes
        ],
        positions=places,
        widths=0.3,
        showfliers=False,
        patch_artist=True,
        boxprops={"facecolor": series(index), "hatch": HATCHES[index], "edgecolor": INK},
        medianprops={"color": INK, "linewidth": 2.4},
        whiskerprops={"color": INK},
        capprops={"color": INK},
        manage_ticks=False,
    )
    drawn["boxes"][0].set_label(short(boxes[0].layer))
