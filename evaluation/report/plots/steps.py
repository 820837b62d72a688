"""Milliseconds of each step, stacked, one bar a setting."""

from typing import TYPE_CHECKING

from .canvas import HATCHES, draw, legend_above, series, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def steps_plot(times: dict[str, dict[str, float]], *, steps: list[str], name: str) -> str:
    """Return the drawing; `times` is setting -> step -> mean milliseconds of a question.

    The bars are stacked in the order of `steps`.
    """
    settings = list(times)

    def paint(_: "Figure", panels: list["Axes"]) -> None:
        axes = panels[0]
        left = [0.0] * len(settings)
        for index, step in enumerate(steps):
            widths = [times[setting].get(step, 0.0) for setting in settings]
            axes.barh(
                range(len(settings)),
                widths,
                left=left,
                label=short(step),
                color=series(index),
                hatch=HATCHES[index % len(HATCHES)],
                height=0.6,
            )
            left = [a + b for a, b in zip(left, widths, strict=True)]
        axes.set_yticks(range(len(settings)), [short(name, lines=2) for name in settings])
        axes.set_ylim(len(settings) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("mean time of a question (ms)")
        legend_above(axes)

    return draw(paint, name=name, height=1.6 + 0.5 * len(settings))
