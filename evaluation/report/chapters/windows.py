"""Captions against other windows of the same passages."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from ...statistics import mean_of_means_ci
from ..cells import count, percent, percent_interval, points, word
from ..collection import SEED, Collection
from ..document import Cell, Column, Section, Table
from ..order_gains import MEAN
from ..ranked import OURS, WINDOWS

_OTHERS = tuple(name for name in WINDOWS if name != OURS)

Hits = Mapping[str, Sequence[Mapping[str, float]]]
"""Data set -> window -> hit, question by question."""


def windows(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where no graded passage has a marked span."""
    hits = collected.ranked.captions
    if not hits:
        return None
    text = (
        "The share of gold passages, told by their grades and not searched for, whose window meets "
        "a span that the annotators marked; one character in common is enough."
        f"{' Every set counts the same in the mean.' if len(hits) > 1 else ''}"
    )
    return Section(
        name="windows",
        title="Captions",
        text=[text],
        parts=[
            Table(
                name="caption-windows",
                title="Windows that meet a gold span",
                columns=[
                    Column("Set"),
                    *(Column(name, numeric=True) for name in WINDOWS),
                    Column("Questions", numeric=True),
                ],
                rows=[
                    *(_row(name, [of]) for name, of in hits.items()),
                    *([_row(MEAN, hits.values())] if len(hits) > 1 else []),
                ],
            ),
            Table(
                name="caption-gains",
                title=f"What captions gain{', mean of sets' if len(hits) > 1 else ''}",
                columns=[
                    Column("Over"),
                    Column("Points", numeric=True),
                    Column("95 % interval", numeric=True),
                ],
                rows=[_gain(hits, other) for other in _OTHERS],
            ),
        ],
    )


def caption_gains(hits: Hits, other: str) -> list[list[float]]:
    """Give the hit of the caption less that of another window: set by set, question by question."""
    return [[one[OURS] - one[other] for one in questions] for questions in hits.values()]


def _row(label: str, sets: Iterable[Sequence[Mapping[str, float]]]) -> list[Cell]:
    parts = list(sets)
    means = [fmean(fmean(one[name] for one in part) for part in parts) for name in WINDOWS]
    return [word(label), *(percent(mean) for mean in means), count(sum(map(len, parts)))]


def _gain(hits: Hits, other: str) -> list[Cell]:
    changes = caption_gains(hits, other)
    ends = mean_of_means_ci(changes, seed=SEED)
    return [word(other), points(fmean(map(fmean, changes))), percent_interval(ends)]
