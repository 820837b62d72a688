"""How often the run stops early, how hard its questions are, and whether it was right to."""

from ..asked import MAIN_BUDGET, Asked
from ..cells import count, mean_interval, mean_percent, percent, word
from ..collection import Collection, estimate, label
from ..document import Cell, Column, Plot, Section, Table
from ..plots.exits import ExitPoint, exits_plot

Entry = tuple[tuple[str, str], str, list[Asked]]
"""A set of questions, a setting, and what was asked under it."""

_COLUMNS = [
    Column("No.", numeric=True),
    Column("Questions of"),
    Column("Setting"),
    Column("Difficulty", numeric=True),
    Column("Exit by classifier", numeric=True),
    Column("Exit with reflection", numeric=True),
    Column("Exits that lacked evidence", numeric=True),
    Column("95 % interval", numeric=True),
    Column("Exits judged", numeric=True),
    Column("Questions", numeric=True),
]


def exits(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where no run had an exit to take."""
    found = [
        (group, setting, asked)
        for group in collected.groups()
        for setting in collected.settings
        if (asked := _decided(collected, group, setting))
    ]
    if not found:
        return None
    numbers = Table(
        name="exit-numbers",
        title="Exits by data set",
        columns=_COLUMNS,
        rows=[[count(number), *_row(collected, *entry)] for number, entry in enumerate(found, 1)],
        note="Difficulty: questions without full support at minimal effort, "
        f"{MAIN_BUDGET:,} tokens. A dash: minimal effort was not run, or no second round allowed. "
        "Exits judged: those by the classifier whose needed evidence is known. Numbers beside "
        "marks are those of the table.",
    )
    drawn = [
        point
        for number, entry in enumerate(found, 1)
        if (point := _point(collected, number, entry)) is not None
    ]
    text = (
        "An exit is right when the evidence that was there held every gold passage. The rate of "
        "exits should fall as questions get harder; the share that lacked evidence should not rise."
    )
    return Section(name="exits", title="Early exit", text=[text], parts=[_drawn(drawn, numbers)])


def _drawn(points: list[ExitPoint], numbers: Table) -> Plot | Table:
    if not points:
        return numbers
    return Plot(
        name="exit-difficulty",
        title="Exit rate against difficulty",
        alt=_described(points),
        svg=exits_plot(points, name="exit-difficulty"),
        numbers=numbers,
    )


def _decided(collected: Collection, group: tuple[str, str], setting: str) -> list[Asked]:
    return [
        asked
        for asked in collected.under(setting)
        if asked.group == group and asked.exit_classifier is not None
    ]


def difficulty(collected: Collection, group: tuple[str, str]) -> float | None:
    """Share of the set's questions without full support at minimal effort, where it was run."""
    asked = [a for a in collected.asked if a.group == group and a.effort == "minimal"]
    found = estimate(one.main_support for one in asked)
    return None if found is None else 1 - found.mean


def _point(collected: Collection, number: int, entry: Entry) -> ExitPoint | None:
    group, setting, asked = entry
    hard = difficulty(collected, group)
    classifier = estimate(one.exit_classifier for one in asked)
    if hard is None or classifier is None:
        return None
    reflection = estimate(one.exit_reflection for one in asked)
    name = label(group, collected.groups())
    several = sum(any(_decided(collected, group, s)) for s in collected.settings) > 1
    return ExitPoint(
        number=number,
        label=f"{name} ({setting})" if several else name,
        difficulty=hard,
        classifier=classifier.mean,
        reflection=None if reflection is None else reflection.mean,
        n=classifier.n,
    )


def _row(
    collected: Collection, group: tuple[str, str], setting: str, asked: list[Asked]
) -> list[Cell]:
    classifier = estimate(one.exit_classifier for one in asked)
    reflection = estimate(one.exit_reflection for one in asked)
    lacked = estimate(one.exit_lacked for one in asked)
    return [
        word(label(group, collected.groups())),
        word(setting),
        percent(difficulty(collected, group)),
        mean_percent(classifier),
        mean_percent(reflection),
        mean_percent(lacked),
        mean_interval(lacked),
        count(lacked.n if lacked else 0),
        count(len(asked)),
    ]


def _described(points: list[ExitPoint]) -> str:
    by_ease = sorted(points, key=lambda point: point.difficulty)
    easy, hard = by_ease[0], by_ease[-1]
    return (
        f"Scatter plot of {len(points)} sets of questions. The classifier alone exits for "
        f"{easy.classifier:.0%} of the easiest, {easy.label}, and for {hard.classifier:.0%} of the "
        f"hardest, {hard.label}."
    )
