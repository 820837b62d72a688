from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.evaluation.record import ResultRow
from headwater.evaluation.summary import MEASURES, Group, summarise
from tests.evaluation.rows import asked, gold, row, rows


def test_means_are_told_by_base_setting_and_data_set() -> None:
    found = summarise([row(setting="low"), row(setting="medium", qid="q2"), row(dataset="piaf")])

    assert [(g.base, g.setting, g.dataset, g.rows) for g in found.groups] == [
        ("wiki", "low", "squad2", 1),
        ("wiki", "medium", "squad2", 1),
        ("wiki", "medium", "piaf", 1),
    ]


def test_what_is_unscored_is_counted_by_reason_and_not_as_zero() -> None:
    some = [
        row(),
        row(qid="q2", gold=[gold("d9")]),
        row(qid="q3", answerable=False),
        row(qid="q4", gold=[]),
        row(qid="q5", answerable=False),
        row(qid="q6", error="boom"),
    ]

    (group,) = summarise(some).groups
    line = group.line("full_support@5k")

    assert (line.n, line.mean, line.median) == (2, 0.5, 0.5)
    assert line.excluded == {
        "unanswerable": 2,
        "no gold passage is known": 1,
        "the run ended with an error": 1,
    }
    assert (group.rows, group.errors) == (6, 1)


def test_a_measure_that_no_question_has_is_none() -> None:
    (group,) = summarise([row()]).groups
    line = group.line("exit_lacked_evidence")

    assert (line.n, line.mean, line.low, line.high) == (0, None, None, None)
    assert line.excluded == {"the classifier did not run": 1}
    assert group.calibration is None


def test_few_questions_that_all_have_one_leave_room_for_doubt() -> None:
    [group] = summarise([row(qid=str(n), elapsed_ms=5.0) for n in range(5)]).groups

    found = group.line("full_support@5k")
    assert (found.mean, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025 ** (1 / 5))
    assert group.line("elapsed_ms").low == 5.0


def test_the_times_of_a_few_questions_have_no_interval() -> None:
    [group] = summarise([row(qid=str(n), elapsed_ms=5.0 + n) for n in range(4)]).groups

    assert group.line("elapsed_ms").mean == 6.5
    assert group.line("elapsed_ms").low is None


def test_the_calibration_of_a_single_case_is_told_without_an_interval() -> None:
    stated = row(sub_queries=[asked(probability=0.9, decision="exit")])

    calibration = summarise([stated]).groups[0].calibration

    assert calibration is not None
    assert calibration.ece == pytest.approx(0.1)
    assert (calibration.ece_interval, calibration.auroc_interval) == (None, None)


def test_the_calibration_of_the_exits_is_in_the_group() -> None:
    stated = [(0.9, True), (0.7, False), (0.4, True), (0.2, False), (0.55, True)]
    some = [
        row(
            qid=f"q{i}",
            gold=[gold("d1" if true else "d9")],
            sub_queries=[asked(probability=p, decision="exit")],
        )
        for i, (p, true) in enumerate(stated)
    ]

    calibration = summarise(some).groups[0].calibration

    assert calibration is not None
    assert calibration.n == 5
    assert calibration.ece == pytest.approx((0.1 + 0.7 + 0.6 + 0.2 + 0.45) / 5)
    assert calibration.auroc == pytest.approx(4 / 6)
    assert calibration.ece_interval is not None
    assert calibration.ece_interval.low <= calibration.ece <= calibration.ece_interval.high


@settings(max_examples=15)
@given(st.lists(rows, max_size=8), st.randoms())
def test_the_order_of_the_rows_changes_no_number(some: list[ResultRow], shuffler: Random) -> None:
    shuffled = list(some)
    shuffler.shuffle(shuffled)

    def by_key(found: list[ResultRow]) -> dict[tuple[str, str], Group]:
        return {(g.setting, g.dataset): g for g in summarise(found).groups}

    first, second = by_key(some), by_key(shuffled)

    assert first.keys() == second.keys()
    for key, group in first.items():
        assert group == second[key]
        assert [line.measure for line in group.lines] == [m.name for m in MEASURES]
        assert all(line.n + sum(line.excluded.values()) == group.rows for line in group.lines)


def test_rows_are_read_once_and_may_come_from_a_stream() -> None:
    many = (row(qid=f"q{i}", gold=[gold("d1" if i % 4 else "d9")]) for i in range(600))

    (group,) = summarise(many).groups
    line = group.line("full_support@10k")

    assert (group.rows, line.n, line.mean) == (600, 600, 0.75)
    assert line.low is not None
    assert line.high is not None
    assert 0.70 < line.low < 0.75 < line.high < 0.80
