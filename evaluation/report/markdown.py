"""A report as Markdown: every table of the page, without the drawings."""

import re

from .document import Column, Plot, Report, Section, Table

# A bracket that opens a number, as in an interval, cannot open a link or a footnote of ours.
_MARKS = re.compile(r"([\\`*|]|\[(?![-+\d])|\](?=[(\[:]))")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def as_markdown(report: Report) -> str:
    """Return the report in GitHub's Markdown; text of the data cannot form markup."""
    blocks = [f"# {plain(report.title)}", plain(report.question)]
    blocks += [f"> **Note.** {plain(notice)}" for notice in report.notices]
    blocks += ["## Conditions", _conditions(report.conditions)]
    for section in report.sections:
        blocks += _section(section)
    return "\n\n".join(block for block in blocks if block) + "\n"


def plain(text: str) -> str:
    """Return `text` so that Markdown shows it as it is, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(text.split())).translate(_ENTITIES)


def _conditions(conditions: list[tuple[str, str]]) -> str:
    return "\n".join(f"- {plain(label)}: {plain(value)}" for label, value in conditions)


def _section(section: Section) -> list[str]:
    blocks = [f"## {plain(section.title)}", *map(plain, section.text)]
    for part in section.parts:
        table = part.numbers if isinstance(part, Plot) else part
        blocks += _titled(table)
    return blocks


def _titled(table: Table) -> list[str]:
    return [f"### {plain(table.title)}", plain(table.note), table_lines(table)]


def table_lines(table: Table) -> str:
    """Return a pipe table; numeric columns stand to the right."""
    head = _line([plain(column.title) for column in table.columns])
    rule = _line([_rule(column) for column in table.columns])
    rows = [_line([plain(cell.text) for cell in row]) for row in table.rows]
    return "\n".join([head, rule, *rows])


def _line(entries: list[str]) -> str:
    return f"| {' | '.join(entries)} |"


def _rule(column: Column) -> str:
    return "---:" if column.numeric else "---"
