import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from headwater.evaluation.comparison import compare
from headwater.evaluation.data.questions import Choice
from headwater.evaluation.errors import DataError
from headwater.evaluation.report.results import Results
from headwater.evaluation.run import conditions
from headwater.evaluation.run.conditions import RUN
from headwater.evaluation.run.conduct import Conduct, take_over
from headwater.evaluation.run.experiment import Experiment, Request
from headwater.evaluation.run.journal import RESULTS, Journal, rows_in
from headwater.evaluation.run.task import Scene
from tests.evaluation.rows import row
from tests.evaluation.run.scenes import LOW, MEDIUM, FakeScene, Watching

REPORTS = ("summary.json", "report.md", "report.html")


def _experiment(scenes: Callable[[], list[Scene]]) -> Experiment:
    return Experiment(
        name="effort", question="What?", settings=["low", "medium"], scenes=lambda _: scenes()
    )


@pytest.fixture
def conduct(small: Path, tmp_path: Path) -> Conduct:
    request = Request(choice=Choice(), cache=tmp_path / "cache", data=small)
    return Conduct(
        request=request, workers=1, watcher=Watching(), command=["headwater", "eval"], problems=[]
    )


async def test_an_experiment_leaves_rows_conditions_and_reports(
    conduct: Conduct, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    outcome = await conduct(_experiment(lambda: [FakeScene.of(3, LOW, MEDIUM)]), out)

    assert outcome.asked == 6
    assert sum(1 for _ in rows_in(out / RESULTS)) == 6
    assert all((out / name).stat().st_size for name in REPORTS)
    said = json.loads((out / RUN).read_text())
    assert said["experiment"] == "effort"
    assert said["settings"] == ["low", "medium"]
    assert said["command"] == "headwater eval"
    assert (said["split"], said["seed"], said["sample"]) == ("dev", 0, None)
    assert said["versions"]["langgraph"]
    assert "cores" in said["machine"]


async def test_a_stopped_run_goes_on_and_ends_with_the_same_rows(
    conduct: Conduct, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    await conduct(_experiment(lambda: [FakeScene.of(2, LOW)]), out)
    path = out / RESULTS
    path.write_bytes(path.read_bytes()[:-30])
    scene = FakeScene.of(3, LOW)

    outcome = await conduct(_experiment(lambda: [scene]), out)

    assert [task.key[3] for task in scene.asked] == ["q2", "q3"]
    assert outcome.skipped == 1
    assert sorted(value["qid"] for value in rows_in(path)) == ["q1", "q2", "q3"]
    assert any("torn last line" in problem for problem in conduct.problems)


@pytest.mark.parametrize(("fails_again", "errors"), [(False, 0), (True, 1)])
async def test_a_question_asked_again_counts_once_in_every_report(
    conduct: Conduct, tmp_path: Path, *, fails_again: bool, errors: int
) -> None:
    first, second = FakeScene.of(3, LOW), FakeScene.of(3, LOW)
    first.fails = frozenset({"q2"})
    second.fails = first.fails if fails_again else frozenset()
    await conduct(_experiment(lambda: [first]), tmp_path)

    outcome = await conduct(_experiment(lambda: [second]), tmp_path)

    assert (outcome.asked, outcome.failed) == (1, errors)
    [group] = json.loads((tmp_path / "summary.json").read_text())["groups"]
    assert (group["rows"], group["errors"]) == (3, errors)
    assert group["measures"]["full_support@5k"]["n"] == 3 - errors
    results = Results(tmp_path, [])
    [compared] = compare(results.rows(), results.rows()).groups
    assert compared.questions == 3
    assert compared.change("full_support@5k").excluded == (
        {"first: the run ended with an error": 1} if fails_again else {}
    )


async def test_a_run_in_which_every_question_failed_still_says_so(
    conduct: Conduct, tmp_path: Path
) -> None:
    scene = FakeScene.of(2)
    scene.fails = frozenset({"q1", "q2"})

    outcome = await conduct(_experiment(lambda: [scene]), tmp_path)

    assert outcome.failed == 2
    [group] = json.loads((tmp_path / "summary.json").read_text())["groups"]
    assert group["errors"] == 2


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"split": "train"}, "split was dev, and is train"),
        ({"seed": 3}, "seed was 0, and is 3"),
        ({"sample": 2}, "sample was not said, and is 2"),
    ],
)
async def test_rows_of_other_conditions_are_not_mixed(
    conduct: Conduct, tmp_path: Path, change: dict[str, object], named: str
) -> None:
    await conduct(_experiment(lambda: [FakeScene.of(1)]), tmp_path / "out")
    choice = replace(conduct.request.choice, **change)  # type: ignore[arg-type]
    other = replace(conduct, request=replace(conduct.request, choice=choice))

    with pytest.raises(DataError, match=named):
        await other(_experiment(lambda: [FakeScene.of(1)]), tmp_path / "out")


