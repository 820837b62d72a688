"""Collections that chapters are made from, gathered from made-up rows."""

from headwater.evaluation.record import ResultRow
from headwater.evaluation.report.collection import Collection
from headwater.evaluation.report.document import Plot, Section, Table
from headwater.evaluation.report.gather import gather
from tests.evaluation.report.sample import SETTINGS, sample_rows


def collected(rows: list[ResultRow] | None = None) -> Collection:
    """What the sample rows, or `rows`, come to."""
    return gather(sample_rows() if rows is None else rows, settings=list(SETTINGS))


def table_of(section: Section | None, name: str) -> list[dict[str, str]]:
    """The rows of one table of a chapter, each as column title -> text."""
    assert section is not None
    parts = {part.name: part for part in section.parts}
    part: Table | Plot = parts[name]
    table = part.numbers if isinstance(part, Plot) else part
    titles = [column.title for column in table.columns]
    return [dict(zip(titles, [cell.text for cell in row], strict=True)) for row in table.rows]
