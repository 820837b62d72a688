"""Which chapters a report has."""

from dataclasses import replace
from typing import Any

from headwater.evaluation.record import ResultRow
from headwater.evaluation.report.contents import contents
from headwater.evaluation.report.document import Plot, Report
from headwater.evaluation.summary import summarise
from tests.evaluation.report.collected import collected
from tests.evaluation.report.sample import RUN, failed_row, sample_rows


def report(rows: list[ResultRow], run: dict[str, Any] | None = None) -> Report:
    """The report of rows."""
    return contents(collected(rows), summarise(rows), run=RUN if run is None else run, notices=[])


def chapters(rows: list[ResultRow]) -> list[str]:
    """The names of its chapters."""
    return [section.name for section in report(rows).sections]


def test_the_headline_leads_and_the_definitions_end() -> None:
    names = chapters([*sample_rows(6), failed_row("manuals", 6, "low")])

    assert names[:3] == ["support", "gains", "changes"]
    assert names[-4:] == ["measures", "failures", "excluded", "definitions"]


def test_a_run_that_stops_before_there_is_content_has_no_headline() -> None:
    rows = [replace(row, gold=[], content=[], scores={}, layers={}) for row in sample_rows(3)]

    found = report(rows)

    assert found.figures == []
    assert "support" not in [section.name for section in found.sections]
    assert "changes" in [section.name for section in found.sections]


def test_only_plots_whose_data_exist_are_drawn() -> None:
    rows = [row for row in sample_rows(4) if row.setting == "low"]

    drawn = [
        part.name
        for section in report(rows).sections
        for part in section.parts
        if isinstance(part, Plot)
    ]

    assert drawn == ["full-support", "score-reliability", "score-grades", "step-times"]


def test_names_of_parts_are_unique_so_that_links_find_them() -> None:
    names = []
    for section in report(sample_rows(6)).sections:
        names.append(section.name)
        for part in section.parts:
            names += [part.name, *([part.numbers.name] if isinstance(part, Plot) else [])]

    assert len(names) == len(set(names))


def test_the_title_is_that_of_the_run_with_a_capital() -> None:
    assert report(sample_rows(1), {"title": "multi-hop"}).title == "Multi-hop"
    assert report(sample_rows(1), {"experiment": "effort"}).title == "Effort"
    assert report(sample_rows(1), {}).title == "Evaluation"


def test_failed_runs_and_problems_of_the_data_are_told_above_the_numbers() -> None:
    rows = [*sample_rows(1), failed_row("manuals", 1, "low")]

    assert report(rows, {"problems": ["queries:7: broken"]}).notices == [
        "The data has problems: queries:7: broken",
        "1 of 10 runs failed; no measure counts them.",
    ]
