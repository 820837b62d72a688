"""The other chapters: kinds of questions, exits, calibration, scores, cost."""

from dataclasses import replace

import pytest

from headwater.evaluation.report.chapters.calibration import calibration
from headwater.evaluation.report.chapters.cost import cost
from headwater.evaluation.report.chapters.exits import difficulty, exits
from headwater.evaluation.report.chapters.facets import facets
from headwater.evaluation.report.chapters.scores import scores
from headwater.evaluation.report.document import MISSING, Plot
from tests.evaluation.report.collected import collected, table_of
from tests.evaluation.report.sample import failed_row, sample_rows


def test_questions_are_told_by_sources_needed_from_three_on_together() -> None:
    needed = {0: ["a"], 1: ["a", "b"], 2: ["a", "b", "c"], 3: ["a", "b", "c", "d"]}
    rows = [replace(row, gold_sources=needed[n // 3 % 4]) for n, row in enumerate(sample_rows())]

    found = table_of(facets(collected(rows)), "facet-sources")

    assert list(dict.fromkeys(row["Part"] for row in found)) == ["1", "2", "3 or more"]
    assert sum(int(row["Questions"]) for row in found) == len(rows)


def test_a_kind_that_a_setting_was_not_asked_has_no_row_there() -> None:
    rows = [r for r in sample_rows() if (r.lang, r.setting) != ("zh", "low")]

    found = table_of(facets(collected(rows)), "facet-language")

    assert ("zh", "low") not in [(row["Part"], row["Setting"]) for row in found]
    assert all(int(row["Questions"]) for row in found)


def test_questions_of_one_kind_are_not_told_apart() -> None:
    section = facets(collected())

    assert section is not None
    assert "facet-sources" not in [part.name for part in section.parts]
    assert "facet-language" in [part.name for part in section.parts]


def test_exits_stand_against_the_difficulty_at_minimal_effort() -> None:
    sample = collected()
    minimal = [a for a in sample.under("minimal") if a.dataset == "manuals"]
    missed = sum(1 - (a.main_support or 0) for a in minimal) / len(minimal)

    found = table_of(exits(sample), "exit-difficulty")

    assert difficulty(sample, ("field_service", "manuals")) == pytest.approx(missed)
    assert [row["Setting"] for row in found] == ["medium"] * 3
    assert found[0]["Difficulty"] == f"{missed * 100:.1f} %"
    exited = [a for a in sample.under("medium") if a.dataset == "manuals" and a.exit_classifier]
    assert found[0]["Exits judged"] == str(len(exited))


def test_without_minimal_effort_exits_are_told_but_not_drawn() -> None:
    rows = [row for row in sample_rows() if row.setting == "medium"]

    section = exits(collected(rows))

    assert section is not None
    assert not any(isinstance(part, Plot) for part in section.parts)
    assert {row["Difficulty"] for row in table_of(section, "exit-numbers")} == {MISSING}


def test_without_a_classifier_there_are_no_exits_and_no_calibrated_probability() -> None:
    sample = collected([row for row in sample_rows() if row.setting != "medium"])

    section = calibration(sample)

    assert exits(sample) is None
    assert section is not None
    assert "sufficient-reliability" not in [part.name for part in section.parts]


def test_calibration_is_told_by_language() -> None:
    found = table_of(calibration(collected()), "sufficient-calibration")

    assert [row["Language"] for row in found] == ["en", "fr", "zh"]
    assert all(0 <= float(row["ECE"]) <= 1 for row in found)


def test_calibration_is_told_by_source_where_there_are_several() -> None:
    found = table_of(calibration(collected()), "score-calibration-source")
    alone = calibration(collected([row for row in sample_rows() if row.dataset == "manuals"]))

    assert [row["Source"] for row in found] == ["contracts", "manuals", "tickets"]
    by_language = table_of(calibration(collected()), "score-calibration")
    cases = [
        sum(int(row["Cases"].replace(",", "")) for row in rows) for rows in (found, by_language)
    ]
    assert cases[0] == cases[1]
    assert alone is not None
    assert "score-calibration-source" not in [part.name for part in alone.parts]


def test_empty_bins_have_a_dash() -> None:
    sample = collected()
    sample.forecasts["sufficient"] = sample.forecasts["sufficient"][:1]

    found = table_of(calibration(sample), "sufficient-reliability")

    assert sum(row["Came true"] == MISSING for row in found) == 9


def test_nothing_that_was_forecast_means_no_such_chapter() -> None:
    assert calibration(collected([replace(row, gold=[]) for row in sample_rows(2)])) is None


def test_scores_are_told_by_layer_and_grade() -> None:
    found = table_of(scores(collected()), "score-grades")

    assert [row["Grade"] for row in found] == ["not judged"] * 2 + ["3"] * 2 + ["4"] * 2
    assert {row["Layer"] for row in found} == {"L2, ranker", "L3, classifier"}
    assert all(float(row["25%"]) <= float(row["50%"]) <= float(row["75%"]) for row in found)


def test_scores_of_passages_that_nobody_graded_alone_are_not_drawn() -> None:
    rows = [replace(row, layers={"rank": ["x"]}, scores={"rank": [1.0]}) for row in sample_rows(1)]

    assert scores(collected(rows)) is None


def test_steps_come_in_the_order_of_the_run_and_add_up() -> None:
    found = [r for r in table_of(cost(collected()), "step-times") if r["Setting"] == "medium"]

    assert [row["Step"] for row in found] == [
        "plan",
        "federate",
        "rank",
        "classify",
        "merge",
        "answer",
    ]
    shares = [float(row["Share of steps"].removesuffix(" %")) for row in found]
    assert sum(shares) == pytest.approx(100, abs=0.3)


def test_a_step_that_no_run_of_a_setting_took_has_no_row() -> None:
    found = table_of(cost(collected()), "step-times")

    assert ("minimal", "classify") not in [(row["Setting"], row["Step"]) for row in found]


def test_tokens_that_nobody_counted_are_a_dash() -> None:
    rows = [replace(row, tokens={}) for row in sample_rows(2)]

    found = table_of(cost(collected(rows)), "model-use")

    assert {row["Tokens in"] for row in found} == {MISSING}
    assert {row["Calls"] for row in found} == {"1.00"}


def test_a_failed_run_makes_no_model_look_cheaper() -> None:
    rows = [*sample_rows(2), failed_row("manuals", 2, "low")]

    found = {row["Setting"]: row for row in table_of(cost(collected(rows)), "model-use")}

    assert found["low"]["Calls"] == "1.00"
    assert found["low"]["Questions"] == "6"


def test_scores_on_the_split_where_thresholds_are_chosen_are_not_drawn() -> None:
    rows = sample_rows(2)
    chosen_on = [replace(row, setting="graded-pairs-dev") for row in rows]

    both, alone = scores(collected([*rows, *chosen_on])), scores(collected(rows))

    assert table_of(both, "score-grades") == table_of(alone, "score-grades")


def test_without_times_there_is_no_cost() -> None:
    rows = [
        replace(row, step_ms={}, elapsed_ms=None, calls={}, tokens={}) for row in sample_rows(1)
    ]

    assert cost(collected(rows)) is None
