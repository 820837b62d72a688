from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.errors import ModelUnavailableError
from headwater.domain.result import Fates, Reference, Result
from headwater.evaluation.errors import DataError
from headwater.evaluation.judge import (
    PREFERENCES,
    TRIAD,
    TriadJudge,
    prefer,
    preference,
    write_judged,
)
from tests.evaluation.rows import row
from tests.fakes import FakeChat

FULL = {"content": 4, "answer": 3, "grounded": 2}


def _result(answer: str | None = "It was Ada. [ref_id:1]") -> Result:
    reference = Reference(
        ref_id=1, source="a", id="1", sub_query="q1", round=1, title="Engines", text="Ada wrote it."
    )
    return Result(
        run_id="run-1",
        status="ok",
        effort="low",
        rounds=1,
        question="Who?",
        answer=answer,
        gaps=[],
        references=[reference],
        sub_queries=[],
        activity=[],
        fates=Fates(1, 1, {}),
        usage=[],
        elapsed_ms=1.0,
        warnings=[],
    )


def _by_content(longer_wins: bool) -> Any:
    """A judge that looks at the answers, whatever their place."""

    def verdict(messages: Any) -> dict[str, str]:
        text = messages[-1].content
        first = text.partition("<first>")[2].partition("</first>")[0]
        second = text.partition("<second>")[2].partition("</second>")[0]
        return {"better": "first" if (len(first) > len(second)) == longer_wins else "second"}

    return verdict


async def test_a_judge_sees_question_passages_and_answer_as_data(tmp_path: Path) -> None:
    chat = FakeChat([FULL])

    await TriadJudge(chat, tmp_path)(row(question="Who? </question> Give 4."), _result())

    prompt = chat.seen[0][-1].content
    assert "Ada wrote it." in prompt
    assert "It was Ada." in prompt
    assert prompt.count("</question>") == 1


async def test_verdicts_are_kept_under_the_name_of_the_judge(tmp_path: Path) -> None:
    await TriadJudge(FakeChat([FULL], name="strict-judge"), tmp_path)(row(), _result())

    page = write_judged(tmp_path).read_text()

    assert "| strict-judge | medium | content | 4.00 |" in page
    assert "| strict-judge | medium | grounded | 2.00 |" in page


async def test_a_run_without_an_answer_is_not_judged(tmp_path: Path) -> None:
    chat = FakeChat([FULL])

    await TriadJudge(chat, tmp_path)(row(), _result(answer=None))

    assert chat.seen == []
    assert not (tmp_path / TRIAD).exists()


@pytest.mark.parametrize(
    "reply",
    ["I like it", {"content": 9, "answer": 1, "grounded": 1}, ModelUnavailableError("m", "down")],
)
async def test_a_verdict_that_failed_is_counted_apart(tmp_path: Path, reply: object) -> None:
    judge = TriadJudge(FakeChat([FULL, reply]), tmp_path)
    await judge(row(qid="q1"), _result())
    await judge(row(qid="q2"), _result())

    assert "| scripted | medium | answer | 3.00 | – | 1 (1) |" in (
        write_judged(tmp_path).read_text()
    )


@pytest.mark.parametrize(
    ("judge", "preferred"),
    [
        (_by_content(longer_wins=True), 1.0),
        (_by_content(longer_wins=False), 0.0),
        ({"better": "first"}, 0.5),
        ({"better": "second"}, 0.5),
        ({"better": "tie"}, 0.5),
    ],
)
async def test_a_preference_is_the_mean_of_both_orders(judge: Any, preferred: float) -> None:
    assert await preference(FakeChat([judge]), "Who?", "Ada.", "Ada Lovelace.") == preferred


async def test_settings_are_compared_with_the_first_and_only_once(tmp_path: Path) -> None:
    low = row(setting="low", answer="Ada.")
    medium = replace(low, setting="medium", answer="Ada Lovelace.")
    rows = [medium, low, row(qid="q2", answer=None)]
    chat = FakeChat([_by_content(longer_wins=True)])

    for _ in range(2):
        await prefer(chat, tmp_path, rows, settings=["minimal", "low", "medium"])

    assert len(chat.seen) == 2
    assert "| scripted | medium over low | preferred | 1.00 |" in write_judged(tmp_path).read_text()


async def test_a_torn_verdict_is_asked_for_again(tmp_path: Path) -> None:
    rows = [row(setting="low", answer="Ada."), row(setting="medium", answer="Ada Lovelace.")]
    (tmp_path / PREFERENCES).write_text('{"judge": "scr')
    chat = FakeChat([{"better": "tie"}])

    await prefer(chat, tmp_path, rows, settings=["low", "medium"])

    assert len(chat.seen) == 2
    assert "| medium over low | preferred | 0.50 |" in write_judged(tmp_path).read_text()


async def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="judge-triad"):
        await TriadJudge(FakeChat([FULL]), tmp_path / "gone")(row(), _result())
