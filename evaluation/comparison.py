"""Two sets of results, question by question: what changed, and whether that is more than chance."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from .measures.catalogue import MEASURES
from .measures.measure import Measure
from .record import ResultRow
from .statistics import Paired, holm, paired

ALL = "all"
"""The name of the data set under which all questions of a setting are pooled."""

_Key = tuple[str, str, str]
_Pair = tuple[ResultRow, ResultRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One measure over the questions that both sides have and that both sides score."""

    measure: str
    higher_is_better: bool | None
    first: float | None
    """Mean before; `None` where no question is scored on both sides."""
    second: float | None
    test: Paired | None
    p_corrected: float | None
    """After Holm over the measures of this group."""
    excluded: dict[str, int] = field(default_factory=dict)
    """Questions left out, by the side and the reason."""

    @property
    def significant(self) -> bool:
        """Tell whether the corrected p-value is below 0.05."""
        return self.p_corrected is not None and self.p_corrected < 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedGroup:
    """One data set of one knowledge base under one setting, or all of a setting."""

    base: str
    setting: str
    dataset: str
    questions: int
    """Asked on both sides."""
    only_first: int
    only_second: int
    changes: list[Change]

    def change(self, measure: str) -> Change:
        """Give the change of the measure of that name."""
        return next(change for change in self.changes if change.measure == measure)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All groups that both sides have; where there are several, a pooled one a setting leads."""

    groups: list[ComparedGroup]
    unmatched: list[str]
    """Groups that only one side has, as base/setting/dataset."""


def compare(
    rows_a: Iterable[ResultRow], rows_b: Iterable[ResultRow], *, seed: int = 0
) -> Comparison:
    """Compare the same settings of two results, such as before and after a change.

    Of several rows of a question the last one counts.
    """
    return _compare(rows_a, rows_b, lambda row: row.setting, seed)


def compare_settings(
    rows: Sequence[ResultRow], first: str, second: str, *, seed: int = 0
) -> Comparison:
    """Compare two settings of one result, such as minimal and medium effort."""
    name = f"{first} -> {second}"
    before = [row for row in rows if row.setting == first]
    after = [row for row in rows if row.setting == second]
    return _compare(before, after, lambda _: name, seed)


def _compare(
    rows_a: Iterable[ResultRow],
    rows_b: Iterable[ResultRow],
    setting: Callable[[ResultRow], str],
    seed: int,
) -> Comparison:
    first, second = _by_group(rows_a, setting), _by_group(rows_b, setting)
    shared = [key for key in first if key in second]
    sides = {key: _Sides.of(first[key], second[key]) for key in shared}
    groups = []
    for name in dict.fromkeys(key[1] for key in shared):
        parts = [key for key in shared if key[1] == name]
        if len(parts) > 1:
            groups.append(_group((ALL, name, ALL), _pooled([sides[key] for key in parts]), seed))
        groups += [_group(key, sides[key], seed) for key in parts]
    alone = [key for key in (*first, *second) if key not in shared]
    return Comparison(groups, ["/".join(key) for key in alone])


_Questions = dict[str, ResultRow]


@dataclass(frozen=True, slots=True)
class _Scored:
    """One measure of the questions of a group: values of those that both sides score."""

    first: list[float]
    second: list[float]
    excluded: Counter[str]


@dataclass(frozen=True, slots=True)
class _Sides:
    """What both sides have of a group, each question measured once."""

    questions: int
    only_first: int
    only_second: int
    scored: dict[str, _Scored]

    @classmethod
    def of(cls, first: _Questions, second: _Questions) -> "_Sides":
        pairs = [(row, second[qid]) for qid, row in first.items() if qid in second]
        n = len(pairs)
        scored = {measure.name: _scored(measure, pairs) for measure in MEASURES}
        return cls(n, len(first) - n, len(second) - n, scored)


def _by_group(
    rows: Iterable[ResultRow], setting: Callable[[ResultRow], str]
) -> dict[_Key, _Questions]:
    groups: dict[_Key, _Questions] = {}
    for row in rows:
        group = groups.setdefault((row.base, setting(row), row.dataset), {})
        group[row.qid] = row
    return groups


def _pooled(parts: Sequence[_Sides]) -> _Sides:
    return _Sides(
        sum(part.questions for part in parts),
        sum(part.only_first for part in parts),
        sum(part.only_second for part in parts),
        {
            measure.name: _joined([part.scored[measure.name] for part in parts])
            for measure in MEASURES
        },
    )


def _joined(parts: Sequence[_Scored]) -> _Scored:
    return _Scored(
        [value for part in parts for value in part.first],
        [value for part in parts for value in part.second],
        sum((part.excluded for part in parts), Counter()),
    )


def _scored(measure: Measure, pairs: Sequence[_Pair]) -> _Scored:
    """Take one measure; a question that one side does not score is left out on both."""
    scored = _Scored([], [], Counter())
    values = zip(
        measure.values([a for a, _ in pairs]), measure.values([b for _, b in pairs]), strict=True
    )
    for (a, b), (x, y) in zip(pairs, values, strict=True):
        if x is None:
            scored.excluded[f"first: {measure.reason(a)}"] += 1
        elif y is None:
            scored.excluded[f"second: {measure.reason(b)}"] += 1
        else:
            scored.first.append(x)
            scored.second.append(y)
    return scored


def _group(key: _Key, sides: _Sides, seed: int) -> ComparedGroup:
    base, setting, dataset = key
    return ComparedGroup(
        base=base,
        setting=setting,
        dataset=dataset,
        questions=sides.questions,
        only_first=sides.only_first,
        only_second=sides.only_second,
        changes=_corrected([_change(m, sides.scored[m.name], seed) for m in MEASURES]),
    )


def _change(measure: Measure, scored: _Scored, seed: int) -> Change:
    return Change(
        measure=measure.name,
        higher_is_better=measure.higher_is_better,
        first=fmean(scored.first) if scored.first else None,
        second=fmean(scored.second) if scored.second else None,
        test=paired(scored.first, scored.second, seed=seed),
        p_corrected=None,
        excluded=dict(scored.excluded),
    )


def _corrected(changes: list[Change]) -> list[Change]:
    """Correct for the number of measures; those that only describe are tested as well."""
    tested = [change.test.p_value for change in changes if change.test]
    corrected = iter(holm(tested))
    return [
        replace(change, p_corrected=next(corrected)) if change.test else change
        for change in changes
    ]
