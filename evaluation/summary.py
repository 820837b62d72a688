"""Means with intervals, by knowledge base, setting and data set."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean, median

from .measures.calibration import Observation, auroc, ece
from .measures.catalogue import MEASURES
from .measures.cost import Cost, CostTally
from .measures.exits import sufficient
from .measures.measure import Measure
from .record import ResultRow
from .statistics import Interval, bootstrap_ci, bootstrap_statistic, share_ci

__all__ = ["MEASURES", "Calibration", "Group", "Line", "Measure", "Summary", "summarise"]

SEED = 0
"""Of the bootstrap, where none is given."""

_CHUNK = 256
"""Rows measured at once; only their values are kept, so that memory does not grow with rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One measure over the questions of a group."""

    measure: str
    n: int
    """Questions that have a value; with `excluded` they make all questions of the group."""
    mean: float | None
    """`None` where no question has a value, which is not zero."""
    low: float | None
    """Of the 95 % interval over questions, see `share_ci` and `bootstrap_ci`; `None` where there
    are too few."""
    high: float | None
    median: float | None
    excluded: dict[str, int] = field(default_factory=dict)
    """Questions without a value, by reason, the most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Of P(sufficient): how well stated probabilities came true."""

    n: int
    ece: float
    ece_interval: Interval | None
    """`None` where there are too few questions."""
    auroc: float | None
    """`None` where all came true or none did."""
    auroc_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The questions of one data set under one setting of one knowledge base."""

    base: str
    setting: str
    dataset: str
    rows: int
    errors: int
    """Runs that ended with an error; every measure leaves them out and says so."""
    lines: list[Line]
    """In the order of `MEASURES`."""
    calibration: Calibration | None
    """`None` where no probability was stated, as below medium effort."""
    costs: list[Cost]

    def line(self, measure: str) -> Line:
        """Give the line of the measure of that name."""
        return next(line for line in self.lines if line.measure == measure)


@dataclass(frozen=True, slots=True)
class Summary:
    """All groups, in the order in which they first occur."""

    groups: list[Group]


@dataclass(slots=True)
class _Tally:
    """What is kept of the rows of a group while they stream by."""

    values: dict[str, list[float]]
    excluded: dict[str, Counter[str]]
    observed: list[Observation] = field(default_factory=list)
    costs: CostTally = field(default_factory=CostTally)
    rows: int = 0
    errors: int = 0

    @classmethod
    def empty(cls) -> "_Tally":
        return cls({m.name: [] for m in MEASURES}, {m.name: Counter() for m in MEASURES})

    def add(self, rows: Sequence[ResultRow]) -> None:
        for measure in MEASURES:
            for row, value in zip(rows, measure.values(rows), strict=True):
                if value is None:
                    self.excluded[measure.name][measure.reason(row)] += 1
                else:
                    self.values[measure.name].append(value)
        self.observed.extend(seen for row in rows if (seen := sufficient(row)) is not None)
        self.costs.add(rows)
        self.rows += len(rows)
        self.errors += sum(row.error is not None for row in rows)


def summarise(rows: Iterable[ResultRow], *, seed: int = SEED) -> Summary:
    """Summarise rows by (base, setting, dataset); rows are read once and not kept.

    Means do not depend on the order of the rows, and the same seed gives the same intervals.
    """
    tallies: dict[tuple[str, str, str], _Tally] = {}
    for chunk in _chunks(rows):
        for key, some in _grouped(chunk).items():
            tallies.setdefault(key, _Tally.empty()).add(some)
    return Summary([_group(key, tally, seed) for key, tally in tallies.items()])


def _chunks(rows: Iterable[ResultRow]) -> Iterator[list[ResultRow]]:
    remaining = iter(rows)
    while chunk := list(islice(remaining, _CHUNK)):
        yield chunk


def _grouped(rows: Iterable[ResultRow]) -> dict[tuple[str, str, str], list[ResultRow]]:
    groups: dict[tuple[str, str, str], list[ResultRow]] = {}
    for row in rows:
        groups.setdefault((row.base, row.setting, row.dataset), []).append(row)
    return groups


def _group(key: tuple[str, str, str], tally: _Tally, seed: int) -> Group:
    base, setting, dataset = key
    return Group(
        base=base,
        setting=setting,
        dataset=dataset,
        rows=tally.rows,
        errors=tally.errors,
        lines=[
            _line(m, sorted(tally.values[m.name]), tally.excluded[m.name], seed) for m in MEASURES
        ],
        calibration=_calibration(tally.observed, seed),
        costs=tally.costs.lines(),
    )


def _line(measure: Measure, values: list[float], excluded: Counter[str], seed: int) -> Line:
    interval = _interval(measure, values, seed)
    return Line(
        measure=measure.name,
        n=len(values),
        mean=fmean(values) if values else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        median=median(values) if values else None,
        excluded=dict(sorted(excluded.items(), key=lambda item: (-item[1], item[0]))),
    )


def _interval(measure: Measure, values: list[float], seed: int) -> Interval | None:
    return (share_ci if measure.unit == "share" else bootstrap_ci)(values, seed=seed)


def _calibration(observed: list[Observation], seed: int) -> Calibration | None:
    stated = [o.probability for o in observed]
    true = [float(o.outcome) for o in observed]
    error = ece(stated, true)
    if error is None:
        return None
    return Calibration(
        n=len(observed),
        ece=error,
        ece_interval=bootstrap_statistic(ece, stated, true, seed=seed),
        auroc=auroc(stated, true),
        auroc_interval=bootstrap_statistic(auroc, stated, true, seed=seed),
    )
