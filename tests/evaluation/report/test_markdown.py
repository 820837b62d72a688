"""A report as Markdown."""

import re

from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.report.markdown import as_markdown, plain, table_lines
from tests.evaluation.report.documents import HOSTILE, report, table


def test_a_table_has_a_head_a_rule_and_its_rows() -> None:
    assert table_lines(table()).splitlines() == [
        "| Data set | Share |",
        "| --- | ---: |",
        "| manuals | 50.0 % |",
        "| tickets | – |",
    ]


def test_every_table_is_there_those_of_the_drawings_too() -> None:
    written = as_markdown(report())

    assert written.count("| Data set | Share |") == 2
    assert "<svg" not in written


def test_conditions_and_notices_stand_above_the_results() -> None:
    written = as_markdown(report())

    assert written.index("**Note.** plain") < written.index("- Commit: plain")
    assert written.index("- Commit: plain") < written.index("| Data set |")


def test_text_of_the_data_forms_no_markup() -> None:
    written = as_markdown(report(HOSTILE))

    assert "<script" not in written
    assert not re.search(r"(?<!\\)`a", written)
    assert not re.search(r"(?<!\\)\[b", written)


@given(st.text())
def test_a_row_keeps_its_number_of_columns_whatever_stands_in_it(entry: str) -> None:
    rows = table_lines(table(entry=entry)).split("\n")

    assert len(rows) == 4
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3 for row in rows)


def test_names_with_underscores_stay_readable() -> None:
    assert plain("finance_sectors_9") == "finance_sectors_9"
