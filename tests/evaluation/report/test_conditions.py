"""The conditions of a run."""

from headwater.evaluation.report.conditions import (
    conditions,
    not_asked,
    problem_notice,
    shown,
)


def test_what_is_asked_for_most_comes_first() -> None:
    run = {"python": "3.11", "seed": 7, "commit": "0123abc", "experiment": "effort"}

    assert [label for label, _ in conditions(run)] == ["Experiment", "Commit", "Seed", "Python"]


def test_the_question_is_not_repeated_and_what_is_empty_is_left_out() -> None:
    run: dict[str, object] = {"question": "Why?", "sample": None, "bases": [], "git_commit": "a"}

    assert conditions(run) == [("Git commit", "a")]


def test_zero_and_no_are_values() -> None:
    assert conditions({"seed": 0, "strict": False}) == [("Seed", "0"), ("Strict", "no")]


def test_nested_values_are_told_in_words() -> None:
    assert shown({"torch": "2.9", "gpu": None, "cores": [1, 2]}) == "torch 2.9, cores 1, 2"


def test_what_was_left_out_and_what_was_wrong_stand_elsewhere() -> None:
    run = {"excluded": {"manuals: no evidence": 3}, "problems": ["q.jsonl:4: broken", "another"]}

    assert conditions(run) == []
    assert not_asked(run) == {"manuals: no evidence": 3}
    assert problem_notice(run) == [
        "The data has problems: q.jsonl:4: broken and 1 more, named in run.json"
    ]


def test_nothing_wrong_is_not_worth_a_notice() -> None:
    assert problem_notice({"problems": []}) == []
    assert not_asked({"excluded": None}) == {}
