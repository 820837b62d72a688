"""Whether a probability or a score means what it says, by language and by source."""

from collections.abc import Iterable

from ...measures.calibration import Observation, Reliability, reliability_of
from ...measures.exits import Of
from ..cells import count, decimal, percent, word
from ..collection import Collection
from ..document import Cell, Column, Plot, Section, Table
from ..plots.estimate import Bin
from ..plots.reliability import reliability_plot

_KINDS: dict[Of, tuple[str, str]] = {
    "sufficient": (
        "P(sufficient) against evidence that was there",
        "P(sufficient) stated by the classifier",
    ),
    "score": ("Score of a passage against gold", "score of the ranker / 4"),
    "grade": ("Grade of a passage against gold", "grade of the classifier / 4"),
}
"""Title of the drawing, and of its axis."""

_NUMBERS = [
    Column("Cases", numeric=True),
    Column("Came true", numeric=True),
    Column("ECE", numeric=True),
    Column("Brier", numeric=True),
    Column("AUROC", numeric=True),
]
_BINS = [
    Column("Language"),
    Column("From", numeric=True),
    Column("To", numeric=True),
    Column("Mean forecast", numeric=True),
    Column("Came true", numeric=True),
    Column("Cases", numeric=True),
]


def calibration(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where nothing was forecast."""
    parts: list[Table | Plot] = []
    for of, (title, forecast) in _KINDS.items():
        parts += _of(collected.forecasts[of], name=of, title=title, forecast=forecast)
        parts += _by_source(collected.by_source[of], name=of, title=title)
    if not parts:
        return None
    text = (
        "On the diagonal, of the cases given 70 % seven in ten come true. ECE is the mean distance "
        "from it, Brier the mean squared error; both are best at 0. AUROC is the chance that a "
        "true case is put above a false one; 50 % is chance. Cases of all settings are together: a "
        "question counts once under each. Passages that nobody judged count as not gold, so their "
        "shares are lower bounds."
    )
    return Section(name="calibration", title="Calibration", text=[text], parts=parts)


def _of(
    observations: Iterable[Observation], *, name: str, title: str, forecast: str
) -> list[Table | Plot]:
    groups = reliability_of(observations)
    if not groups:
        return []
    drawn = {
        group.group: [
            Bin(b.mean_probability, b.share, b.n)
            for b in group.bins
            if b.mean_probability is not None and b.share is not None
        ]
        for group in groups
    }
    plot = Plot(
        name=f"{name}-reliability",
        title=title,
        alt=_described(groups),
        svg=reliability_plot(drawn, name=f"{name}-reliability", forecast=forecast),
        numbers=Table(
            name=f"{name}-reliability-numbers",
            title=f"{title}: bins",
            columns=_BINS,
            rows=[row for group in groups for row in _bins(group)],
        ),
    )
    summary = Table(
        name=f"{name}-calibration",
        title=f"{title}: in one number",
        columns=[Column("Language"), *_NUMBERS],
        rows=[_summary(group) for group in groups],
    )
    return [plot, summary]


def _by_source(observations: Iterable[Observation], *, name: str, title: str) -> list[Table]:
    """One row a source; none where there is only one."""
    groups = reliability_of(observations)
    if len(groups) < 2:
        return []
    return [
        Table(
            name=f"{name}-calibration-source",
            title=f"{title}: by source",
            columns=[Column("Source"), *_NUMBERS],
            rows=[_summary(group) for group in groups],
            note="“several” are questions whose gold passages lie in more than one source."
            if name == "sufficient"
            else "",
        )
    ]


def _summary(group: Reliability) -> list[Cell]:
    return [
        word(group.group),
        count(group.n),
        percent(group.base_rate),
        decimal(group.ece),
        decimal(group.brier),
        percent(group.auroc),
    ]


def _bins(group: Reliability) -> list[list[Cell]]:
    return [
        [
            word(group.group),
            percent(one.low),
            percent(one.high),
            percent(one.mean_probability),
            percent(one.share),
            count(one.n),
        ]
        for one in group.bins
    ]


def _described(groups: list[Reliability]) -> str:
    errors = ", ".join(f"{group.group} {group.ece:.3f}" for group in groups)
    return f"Reliability diagram by language. Expected calibration error: {errors}."
