import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.cli.evaluating import _with_efforts
from headwater.evaluation import extra
from headwater.evaluation.run.experiments.catalogue import EXPERIMENTS
from tests.cli.commands import command, error_of, headwater
from tests.evaluation.data.corpora import write_data

Evaluate = Callable[..., Path]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("indexes")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


@pytest.fixture
def arguments(small: Path, indexes: Path) -> list[str]:
    """What every evaluation of the small data says."""
    return ["--data", str(small), "--split", "dev", "--cache", str(indexes), "--kb", "sky"]


def _rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_an_experiment_writes_a_folder_and_says_where(arguments: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"

    result = headwater("eval", "effort", *arguments, "--out", out)

    assert result.exit_code == 0, result.output
    assert f"{out / 'report.html'}: 12 asked" in result.stdout
    assert "12 of 12" in result.stderr
    assert {path.name for path in out.iterdir()} == {
        "results.jsonl",
        "run.json",
        "report.md",
        "report.html",
        "summary.json",
    }
    assert {row["setting"] for row in _rows(out)} == {"minimal", "low", "medium", "auto"}
    assert json.loads((out / "run.json").read_text())["command"].startswith("headwater ")


def test_the_same_command_again_asks_nothing(arguments: list[str], tmp_path: Path) -> None:
    command_line = ["eval", "exit", *arguments, "--out", str(tmp_path / "out"), "--json"]
    headwater(*command_line)

    result = headwater(*command_line)

    [folder] = json.loads(result.stdout)["folders"]
    assert (folder["asked"], folder["skipped"], folder["failed"]) == (0, 6, 0)


def test_effort_sample_and_workers_are_heeded(arguments: list[str], tmp_path: Path) -> None:
    narrowed = ["--effort", "low", "--sample", "2", "--seed", "5", "--workers", "2"]

    headwater("eval", "effort", *arguments, *narrowed, "--out", tmp_path / "out")

    rows = _rows(tmp_path / "out")
    assert len(rows) == 2
    assert {row["setting"] for row in rows} == {"low"}


def test_another_ranker_is_measured_and_its_rows_stand_apart(
    arguments: list[str], tmp_path: Path
) -> None:
    line = ["eval", "effort", *arguments, "--effort", "low", "--out", str(tmp_path / "out")]

    first = headwater(*line, "--ranker", "similarity")
    other = headwater(*line)

    assert first.exit_code == 0, first.stderr
    said = json.loads((tmp_path / "out" / "run.json").read_text())
    assert said["models"]["ranker"] == "similarity"
    assert other.exit_code == 1
    assert "other conditions: models was" in other.stderr


def test_a_killed_evaluation_goes_on_where_it_was(arguments: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    line = ["eval", "effort", *arguments, "--out", str(out)]
    path = out / "results.jsonl"
    process = subprocess.Popen(command(*line), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (path.exists() and path.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = path.read_bytes().rpartition(b"\n")[0]

    result = headwater(*line)

    assert result.exit_code == 0, result.output
    assert path.read_bytes().startswith(kept)
    keys = [(row["setting"], row["qid"]) for row in _rows(out)]
    assert len(keys) == len(set(keys)) == 12


def test_a_users_own_knowledge_base_is_measured(tmp_path: Path) -> None:
    folder, out = tmp_path / "mine", tmp_path / "out"
    made = headwater("eval", "init", folder)
    assert made.exit_code == 0, made.output
    assert f"headwater eval effort --kb {folder}" in made.stdout

    result = headwater("eval", "effort", "--kb", folder, "--effort", "low", "--out", out)

    assert result.exit_code == 0, result.output
    rows = {row["qid"]: row for row in _rows(out)}
    assert set(rows) == {"q1", "q2"}
    assert rows["q1"]["base"] == "my-evaluation"
    assert rows["q1"]["gold_sources"] == ["customer_questions"]


def test_rows_from_before_a_document_was_changed_do_not_pass_for_new_ones(tmp_path: Path) -> None:
    headwater("eval", "init", tmp_path / "mine")
    line = ["eval", "effort", "--kb", str(tmp_path / "mine"), "--effort", "minimal"]
    out = tmp_path / "mine" / "documents" / "guides" / "results"
    for asked in ("2 asked", "2 kept from before"):
        assert asked in headwater(*line, "--out", out).stdout
    (tmp_path / "mine" / "documents" / "guides" / "more.md").write_text("# Potatoes\n\nSow.\n")

    error = error_of(headwater(*line, "--out", out))

    assert "other conditions: data was" in error
    assert "--out" in error


def test_questions_may_lie_beside_another_knowledge_base(tmp_path: Path) -> None:
    headwater("eval", "init", tmp_path / "mine")
    questions = tmp_path / "questions"
    questions.mkdir()
    (tmp_path / "mine" / "queries.jsonl").rename(questions / "queries.jsonl")
    base = tmp_path / "mine" / "headwater.toml"
    line = ["eval", "effort", "--kb", str(base), "--effort", "minimal"]
    places = ["--out", str(tmp_path / "out"), "--queries", str(questions / "queries.jsonl")]

    result = headwater(*line, *places)

    assert result.exit_code == 0, result.output
    assert len(_rows(tmp_path / "out")) == 2


def test_two_folders_are_compared_question_by_question(
    arguments: list[str], tmp_path: Path
) -> None:
    for name in ("before", "after"):
        headwater("eval", "effort", *arguments, "--effort", "low", "--out", tmp_path / name)
    page = tmp_path / "table.md"

    result = headwater("eval", "compare", tmp_path / "before", tmp_path / "after", "--out", page)

    assert result.exit_code == 0, result.output
    assert "sky · low · planets (2 questions)" in result.stdout
    assert "full_support@5k" in result.stdout
    assert "better" not in result.stdout
    assert "| full_support@5k | 1.000 | 1.000 | +0.000 |" in page.read_text()


def test_a_comparison_as_json_has_every_measure(arguments: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    headwater("eval", "effort", *arguments, "--effort", "minimal", "--out", out)

    result = headwater("eval", "compare", out, out, "--json")

    found = json.loads(result.stdout)
    assert found["unmatched"] == []
    names = {change["measure"] for change in found["groups"][0]["changes"]}
    assert {"full_support@1k", "recall@10.rank", "citation_validity"} <= names


def test_a_comparison_says_what_both_sides_have_unlike(
    arguments: list[str], tmp_path: Path
) -> None:
    line = ["eval", "effort", *arguments, "--effort", "minimal"]
    headwater(*line, "--out", tmp_path / "whole")
    headwater(*line, "--out", tmp_path / "cut", "--passages", "1")
    page = tmp_path / "table.md"

    result = headwater("eval", "compare", tmp_path / "whole", tmp_path / "cut", "--out", page)
    same = headwater("eval", "compare", tmp_path / "cut", tmp_path / "cut")

    said = "Conditions are unlike. Passages a source: none, then 1."
    assert said in result.stderr
    assert said in page.read_text("utf-8")
    assert "unlike" not in same.stderr


def test_comparing_questions_of_which_none_is_on_both_sides_is_an_error(
    arguments: list[str], tmp_path: Path
) -> None:
    for effort in ("minimal", "low"):
        headwater("eval", "effort", *arguments, "--effort", effort, "--out", tmp_path / effort)

    result = headwater("eval", "compare", tmp_path / "minimal", tmp_path / "low")

    assert result.exit_code == 1
    assert "no question in common" in result.stderr


def test_the_folder_of_results_is_called_after_the_knowledge_base(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    headwater("eval", "init", "mine")

    for line in (arguments, ["--kb", "./mine"]):
        assert headwater("eval", "effort", *line, "--effort", "minimal").exit_code == 0

    assert {path.name for path in (tmp_path / "eval").iterdir()} == {"effort-sky", "effort-mine"}


def test_comparing_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    assert "results.jsonl" in error_of(headwater("eval", "compare", tmp_path, tmp_path))


def test_without_data_the_way_out_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADWATER_DATA", raising=False)

    error = error_of(headwater("eval", "effort", "--out", tmp_path))

    assert "--data" in error
    assert "HEADWATER_DATA" in error


def test_a_folder_without_a_knowledge_base_is_an_error(tmp_path: Path) -> None:
    assert "headwater.toml" in error_of(headwater("eval", "effort", "--kb", tmp_path))


def test_a_broken_line_is_named_and_left_out_or_ends_a_strict_run(
    arguments: list[str], small: Path, tmp_path: Path
) -> None:
    with (small / "planets" / "queries.dev.jsonl").open("w") as file:
        file.write('{"id": "p1", "question": "Which moons has Mars?", "lang": "en"}\n{"id": \n')
    (small / "planets" / "queries.dev.jsonl.gz").unlink()
    line = ["eval", "effort", *arguments, "--effort", "minimal"]

    tolerant = headwater(*line, "--out", tmp_path / "tolerant")
    strict = headwater(*line, "--out", tmp_path / "strict", "--strict")

    assert tolerant.exit_code == 0
    assert "queries.dev.jsonl:2:" in tolerant.stderr
    assert len(_rows(tmp_path / "tolerant")) == 2
    assert "queries.dev.jsonl:2:" in error_of(strict)


def test_without_the_extra_its_name_is_said(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extra, "import_module", absent)

    error = error_of(headwater("eval", "effort", *arguments, "--out", tmp_path / "out"))

    assert "headwater[eval]" in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("own", [False, True])
def test_all_takes_no_knowledge_base(arguments: list[str], tmp_path: Path, *, own: bool) -> None:
    if own:
        headwater("eval", "init", tmp_path / "mine")
    line = ["--kb", str(tmp_path / "mine")] if own else arguments

    result = headwater("eval", "all", *line)

    assert result.exit_code == 2
    assert "--kb" in result.stderr


def test_an_option_that_would_do_nothing_is_refused(arguments: list[str], tmp_path: Path) -> None:
    places = [*arguments, "--out", str(tmp_path / "out")]

    effort = headwater("eval", "multi-hop", *places, "--effort", "low")
    queries = headwater("eval", "effort", *places, "--queries", str(tmp_path))

    headwater("eval", "init", tmp_path / "mine")
    mine = ["--kb", str(tmp_path / "mine")]
    ranker = headwater("eval", "effort", *mine, "--ranker", "similarity")

    assert (effort.exit_code, queries.exit_code, ranker.exit_code) == (2, 2, 2)
    assert "your own file names its own" in ranker.stderr
    assert "'multi-hop' does not vary the effort" in effort.stderr
    assert "--queries goes with your own knowledge base" in queries.stderr
    assert not (tmp_path / "out").exists()


def test_an_effort_that_an_experiment_lacks_is_named(arguments: list[str], tmp_path: Path) -> None:
    result = headwater("eval", "exit", *arguments, "--out", tmp_path, "--effort", "low")

    assert "It knows minimal, medium." in error_of(result)


def test_of_all_only_experiments_without_the_effort_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = _with_efforts(list(EXPERIMENTS.values()), ["low"])

    assert {*EXPERIMENTS} - {one.name for one in kept} == {"exit"}
    assert "exit: left out" in capsys.readouterr().err


LOADED = """
import sys
from headwater.cli.main import cli
cli.main(["eval", *sys.argv[1:], "--help"], standalone_mode=False)
print("loaded:", [name for name in ("headwater.evaluation", "torch") if name in sys.modules])
"""


@pytest.mark.parametrize("name", ["", "effort", "all", "compare", "init"])
def test_help_is_given_without_loading_an_evaluation(name: str) -> None:
    arguments = [sys.executable, "-c", LOADED, *filter(None, [name])]

    result = subprocess.run(arguments, capture_output=True, text=True, check=True)

    assert "Usage: " in result.stdout
    assert "loaded: []" in result.stdout
