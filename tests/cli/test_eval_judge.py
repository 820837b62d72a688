"""`headwater eval --judge` with the client of a real provider and a model that is a stand-in."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from headwater.evaluation.judge import PAGE, PREFERENCES, TRIAD
from headwater.evaluation.summary import MEASURES
from tests.cli.chat_server import chat_server
from tests.cli.commands import headwater

NAME = "openai:stand-in"


@dataclass
class Judge:
    """Prefers the longer answer, and breaks down at every question with a word in it."""

    breaks_at: str = "nothing"
    asked: list[str] = field(default_factory=list)

    def __call__(self, text: str, tool: str) -> dict[str, Any] | None:
        self.asked.append(text)
        if self.breaks_at in _tagged(text, "question"):
            return None
        if tool == "Triad":
            return {"content": 4, "answer": 3, "grounded": 2}
        first, second = _tagged(text, "first"), _tagged(text, "second")
        if len(first) == len(second):
            return {"better": "tie"}
        return {"better": "first" if len(first) > len(second) else "second"}


def _tagged(text: str, tag: str) -> str:
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    made = Judge()
    with chat_server(made) as url:
        monkeypatch.setenv("OPENAI_API_BASE", url)
        monkeypatch.setenv("OPENAI_API_KEY", "no-key-at-all")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield made


@pytest.fixture
def line(tmp_path: Path) -> list[str]:
    """The command line of an evaluation of one's own two questions at two efforts."""
    assert headwater("eval", "init", tmp_path / "mine").exit_code == 0
    efforts = ["--effort", "low", "--effort", "medium"]
    out = ["--out", str(tmp_path / "out")]
    return ["eval", "effort", "--kb", str(tmp_path / "mine"), *efforts, *out]


def _objects(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text().splitlines()]


def _table(folder: Path) -> dict[tuple[str, str, str], list[str]]:
    """Mean, interval and number of each verdict, by judge, setting and name."""
    cells = [
        [cell.strip() for cell in text.strip("|").split("|")]
        for text in (folder / PAGE).read_text().splitlines()
        if text.startswith("|")
    ]
    return {(row[0], row[1], row[2]): row[3:] for row in cells[2:]}


def test_verdicts_stand_on_a_page_under_the_name_of_the_judge(
    judge: Judge, line: list[str], tmp_path: Path
) -> None:
    result = headwater(*line, "--judge", NAME)

    assert result.exit_code == 0, result.output
    assert f"verdicts of {NAME}: " in result.stderr
    table = _table(tmp_path / "out")
    assert {name for name, _, _ in table} == {NAME}
    triads = {"content": "4.00", "answer": "3.00", "grounded": "2.00"}
    for setting in ("low", "medium"):
        for verdict, mean in triads.items():
            assert table[NAME, setting, verdict][::2] == [mean, "2 (0)"]
    assert table[NAME, "medium over low", "preferred"][2] == "2 (0)"
    # Four answers, and two pairs of answers in both orders.
    assert len(judge.asked) == 4 + 2 * 2
    assert any("From November to February" in _tagged(text, "passages") for text in judge.asked)


def test_verdicts_are_none_of_the_measures(judge: Judge, line: list[str], tmp_path: Path) -> None:
    headwater(*line, "--judge", NAME)

    out = tmp_path / "out"
    assert judge.asked
    assert "stand-in" not in (out / "results.jsonl").read_text()
    for group in json.loads((out / "summary.json").read_text())["groups"]:
        assert set(group["measures"]) == {measure.name for measure in MEASURES}
        assert not any(NAME in cost["name"] for cost in group["costs"])
    assert "grounded" not in (out / "report.md").read_text()


def test_a_judge_that_breaks_down_is_counted_and_the_run_goes_on(
    judge: Judge, line: list[str], tmp_path: Path
) -> None:
    judge.breaks_at = "tomatoes"

    result = headwater(*line, "--judge", NAME, "--json")

    out = tmp_path / "out"
    assert result.exit_code == 0, result.output
    [folder] = json.loads(result.stdout)["folders"]
    assert (folder["asked"], folder["failed"]) == (4, 0)
    assert all(row["error"] is None for row in _objects(out / "results.jsonl"))
    table = _table(out)
    assert table[NAME, "low", "answer"] == ["3.00", "–", "1 (1)"]
    assert table[NAME, "medium over low", "preferred"][2] == "1 (1)"
    failed = [v for v in _objects(out / TRIAD) if v["error"]]
    assert {verdict["qid"] for verdict in failed} == {"q2"}
    assert all("answer" not in verdict for verdict in failed)


def test_a_comparison_that_failed_is_made_again_with_the_command(
    judge: Judge, line: list[str], tmp_path: Path
) -> None:
    judge.breaks_at = "tomatoes"
    headwater(*line, "--judge", NAME)
    judge.breaks_at = "nothing"
    judge.asked.clear()

    headwater(*line, "--judge", NAME)

    assert len(judge.asked) == 2
    assert [v["qid"] for v in _objects(tmp_path / "out" / PREFERENCES)] == ["q1", "q2", "q2"]
    assert _table(tmp_path / "out")[NAME, "medium over low", "preferred"][2] == "2 (0)"
