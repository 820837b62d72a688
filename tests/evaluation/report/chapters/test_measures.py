"""Every measure by data set and setting, what was left out, and what each one means."""

from dataclasses import replace

import pytest

from headwater.evaluation.record import ResultRow
from headwater.evaluation.report.chapters.failures import failure_notice, failures
from headwater.evaluation.report.chapters.measures import definitions, excluded, measures
from headwater.evaluation.report.document import MISSING, Section, Table
from headwater.evaluation.summary import Summary, summarise
from tests.evaluation.report.collected import collected, table_of
from tests.evaluation.report.sample import SETTINGS, failed_row, sample_rows


@pytest.fixture(scope="module")
def summary() -> Summary:
    return summarise(sample_rows(6))


def titles(section: Section | None) -> list[str]:
    """The titles of a chapter's parts."""
    assert section is not None
    return [part.title for part in section.parts]


def measured(rows: list[ResultRow], name: str = "measures-1") -> dict[str, dict[str, str]]:
    """Measure -> row of a data set's table."""
    found = table_of(measures(summarise(rows), list(SETTINGS)), name)
    return {row["Measure"]: row for row in found}


def test_each_data_set_has_a_table_with_the_settings_in_their_order(summary: Summary) -> None:
    section = measures(summary, ["medium", "low", "minimal"])

    assert titles(section) == [
        "manuals",
        "tickets",
        "contracts",
        "Calibration of P(sufficient) by data set",
    ]
    first = section.parts[0]
    assert isinstance(first, Table)
    assert [column.title for column in first.columns] == [
        "Measure",
        "Better",
        "medium",
        "low",
        "minimal",
        "Questions",
    ]


def test_a_mean_stands_with_its_interval() -> None:
    rows = sample_rows(6)
    group = next(g for g in summarise(rows).groups if (g.dataset, g.setting) == ("manuals", "low"))
    line = group.line("full_support@5k")

    found = measured(rows)["Full support at 5,000 tokens"]["low"]

    assert found == f"{line.mean:.3f} [{line.low:.3f}, {line.high:.3f}]"


def test_a_setting_without_a_classifier_has_a_dash_for_its_exits() -> None:
    found = measured(sample_rows(6))["Exit by the classifier alone"]

    assert (found["minimal"], found["low"]) == (MISSING, MISSING)
    assert found["medium"] != MISSING
    assert found["Questions"] == "0 to 6"


def test_a_measure_that_nobody_has_is_not_listed_and_not_defined() -> None:
    rows = [replace(row, gold=[]) for row in sample_rows(2)]

    defined = table_of(definitions(summarise(rows)), "definitions-table")

    assert "Full support at 5,000 tokens" not in measured(rows)
    assert "Full support at 5,000 tokens" not in {row["Measure"] for row in defined}
    assert "Milliseconds" in {row["Measure"] for row in defined}


def test_every_measure_of_the_report_is_defined_with_its_source(summary: Summary) -> None:
    defined = table_of(definitions(summary), "definitions-table")

    listed = set(measured(sample_rows(6)))
    assert listed <= {row["Measure"] for row in defined}
    assert all(row["Definition"] and row["Source"] for row in defined)


def test_reasons_are_summed_over_the_data_sets(summary: Summary) -> None:
    found = table_of(excluded(summary, not_asked={}), "left-out")

    unclassified = [row for row in found if row["Why"] == "the step classify did not run"]
    assert [(row["Settings"], row["Questions of each"]) for row in unclassified] == [
        ("minimal, low", "18")
    ]
    assert {row["Of data sets"] for row in unclassified} == {"all"}
    assert all(row["Measures"].endswith("more") for row in unclassified)


def test_a_reason_of_one_data_set_names_it() -> None:
    rows = [*sample_rows(2), failed_row("tickets", 2, "low"), failed_row("tickets", 3, "low")]

    found = table_of(excluded(summarise(rows), not_asked={}), "left-out")

    [failed] = [row for row in found if row["Why"] == "the run ended with an error"]
    told = (failed["Settings"], failed["Of data sets"], failed["Questions of each"])
    assert told == ("low", "tickets", "2")


def test_what_every_setting_leaves_out_is_told_once() -> None:
    rows = [replace(row, answers=[]) for row in sample_rows(2) if row.setting != "minimal"]

    found = table_of(excluded(summarise(rows), not_asked={}), "left-out")

    [unknown] = [row for row in found if row["Why"] == "no reference answer is known"]
    assert (unknown["Settings"], unknown["Of data sets"]) == ("all", "all")


def test_where_passages_are_given_it_says_what_their_first_order_is() -> None:
    given = [replace(row, setting="graded-pairs") for row in sample_rows(1)[:1]]

    searched, told = (
        measures(summarise(rows), [rows[0].setting]).text for rows in (sample_rows(1), given)
    )

    assert not any("given, not searched for" in line for line in searched)
    assert any("given, not searched for" in line for line in told)


def test_questions_that_were_never_asked_come_first(summary: Summary) -> None:
    section = excluded(summary, not_asked={"no evidence": 3})

    assert titles(section) == ["Not asked", "By reason"]
    assert table_of(section, "not-asked") == [{"Why": "no evidence", "Questions": "3"}]


def test_nothing_that_was_left_out_means_no_such_chapter() -> None:
    assert excluded(Summary([]), not_asked={}) is None


def test_calibration_is_told_where_a_probability_was_stated(summary: Summary) -> None:
    found = table_of(measures(summary, list(SETTINGS)), "calibration-groups")

    assert [(row["Questions of"], row["Setting"]) for row in found] == [
        ("manuals", "medium"),
        ("tickets", "medium"),
        ("contracts", "medium"),
    ]


def test_failed_runs_are_counted_by_their_error() -> None:
    rows = sample_rows(2)
    rows += [failed_row("manuals", number, "medium") for number in (2, 3)]
    rows.append(replace(failed_row("tickets", 2, "low"), error="x" * 500))

    found = table_of(failures(collected(rows)), "failed-runs")

    assert [(row["Questions of"], row["Questions"]) for row in found] == [
        ("manuals", "2"),
        ("tickets", "1"),
    ]
    assert len(found[1]["Error"]) == 200
    assert failure_notice(collected(rows)) == ["3 of 21 runs failed; no measure counts them."]


def test_without_failed_runs_there_is_nothing_to_tell() -> None:
    assert failures(collected()) is None
    assert failure_notice(collected()) == []
