from pathlib import Path
from typing import Never

import pytest

from headwater.evaluation.errors import DataError
from headwater.evaluation.run.journal import RESULTS, Journal, rows_in
from headwater.evaluation.run.runner import Outcome, run
from headwater.evaluation.run.task import Scene, Setting, alternating
from tests.evaluation.run.scenes import LOW, MEDIUM, ROWS, FakeScene, Watching, questions


async def _run(folder: Path, *scenes: Scene, workers: int = 1) -> tuple[Outcome, Watching]:
    watching = Watching()
    with Journal.open(folder) as journal:
        outcome = await run(scenes, journal, workers=workers, watcher=watching, failed=ROWS.failed)
    return outcome, watching


async def test_every_question_is_asked_under_every_setting(tmp_path: Path) -> None:
    scene = FakeScene.of(3, LOW, MEDIUM)

    outcome, watching = await _run(tmp_path, scene)

    keys = {(value["setting"], value["qid"]) for value in rows_in(tmp_path / RESULTS)}
    assert keys == {(s, q) for s in ("low", "medium") for q in ("q1", "q2", "q3")}
    assert outcome == Outcome(asked=6, skipped=0, failed=0, excluded=[])
    assert watching.plans == [(6, 0)]
    assert len(watching.errors) == 6


async def test_what_is_there_is_not_asked_again(tmp_path: Path) -> None:
    await _run(tmp_path, FakeScene.of(2))
    scene = FakeScene.of(3)

    outcome, watching = await _run(tmp_path, scene)

    assert [task.key[3] for task in scene.asked] == ["q3"]
    assert (outcome.asked, outcome.skipped) == (1, 2)
    assert watching.plans == [(3, 2)]


async def test_a_scene_whose_rows_are_all_there_is_not_opened(tmp_path: Path) -> None:
    await _run(tmp_path, FakeScene.of(2))
    done, other = FakeScene.of(2), FakeScene.of(1, name="other")

    _, watching = await _run(tmp_path, done, other)

    assert (done.opened, other.opened) == (0, 1)
    assert watching.scenes == ["other"]


@pytest.mark.parametrize(("workers", "at_once"), [(1, 1), (3, 3), (64, 8)])
async def test_so_many_questions_are_asked_at_once(
    tmp_path: Path, workers: int, at_once: int
) -> None:
    scene = FakeScene.of(8)

    await _run(tmp_path, scene, workers=workers)

    assert scene.most_at_once == at_once
    assert len(scene.asked) == 8


async def test_a_question_that_fails_leaves_a_row_and_the_others_go_on(tmp_path: Path) -> None:
    scene = FakeScene.of(3)
    scene.fails = frozenset({"q2"})

    outcome, watching = await _run(tmp_path, scene)

    errors = {value["qid"]: value["error"] for value in rows_in(tmp_path / RESULTS)}
    assert errors == {"q1": None, "q2": "RuntimeError: the model is gone", "q3": None}
    assert (outcome.asked, outcome.failed) == (3, 1)
    assert watching.errors.count(None) == 2


async def test_only_a_question_that_failed_is_asked_again(tmp_path: Path) -> None:
    first, second, third = (FakeScene.of(3) for _ in range(3))
    first.fails = frozenset({"q2"})
    await _run(tmp_path, first)

    outcome, watching = await _run(tmp_path, second)
    await _run(tmp_path, third)

    assert [task.key[3] for task in second.asked] == ["q2"]
    assert outcome == Outcome(asked=1, skipped=2, failed=0, excluded=[])
    assert watching.plans == [(3, 2)]
    assert (third.asked, third.opened) == ([], 0)


async def test_a_question_that_cannot_be_asked_leaves_no_row_and_is_counted(
    tmp_path: Path,
) -> None:
    scene = FakeScene.of(2)
    scene.missing = frozenset({"q1"})

    outcome, _ = await _run(tmp_path, scene)

    assert [value["qid"] for value in rows_in(tmp_path / RESULTS)] == ["q2"]
    assert [one.qid for one in outcome.excluded] == ["q1"]


async def test_a_question_that_several_scenes_leave_out_is_counted_once(tmp_path: Path) -> None:
    scenes = [FakeScene.of(2, LOW, MEDIUM, name=name) for name in ("one", "other")]
    for scene in scenes:
        scene.missing = frozenset({"q1"})

    with Journal.open(tmp_path) as journal:
        outcome = await run(scenes, journal, workers=1, watcher=Watching(), failed=ROWS.failed)

    assert [one.qid for one in outcome.excluded] == ["q1"]


async def test_a_row_that_cannot_be_kept_ends_the_run(tmp_path: Path) -> None:
    scene = FakeScene.of(50)
    with Journal.open(tmp_path) as journal:
        journal.close()
        with pytest.raises(ValueError, match="closed"):
            await run([scene], journal, workers=2, watcher=Watching(), failed=ROWS.failed)

    assert len(scene.asked) < 50


async def test_a_scene_that_cannot_be_opened_ends_the_run(tmp_path: Path) -> None:
    class Broken(FakeScene):
        def open(self, on_progress: object) -> Never:  # noqa: ARG002
            raise DataError("It is not there.")

    broken = Broken("base", FakeScene.of(1).tasks)

    with pytest.raises(DataError, match="not there"):
        await _run(tmp_path, broken)


def test_settings_take_turns_in_being_first() -> None:
    tasks = alternating("base", [LOW, MEDIUM], questions(2))

    assert [(t.key[3], t.setting.name) for t in tasks] == [
        ("q1", "low"),
        ("q1", "medium"),
        ("q2", "medium"),
        ("q2", "low"),
    ]


def test_a_setting_gets_only_the_questions_that_concern_it() -> None:
    odd = Setting(name="odd", effort="low", concerns=lambda q: q.row.id in {"q1", "q3"})

    tasks = alternating("base", [odd, MEDIUM], questions(3))

    assert sorted(t.key[3] for t in tasks if t.setting is odd) == ["q1", "q3"]
    assert len(tasks) == 5
