import pytest

from headwater.evaluation.measures.exits import (
    exit_brier,
    exit_lacked_evidence,
    exited_by_classifier,
    exited_with_reflection,
    reliability,
    sufficient,
)
from tests.evaluation.rows import asked, gold, piece, row

EXIT = asked("1.1", decision="exit", probability=0.9)
REFLECT = asked("1.2", decision="reflect", probability=0.2)


def test_all_sub_queries_must_exit() -> None:
    assert exited_by_classifier(row(sub_queries=[EXIT])) == 1.0
    assert exited_by_classifier(row(sub_queries=[EXIT, REFLECT])) == 0.0
    assert exited_by_classifier(row(sub_queries=[EXIT, asked("2.1", round=2)])) == 1.0


def test_reflection_lets_it_exit_where_no_second_round_came() -> None:
    assert exited_with_reflection(row(sub_queries=[REFLECT], rounds=1)) == 1.0
    assert exited_with_reflection(row(sub_queries=[REFLECT], rounds=2)) == 0.0


def test_reflection_has_no_say_where_one_round_is_all() -> None:
    alone = row(sub_queries=[REFLECT], rounds=1, max_rounds=1)

    assert exited_with_reflection(alone) is None
    assert exited_by_classifier(alone) == 0.0


def test_an_exit_lacks_evidence_where_the_content_does() -> None:
    missing = {"gold": [gold("d1", 3), gold("d2", 3)]}

    assert exit_lacked_evidence(row(sub_queries=[EXIT], **missing)) == 1.0
    assert exit_lacked_evidence(row(sub_queries=[EXIT])) == 0.0
    assert exit_lacked_evidence(row(sub_queries=[REFLECT], **missing)) is None
    assert exit_lacked_evidence(row(sub_queries=[EXIT], answerable=False)) is None


def test_without_the_classifier_there_is_no_exit_to_judge() -> None:
    for measure in (exited_by_classifier, exited_with_reflection, exit_lacked_evidence, exit_brier):
        assert measure(row(sub_queries=[asked()])) is None
        assert measure(row(sub_queries=[])) is None


def test_what_was_stated_is_held_against_what_the_first_round_brought() -> None:
    later = [piece("d1", sub_query="2.1")]

    first, second = (
        sufficient(row(sub_queries=[EXIT, REFLECT])),
        sufficient(row(sub_queries=[EXIT], content=later)),
    )

    assert first is not None
    assert second is not None
    assert (first.probability, first.outcome) == (0.2, True)
    assert (second.probability, second.outcome) == (0.9, False)
    assert exit_brier(row(sub_queries=[EXIT])) == pytest.approx(0.01)


def test_reliability_is_told_by_language_and_by_source() -> None:
    some = [
        row(sub_queries=[EXIT], lang="fr"),
        row(sub_queries=[EXIT], lang="zh", content=[], gold_sources=["a", "b"]),
        row(error="boom"),
    ]

    french, chinese = reliability(some, "lang")
    by_source = reliability(some, "source")

    assert (french.group, chinese.group) == ("fr", "zh")
    assert french.brier == pytest.approx(0.01)
    assert chinese.brier == pytest.approx(0.81)
    assert [(group.group, group.n) for group in by_source] == [("a", 1), ("several", 1)]


def test_grades_are_read_as_the_probability_of_being_gold() -> None:
    content = [piece("d1", grade=4.0), piece("d2", grade=2.0, source="b"), piece("d3")]

    first, second = reliability([row(content=content)], "source", of="grade")

    assert (first.group, first.n, first.brier) == ("a", 1, 0.0)
    assert (second.group, second.brier) == ("b", 0.25)
    assert reliability([row(content=content)], "source", of="score") == []
