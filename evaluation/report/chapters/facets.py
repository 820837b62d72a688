"""Full support told apart by what a question needs: sources, steps, language, kind."""

from collections.abc import Callable

from ..asked import MAIN_BUDGET, Asked
from ..cells import count, mean_interval, mean_percent, word
from ..collection import Collection, estimate
from ..document import Cell, Column, Section, Table

_MOST = 3
"""From so many sources or steps on they are told as one group."""

_FACETS: list[tuple[str, str, Callable[[Asked], str]]] = [
    ("sources", "By number of sources needed", lambda asked: _number(asked.sources_needed)),
    ("hops", "By number of steps", lambda asked: _number(asked.hops)),
    ("language", "By language of the question", lambda asked: asked.lang),
    ("kind", "By kind of question", lambda asked: asked.type),
]


def facets(collected: Collection) -> Section | None:
    """Return the chapter with each table that tells at least two groups apart."""
    tables = [_table(collected, *facet) for facet in _FACETS]
    parts = [table for table in tables if table is not None]
    if not parts:
        return None
    return Section(
        name="facets",
        title="Kinds of questions",
        text=[f"Full support at {MAIN_BUDGET:,} tokens, in parts of the questions."],
        parts=[*parts],
    )


def _number(number: int) -> str:
    if not number:
        return ""
    return str(number) if number < _MOST else f"{_MOST} or more"


def _table(
    collected: Collection, name: str, title: str, of: Callable[[Asked], str]
) -> Table | None:
    scored = [asked for asked in collected.asked if asked.main_support is not None]
    values = sorted({of(asked) for asked in scored} - {""})
    if len(values) < 2:
        return None
    return Table(
        name=f"facet-{name}",
        title=title,
        columns=[
            Column("Part"),
            Column("Setting"),
            Column("Full support", numeric=True),
            Column("95 % interval", numeric=True),
            Column("Questions", numeric=True),
        ],
        rows=[
            _row(value, setting, found)
            for value in values
            for setting in collected.settings
            if (found := [a for a in scored if a.setting == setting and of(a) == value])
        ],
    )


def _row(value: str, setting: str, asked: list[Asked]) -> list[Cell]:
    found = estimate(one.main_support for one in asked)
    return [
        word(value),
        word(setting),
        mean_percent(found),
        mean_interval(found),
        count(len(asked)),
    ]
