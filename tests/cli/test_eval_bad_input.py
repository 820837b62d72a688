"""What is wrong with data or disk is said by `headwater eval`, with the way out."""

import json
import resource
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headwater.evaluation.run.journal import RESULTS, Journal
from tests.cli.commands import command, error_of, headwater
from tests.evaluation.data.corpora import write_data, write_rows
from tests.evaluation.rows import row


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("indexes")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def line(small: Path, indexes: Path, out: Path) -> list[str]:
    """An evaluation of three questions at one effort."""
    places = ["--data", str(small), "--cache", str(indexes), "--out", str(out)]
    return ["eval", "effort", "--kb", "sky", "--effort", "minimal", *places]


def _run(out: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads((out / "run.json").read_text())
    return said


def test_a_folder_of_data_that_is_not_there_is_named(tmp_path: Path) -> None:
    error = error_of(headwater("eval", "effort", "--data", tmp_path / "gone", "--out", tmp_path))

    assert f"{tmp_path / 'gone'}: There is no such folder" in error
    assert "docs/evaluation-data.md" in error


def test_a_knowledge_base_that_is_not_there_names_those_that_are(
    line: list[str], out: Path
) -> None:
    error = error_of(headwater(*line, "--split", "dev", "--kb", "sea"))

    assert "no knowledge base 'sea'" in error
    assert "Known knowledge bases are sky; data sets are planets, stars." in error
    assert not out.exists()


def test_a_split_without_questions_is_an_error_with_the_way_out(line: list[str], out: Path) -> None:
    error = error_of(headwater(*line, "--split", "train"))

    assert "'sky' has no questions for the split 'train'" in error
    assert "--split" in error
    assert not out.exists()


def test_a_question_whose_gold_passage_is_missing_is_left_out_and_counted(
    line: list[str], small: Path, out: Path
) -> None:
    write_rows(small / "stars" / "qrels.dev.jsonl", [{"qid": "s1", "docid": "vega"}])

    result = headwater(*line, "--split", "dev", "--json")
    again = headwater(*line, "--split", "dev")

    assert result.exit_code == 0, result.output
    assert "2 kept from before, 1 question left out" in again.stdout
    [folder] = json.loads(result.stdout)["folders"]
    assert folder["asked"] == 2
    assert folder["excluded"] == [
        {
            "dataset": "stars",
            "qid": "s1",
            "reason": "its gold passage 'vega' is not in the corpus",
            "at_fault": True,
        }
    ]
    reason = "stars: its gold passage is not in the corpus"
    assert _run(out)["excluded"] == {reason: 1}
    assert reason in (out / "report.md").read_text()
    named = "stars: question 's1' is left out: its gold passage 'vega' is not in the corpus"
    assert named in result.stderr
    assert named in _run(out)["problems"]


def test_an_evaluation_of_which_no_question_can_be_asked_is_an_error(
    line: list[str], small: Path
) -> None:
    for name, qid in (("planets", "p1"), ("planets", "p2"), ("stars", "s1")):
        with (small / name / "qrels.dev.jsonl").open("a") as file:
            file.write(json.dumps({"qid": qid, "docid": "nowhere", "grade": 3}) + "\n")

    result = headwater(*line, "--split", "dev")

    assert result.exit_code == 1
    assert "results.jsonl: No question could be asked. For one, question" in result.stderr
    assert "its gold passage 'nowhere' is not in the corpus" in result.stderr


@pytest.mark.parametrize("strict", [False, True])
def test_a_broken_passage_is_named_and_left_out_or_ends_a_strict_run(
    line: list[str], small: Path, out: Path, *, strict: bool
) -> None:
    with (small / "stars" / "corpus.jsonl").open("a") as file:
        file.write('{"id": "vega", "text": \n')

    result = headwater(*line, "--split", "dev", *(["--strict"] if strict else []))

    assert f"{small / 'stars' / 'corpus.jsonl'}:3: " in result.stderr
    assert result.exit_code == (1 if strict else 0)
    assert (out / "report.md").exists() != strict


def test_on_a_full_disk_the_rows_are_kept_and_their_number_is_said(
    line: list[str], out: Path
) -> None:
    asking = [*line, "--split", "dev"]
    assert headwater(*asking).exit_code == 0
    path, room = out / RESULTS, 1_000_000
    path.unlink()
    with Journal.open(out) as journal:
        for qid in ("other-1", "other-2"):
            journal.append(replace(row(qid=qid), answer="x" * (room // 2)))
    kept = path.read_bytes()

    done = subprocess.run(
        command(*asking),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(kept) + 10,) * 2),
    )

    assert done.returncode == 1, done.stderr
    assert f"{path}: Cannot be written: " in done.stderr
    assert "2 rows are kept; the same command goes on after them." in done.stderr
    assert "Make room" in done.stderr
    assert path.read_bytes() == kept
    again = headwater(*asking)
    assert "3 asked" in again.stdout
