from dataclasses import replace
from typing import Any

import pytest

from headwater.cli.report_run import activity_table, fate_lines, stop_lines, sub_query_lines
from headwater.domain.activity import ActivityRecord
from headwater.domain.fate import REASONS
from headwater.domain.result import Exit, Fates
from tests.cli.output import printed
from tests.cli.sample import RESULT, result


def rows() -> list[list[str]]:
    shown = printed(lambda screen: screen.print(activity_table(RESULT)))
    return [line.split() for line in shown.splitlines()]


def test_each_record_is_a_row_with_count_and_time() -> None:
    assert rows()[0] == ["step", "round", "sub-query", "source", "count", "ms"]
    assert rows()[1] == ["federate", "1", "q1", "manuals", "7", "12.3"]


def test_an_unknown_count_is_not_shown_as_zero() -> None:
    failed, merge = rows()[2:]

    assert failed == ["federate", "1", "q1", "web", "1.0", "error:", "it", "is", "down"]
    assert merge == ["merge", "1", "0", "0.4", "nothing", "new"]


def test_exits_are_told_with_probability_and_threshold() -> None:
    assert stop_lines(RESULT) == [
        "q1: P(enough) 0.91 ≥ 0.80, the evidence suffices",
        "q2: P(enough) 0.40 < 0.80, asked again in round 2",
        "q3: P(enough) is not known, and this was the last round",
    ]


def test_a_threshold_that_no_probability_reaches_is_put_in_words() -> None:
    never = replace(RESULT.sub_queries[1], exit=Exit(0.7, 1.01, "reflect"))

    [line] = stop_lines(result(sub_queries=[never]))

    assert line == "q2: P(enough) 0.70, which alone never ends a run here, asked again in round 2"


def test_a_run_that_reflection_ended_says_what_reflection_said() -> None:
    asked_once = replace(RESULT.sub_queries[1], exit=Exit(0.4, 0.8, "reflect"))
    said = ActivityRecord(step="reflect", round=1, started=0, elapsed_ms=1, detail="satisfied")

    one_round = result(rounds=1, sub_queries=[asked_once], activity=[said])

    assert stop_lines(one_round) == ["q2: P(enough) 0.40 < 0.80, satisfied"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"effort": "low"}, "Effort low has one round"),
        ({"effort": "auto"}, "a high score"),
        ({"effort": "low", "status": "failed"}, "No source could be asked"),
    ],
)
def test_a_run_without_judgement_says_why_there_is_none(
    changes: dict[str, Any], words: str
) -> None:
    unjudged = [replace(query, exit=None) for query in RESULT.sub_queries]

    [line] = stop_lines(result(sub_queries=unjudged, **changes))

    assert words in line


def test_the_balance_names_each_reason_that_cut_something() -> None:
    assert fate_lines(RESULT) == [
        "7 found, 3 kept",
        "3 scored too low by the ranker",
        "1 closed to whoever asks",
    ]


def test_every_reason_has_words() -> None:
    everything = Fates(found=7, kept=0, cut=dict.fromkeys(REASONS, 1))

    assert len(set(fate_lines(result(fates=everything)))) == len(REASONS) + 1


def test_sub_queries_are_told_with_their_sources() -> None:
    assert sub_query_lines(RESULT)[0] == "q1: Which seal? → manuals"
