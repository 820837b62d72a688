"""What each setting changes in the other main measures, over all questions."""

from ...statistics import Paired, holm, paired
from ...summary import MEASURES
from ..cells import count, decimal, interval, p_value, relative, word
from ..collection import COMPARED, SEED, Collection
from ..document import Cell, Column, Section, Table

_COLUMNS = [
    Column("Measure"),
    Column("Better"),
    Column("Setting"),
    Column("Before", numeric=True),
    Column("After", numeric=True),
    Column("Change", numeric=True),
    Column("95 % interval", numeric=True),
    Column("Relative", numeric=True),
    Column("p", numeric=True),
    Column("p (Holm)", numeric=True),
    Column("n", numeric=True),
]


def changes(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where nothing can be compared."""
    rows = [row for setting in collected.settings[1:] for row in _of_setting(collected, setting)]
    if not rows:
        return None
    text = (
        f"Each setting against “{collected.first}”, over all questions that both have scored. "
        "p values: McNemar’s test where a measure is yes or no, else Wilcoxon’s; after Holm’s "
        "correction over the measures of one setting."
    )
    table = Table(name="changes-all", title="Over all questions", columns=_COLUMNS, rows=rows)
    return Section(name="changes", title="Other changes", text=[text], parts=[table])


def _of_setting(collected: Collection, setting: str) -> list[list[Cell]]:
    found: list[tuple[str, float, Paired]] = []
    for name in COMPARED:
        both = _both(collected, setting, name)
        before, after = [first for first, _ in both], [second for _, second in both]
        result = paired(before, after, seed=SEED)
        if result is not None:
            found.append((name, sum(before) / len(before), result))
    corrected = holm([result.p_value for _, _, result in found])
    return [
        _row(name, setting, before, result, corrected=p)
        for (name, before, result), p in zip(found, corrected, strict=True)
    ]


def _both(collected: Collection, setting: str, name: str) -> list[tuple[float, float]]:
    """The values of each question under the first setting and under this one."""
    before = {(*a.group, a.qid): a.values.get(name) for a in collected.under(collected.first)}
    pairs = [(before.get((*a.group, a.qid)), a.values.get(name)) for a in collected.under(setting)]
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _row(name: str, setting: str, before: float, result: Paired, *, corrected: float) -> list[Cell]:
    measure = next(measure for measure in MEASURES if measure.name == name)
    digits = 3 if measure.unit == "share" else 1
    return [
        word(measure.title),
        word("higher" if measure.higher_is_better else "lower"),
        word(setting),
        decimal(before, digits),
        decimal(before + result.difference, digits),
        Cell(f"{result.difference:+,.{digits}f}", result.difference),
        interval(result.interval, digits=digits),
        relative(result.difference, base=before),
        p_value(result.p_value),
        p_value(corrected),
        count(result.n),
    ]
