"""Every measure by data set and setting, what was left out and why, and what each one means."""

from collections import Counter
from collections.abc import Iterable

from ...measures.measure import Measure, Unit
from ...measures.orders import GRADED, GRADED_DEV
from ...statistics import FEWEST, Interval
from ...summary import MEASURES, Calibration, Group, Line, Summary
from ..cells import count, decimal, interval, word
from ..collection import label
from ..document import Cell, Column, Section, Table

_DIGITS: dict[Unit, int] = {"share": 3, "count": 2, "tokens": 0, "ms": 1}
_NAMED = 3
"""Measures or data sets that a row of what was left out names; the others are counted."""

_TITLES = {measure.name: measure.title for measure in MEASURES}

_LEFT_OUT = [
    Column("Settings", prose=True),
    Column("Why", prose=True),
    Column("Questions of each", numeric=True),
    Column("Of data sets", prose=True),
    Column("Measures", prose=True),
]
_DEFINED = [
    Column("Measure"),
    Column("Definition", prose=True),
    Column("Unit"),
    Column("Better"),
    Column("Source", prose=True),
]
_CALIBRATED = [
    Column("Questions of"),
    Column("Setting"),
    Column("ECE", numeric=True),
    Column("95 % interval", numeric=True),
    Column("AUROC", numeric=True),
    Column("95 % interval", numeric=True),
    Column("Questions", numeric=True),
]


def measures(summary: Summary, settings: list[str]) -> Section:
    """Return the chapter: a table a data set, a row a measure, a column a setting."""
    keys = _keys(summary)
    tables = [
        _table(number, label(key, keys), _by_setting(summary, key, settings))
        for number, key in enumerate(keys, 1)
    ]
    calibrated = _calibrated(summary, keys)
    text = (
        "Means over questions with 95 % intervals, bootstrapped over questions; where all have 0, "
        "or all have 1, the exact binomial interval. Where they differ, fewer than "
        f"{FEWEST} questions have no interval. A measure that no question of a data set has "
        "is not listed there."
    )
    given = (
        "Graded passages are given, not searched for: “after federation” is their order by "
        "similarity alone there."
    )
    return Section(
        name="measures",
        title="All measures",
        text=[text, *([given] if {GRADED, GRADED_DEV} & {*settings} else [])],
        parts=[*tables, *([calibrated] if calibrated.rows else [])],
    )


def definitions(summary: Summary) -> Section:
    """Return the chapter that says what each measure of the report is."""
    shown = {line.measure for group in summary.groups for line in group.lines if line.n}
    rows = [_defined(measure) for measure in MEASURES if measure.name in shown]
    table = Table(name="definitions-table", title="Measures", columns=_DEFINED, rows=rows)
    return Section(name="definitions", title="Definitions", parts=[table])


def excluded(summary: Summary, *, not_asked: dict[str, int]) -> Section | None:
    """Return the chapter on questions without a value, or `None` where every one has all.

    `not_asked` is reason -> questions that were left out before the run.
    """
    rows = _left_out(summary)
    if not rows and not not_asked:
        return None
    text = (
        "A question that cannot be scored is counted here; it never counts as zero. The full list "
        "by data set and measure is in summary.json."
    )
    table = Table(name="left-out", title="By reason", columns=_LEFT_OUT, rows=rows)
    before = Table(
        name="not-asked",
        title="Not asked",
        columns=[Column("Why", prose=True), Column("Questions", numeric=True)],
        rows=[[word(reason), count(number)] for reason, number in not_asked.items()],
        note="Questions that were chosen but left out before the run.",
    )
    parts = [part for part in (before, table) if part.rows]
    return Section(name="excluded", title="Left out", text=[text], parts=[*parts])


def _key(group: Group) -> tuple[str, str]:
    return group.base, group.dataset


def _keys(summary: Summary) -> list[tuple[str, str]]:
    return list(dict.fromkeys(map(_key, summary.groups)))


def _by_setting(summary: Summary, key: tuple[str, str], settings: list[str]) -> dict[str, Group]:
    found = {group.setting: group for group in summary.groups if _key(group) == key}
    return {setting: found[setting] for setting in settings if setting in found}


