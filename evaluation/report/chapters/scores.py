"""Which scores the passages of each grade were given."""

from array import array

import numpy as np

from ..cells import count, decimal, word
from ..collection import LAYERS, UNJUDGED, Collection
from ..document import Cell, Column, Plot, Section, Table
from ..plots.grades import Box, grades_plot

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_COLUMNS = [
    Column("Layer"),
    Column("Grade"),
    *(Column(f"{share:.0%}", numeric=True) for share in _QUANTILES),
    Column("Passages", numeric=True),
]


def scores(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where no graded passage has a score."""
    order = sorted(collected.scores, key=lambda key: (list(LAYERS).index(key[0]), _place(key[1])))
    boxes = [_box(layer, grade, collected.scores[layer, grade]) for layer, grade in order]
    if all(box.grade == UNJUDGED for box in boxes):
        return None
    boxes.sort(key=lambda box: _place(box.grade))
    plot = Plot(
        name="score-grades",
        title="Scores of the passages of each grade",
        alt="Box plot. Medians: "
        + "; ".join(f"{box.layer}, grade {box.grade}: {box.median:.2f}" for box in boxes),
        svg=grades_plot(boxes, name="score-grades"),
        numbers=Table(
            name="score-grades-numbers",
            title="Percentiles of the scores of each grade",
            columns=_COLUMNS,
            rows=list(map(_row, boxes)),
        ),
    )
    text = (
        "Scores and grades share one scale, 0 to 4. Boxes hold the middle half, whiskers reach "
        f"from the 5th to the 95th percentile. Passages that nobody graded are “{UNJUDGED}”: most "
        "are not relevant, some are."
    )
    return Section(name="scores", title="Scores by grade", text=[text], parts=[plot])


def _place(grade: str) -> tuple[bool, str]:
    return grade != UNJUDGED, grade


def _box(layer: str, grade: str, found: "array[float]") -> Box:
    values = np.frombuffer(found, dtype=np.float32)
    low, lower, median, upper, high = (float(q) for q in np.quantile(values, _QUANTILES))
    return Box(
        layer=LAYERS[layer],
        grade=grade,
        low=low,
        lower=lower,
        median=median,
        upper=upper,
        high=high,
        n=len(found),
    )


def _row(box: Box) -> list[Cell]:
    quantiles = (box.low, box.lower, box.median, box.upper, box.high)
    return [word(box.layer), word(box.grade), *(decimal(q, 2) for q in quantiles), count(box.n)]
