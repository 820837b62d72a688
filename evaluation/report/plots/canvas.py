"""A drawing as one SVG element that takes its colours from the page around it.

Colours are drawn as stand-ins and then replaced by CSS variables, so that one drawing serves a
light page and a dark one. Text stays text: it can be read aloud, searched and copied.
"""

import io
import re
import textwrap
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....domain.errors import MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, GRID, SURFACE = "#0a0101", "#0a0102", "#0a0103", "#0a0104"
SERIES = [f"#0a02{number:02x}" for number in range(1, 9)]
_VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--grid)",
    SURFACE: "var(--surface)",
    **{colour: f"var(--s{number})" for number, colour in enumerate(SERIES, 1)},
}
# A series is told apart by its marker, dash or hatch; the colour only repeats it.
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
DASHES = ["-", "--", "-.", ":"]
HATCHES = ["", "////", "....", "xxxx", "\\\\\\\\", "++", "oo", "--"]

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "hatch.color": SURFACE,
    "hatch.linewidth": 1.0,
    "patch.edgecolor": SURFACE,
}
_LETTERS, _HANDLE, _NAME = 72, 7, 24
"""Letters across a drawing, those that a legend's mark takes, and the most of a name."""

_PREAMBLE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_WIDE_STYLE = re.compile(r"\s*<defs>\s*<style[^>]*>.*?</style>\s*</defs>", re.DOTALL)
_SIZE = re.compile(r'width="[^"]*" height="[^"]*"')
_REMS = 6.6
"""Of an inch: letters of 11 points then are about as large as the page's."""
_NAMES = re.compile(r'(\bid="|url\(#|href="#)')


def draw(
    paint: Callable[["Figure", list["Axes"]], None],
    *,
    name: str,
    width: float = 7.0,
    height: float = 4.0,
    panels: int = 1,
) -> str:
    """Return what `paint` draws on `panels` axes side by side, as one `<svg>` element.

    `width` and `height` in inches give the proportions; the page scales it. All ids in it
    begin with `name`.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError("matplotlib", extra="eval") from error
    target = io.StringIO()
    with rc_context({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        # A letter that the built-in font lacks is drawn by the browser all the same.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing")
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots(1, panels, squeeze=False)[0]
        paint(figure, list(axes))
        figure.savefig(target, format="svg", transparent=True, metadata=_NO_METADATA)
    return themed(target.getvalue(), name, width=width)


_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def themed(svg: str, name: str, *, width: float) -> str:
    """Return the bare `<svg>` element with colours of the page and ids of its own.

    It grows with the page up to the size at which all drawings, `width` inches wide, have
    letters of one size.
    """
    svg = _WIDE_STYLE.sub("", _PREAMBLE.sub("", svg), count=1)
    svg = _NAMES.sub(rf"\g<1>{name}-", svg)
    svg = _SIZE.sub(f'style="max-width: {width * _REMS:.1f}rem"', svg, count=1)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    return svg.strip()


def legend_above(axes: "Axes") -> None:
    """Put the legend above the axes, where it hides nothing, in as many lines as it needs.

    Where nothing has a name there is none.
    """
    names = axes.get_legend_handles_labels()[1]
    if not names:
        return
    most = max(1, min(4, _LETTERS // (max(map(len, names)) + _HANDLE)))
    lines = max(1, -(-len(names) // most))
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=max(1, -(-len(names) // lines)),
        borderaxespad=0.3,
        columnspacing=1.4,
        handlelength=2.6,
    )


def short(text: str, *, lines: int = 1) -> str:
    """Return a name so that it fits beside a drawing; the table of the numbers has it whole."""
    return textwrap.fill(text, _NAME, max_lines=lines, placeholder="…", break_on_hyphens=False)


def percent_axis(axes: "Axes", which: str = "y") -> None:
    """Label an axis of shares in [0, 1] as percent."""
    from matplotlib.ticker import PercentFormatter

    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=" %"))


def series(index: int) -> str:
    """The colour of series `index`; they repeat after eight."""
    return SERIES[index % len(SERIES)]
