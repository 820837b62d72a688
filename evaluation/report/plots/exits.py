"""How often the run exits, against how hard its questions are at minimal effort."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .canvas import MARKERS, MUTED, draw, legend_above, percent_axis, series, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FEW = 5
"""More names than that cover each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitPoint:
    """One set of questions under one setting. All numbers are shares in [0, 1]."""

    number: int
    """Its place in the table of the numbers."""
    label: str
    difficulty: float
    """Share of its questions that lack full support at minimal effort."""
    classifier: float
    reflection: float | None
    n: int


def exits_plot(points: list[ExitPoint], *, name: str) -> str:
    """Return the drawing: exits by the classifier alone, and with reflection."""

    def paint(_: "Figure", panels: list["Axes"]) -> None:
        axes = panels[0]
        _kind(axes, [(p.difficulty, p.classifier) for p in points], "by the classifier alone", 0)
        reflected = [(p.difficulty, p.reflection) for p in points if p.reflection is not None]
        if reflected:
            _kind(axes, reflected, "with reflection", 1)
        for place, text in labels(points).items():
            axes.annotate(
                text,
                place,
                xytext=(6, -11),
                textcoords="offset points",
                fontsize=9,
                color=MUTED,
            )
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel("difficulty: questions without full support at minimal effort")
        axes.set_ylabel("runs that exit after one round")
        percent_axis(axes)
        percent_axis(axes, "x")
        legend_above(axes)

    return draw(paint, name=name)


def labels(points: list[ExitPoint]) -> dict[tuple[float, float], str]:
    """Return what stands beside each mark: names while they are few, else numbers.

    Marks that would cover each other, within half a percent, share a label.
    """
    named = len(points) <= FEW
    found: dict[tuple[float, float], list[str]] = {}
    for point in points:
        place = (round(point.difficulty * 100) / 100, round(point.classifier * 100) / 100)
        text = short(point.label) if named else str(point.number)
        found.setdefault(place, []).append(text)
    return {place: ", ".join(texts) for place, texts in found.items()}


def _kind(axes: "Axes", points: list[tuple[float, float]], label: str, index: int) -> None:
    xs, ys = zip(*points, strict=True)
    axes.plot(
        xs,
        ys,
        label=label,
        color=series(index),
        marker=MARKERS[index],
        linestyle="none",
        markersize=8,
        fillstyle="full" if index == 0 else "none",
        markeredgewidth=1.6,
    )