def _table(number: int, name: str, groups: dict[str, Group]) -> Table:
    columns = [
        Column("Measure"),
        Column("Better"),
        *(Column(setting, numeric=True) for setting in groups),
        Column("Questions", numeric=True),
    ]
    lines = ((m, [group.line(m.name) for group in groups.values()]) for m in MEASURES)
    return Table(
        name=f"measures-{number}",
        title=name,
        columns=columns,
        rows=[_row(measure, of) for measure, of in lines if any(line.n for line in of)],
    )


def _row(measure: Measure, lines: list[Line]) -> list[Cell]:
    digits = _DIGITS[measure.unit]
    return [
        word(measure.title),
        Cell(_better(measure)),
        *(_mean(line, digits) for line in lines),
        _range([line.n for line in lines]),
    ]


def _mean(line: Line, digits: int) -> Cell:
    mean = decimal(line.mean, digits)
    if line.low is None or line.high is None:
        return mean
    ends = interval(Interval(line.low, line.high), digits=digits)
    return Cell(f"{mean.text} {ends.text}", mean.order)


def _range(counts: list[int]) -> Cell:
    low, high = min(counts), max(counts)
    return count(low) if low == high else Cell(f"{low:,} to {high:,}", low)


def _better(measure: Measure) -> str:
    if measure.higher_is_better is None:
        return "describes"
    return "higher" if measure.higher_is_better else "lower"


def _defined(measure: Measure) -> list[Cell]:
    return [
        word(measure.title),
        word(measure.definition),
        word(measure.unit),
        word(_better(measure)),
        word(measure.source),
    ]


def _left_out(summary: Summary) -> list[list[Cell]]:
    """A row for each reason and set of measures, summed over the data sets.

    Settings that leave out the same are told together.
    """
    keys = _keys(summary)
    settings = dict.fromkeys(group.setting for group in summary.groups)
    found: dict[tuple[str, str, tuple[str, ...]], Counter[str]] = {}
    for group in summary.groups:
        name = label(_key(group), keys)
        for (reason, number), titles in _befallen(group).items():
            row = found.setdefault((group.setting, reason, tuple(titles)), Counter())
            row[name] += number
    alike: dict[tuple[str, tuple[str, ...], tuple[tuple[str, int], ...]], list[str]] = {}
    for (setting, reason, lacking), of in found.items():
        alike.setdefault((reason, lacking, tuple(of.items())), []).append(setting)
    return [
        [
            word("all" if 1 < len(settings) == len(under) else ", ".join(under)),
            word(reason),
            count(sum(number for _, number in of)),
            word("all" if len(of) == len(keys) else _listed([name for name, _ in of])),
            word(_listed(list(titles))),
        ]
        for (reason, titles, of), under in alike.items()
    ]


def _befallen(group: Group) -> dict[tuple[str, int], list[str]]:
    """Reason and number of questions -> titles of the measures that lack just those."""
    found: dict[tuple[str, int], list[str]] = {}
    for line in group.lines:
        for reason, number in line.excluded.items():
            found.setdefault((reason, number), []).append(_TITLES[line.measure])
    return found


def _listed(titles: list[str]) -> str:
    named, others = titles[:_NAMED], len(titles) - _NAMED
    return f"{', '.join(named)} and {others} more" if others > 0 else ", ".join(named)


def _calibrated(summary: Summary, keys: Iterable[tuple[str, str]]) -> Table:
    known = list(keys)
    rows = [
        [word(label(_key(group), known)), word(group.setting), *_calibration(group.calibration)]
        for group in summary.groups
        if group.calibration is not None
    ]
    return Table(
        name="calibration-groups",
        title="Calibration of P(sufficient) by data set",
        columns=_CALIBRATED,
        rows=rows,
    )


def _calibration(found: Calibration) -> list[Cell]:
    return [
        decimal(found.ece),
        interval(found.ece_interval),
        decimal(found.auroc),
        interval(found.auroc_interval),
        count(found.n),
    ]