async def test_rows_of_changed_data_are_not_mixed(
    conduct: Conduct, tmp_path: Path, small: Path
) -> None:
    await conduct(_experiment(lambda: [FakeScene.of(1)]), tmp_path / "out")
    with (small / "stars" / "queries.dev.jsonl").open("a") as file:
        file.write('{"id": "s2", "question": "Which star stands still?"}\n')

    with pytest.raises(DataError, match="data was"):
        await conduct(_experiment(lambda: [FakeScene.of(1)]), tmp_path / "out")


async def test_results_that_have_no_place_are_an_error_before_anything_is_asked(
    conduct: Conduct, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    scene = FakeScene.of(1)

    with pytest.raises(DataError, match=r"run\.json: Cannot be written.*--out"):
        await conduct(_experiment(lambda: [scene]), tmp_path / "file")

    assert scene.asked == []


async def test_what_was_left_out_is_among_the_conditions(conduct: Conduct, tmp_path: Path) -> None:
    scene = FakeScene.of(3)
    scene.missing = frozenset({"q1", "q2"})

    await conduct(_experiment(lambda: [scene]), tmp_path)

    assert json.loads((tmp_path / RUN).read_text())["excluded"] == {"wiki: nobody has it": 2}


async def test_a_run_in_which_nothing_could_be_asked_is_an_error(
    conduct: Conduct, tmp_path: Path
) -> None:
    scene = FakeScene.of(1)
    scene.missing = frozenset({"q1"})

    with pytest.raises(DataError, match="No question could be asked"):
        await conduct(_experiment(lambda: [scene]), tmp_path / "out")


async def test_the_same_run_of_another_experiment_is_taken_over(
    conduct: Conduct, tmp_path: Path
) -> None:
    await conduct(_experiment(lambda: [FakeScene.of(2, LOW, MEDIUM)]), tmp_path / "effort")
    scene = FakeScene.of(3, MEDIUM)
    exits = replace(_experiment(lambda: [scene]), name="exit")

    await conduct(exits, tmp_path / "exit", made=[tmp_path / "effort"])

    assert [task.key[3] for task in scene.asked] == ["q3"]
    found = list(rows_in(tmp_path / "exit" / RESULTS))
    assert {(value["setting"], value["qid"]) for value in found} == {
        ("medium", q) for q in ("q1", "q2", "q3")
    }
    assert [v["experiment"] for v in found if v["qid"] != "q3"] == ["exit", "exit"]
    assert json.loads((tmp_path / "exit" / RUN).read_text())["rows_of_other_experiments"] == 2


async def test_problems_are_told_once_and_only_where_they_were_met(
    conduct: Conduct, tmp_path: Path
) -> None:
    def told(*problems: str) -> list[Scene]:
        conduct.problems.extend(problems)
        return [FakeScene.of(1)]

    await conduct(_experiment(lambda: told("a:1: broken", "a:1: broken")), tmp_path / "one")
    await conduct(_experiment(lambda: told("b:2: broken")), tmp_path / "other")

    said = [json.loads((tmp_path / f / RUN).read_text())["problems"] for f in ("one", "other")]
    assert said == [["a:1: broken"], ["b:2: broken"]]


async def test_rows_of_several_commits_are_told_above_the_numbers(
    conduct: Conduct, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit() -> str:
        return json.loads((tmp_path / RUN).read_text())["commit"]  # type: ignore[no-any-return]

    for name, count in (("aaa", 1), ("bbb", 2), ("bbb", 3), ("ccc", 3)):
        monkeypatch.setattr(conditions, "commit", lambda name=name: name)
        scenes: list[Scene] = [FakeScene.of(count)]
        await conduct(_experiment(partial(list, scenes)), tmp_path)

    # Nothing was asked under the last one.
    assert commit() == "aaa, then bbb"
    assert "Rows of 2 commits are mixed here" in (tmp_path / "report.md").read_text("utf-8")


def test_only_wanted_rows_of_whole_runs_are_taken_over_and_each_once(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "first") as first:
        for qid in ("q1", "q2", "q3"):
            first.append(row(qid=qid, error="boom" if qid == "q3" else None))
    wanted = {("wiki", "medium", "squad2", qid) for qid in ("q2", "q3")}

    with Journal.open(tmp_path / "second") as journal:
        made = [tmp_path / "first", tmp_path / "first"]
        assert take_over(journal, wanted, made, experiment="exit") == 1

    assert [value["qid"] for value in rows_in(tmp_path / "second" / RESULTS)] == ["q2"]
