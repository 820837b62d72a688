"""What a report consists of, before anything is said about Markdown or HTML.

Both pages are written from one `Report`, so that they cannot tell two stories.
"""

from dataclasses import dataclass, field

MISSING = "–"
"""Shown where nothing was measured. A measured nothing is shown as 0."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table: what is shown, and what its column is sorted by."""

    text: str
    order: float | str | None = None
    """A number, a word, or `None` for an entry that sorts last either way."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    title: str
    numeric: bool = False
    """Numbers stand to the right and are sorted as numbers."""
    prose: bool = False
    """Sentences, which may be broken into lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells under columns; every row is as long as `columns`."""

    name: str
    """Unique in the report: letters, digits, hyphens."""
    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A drawing with its numbers."""

    name: str
    """Unique in the report: letters, digits, hyphens."""
    title: str
    alt: str
    """What is to be seen, for a reader who does not see it."""
    svg: str
    """One `<svg>` element."""
    numbers: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A chapter: plain text, then tables and plots in reading order."""

    name: str
    title: str
    text: list[str] = field(default_factory=list)
    parts: list[Table | Plot] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Figure:
    """A headline number: the setting it belongs to, the number, what qualifies it."""

    label: str
    value: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that the two pages show. Every string is plain text; the renderers escape it."""

    title: str
    question: str
    conditions: list[tuple[str, str]]
    notices: list[str]
    """What a reader must know before believing a number: torn lines, missing conditions."""
    figures: list[Figure]
    sections: list[Section]
