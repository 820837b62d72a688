from dataclasses import replace
from pathlib import Path

import pytest

from headwater.cli.eval import EXPERIMENTS as OFFERED
from headwater.evaluation.data.questions import Choice
from headwater.evaluation.errors import DataError
from headwater.evaluation.run.experiment import Request
from headwater.evaluation.run.experiments.catalogue import EXPERIMENTS

DATA_ONLY = [name for name, experiment in EXPERIMENTS.items() if not experiment.own]


def test_the_command_offers_every_experiment_in_the_same_order() -> None:
    assert list(OFFERED) == list(EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_finds_its_scenes_in_the_public_data(
    name: str, data: Path, tmp_path: Path
) -> None:
    request = Request(choice=Choice(split="test", sample=4), cache=tmp_path, data=data)
    experiment = EXPERIMENTS[name]

    scenes = experiment.plan(request)

    tasks = [task for scene in scenes for task in scene.tasks]
    assert {task.setting.name for task in tasks} == set(experiment.settings)
    assert len({task.key for task in tasks}) == len(tasks)


@pytest.mark.parametrize("name", DATA_ONLY)
def test_an_experiment_that_needs_special_data_refuses_a_users_own(
    name: str, tmp_path: Path
) -> None:
    request = Request(choice=Choice(), cache=tmp_path, own=tmp_path)

    with pytest.raises(DataError, match="data of its own kind"):
        EXPERIMENTS[name].plan(request)


def test_without_any_data_the_way_out_is_named(tmp_path: Path) -> None:
    request = Request(choice=Choice(), cache=tmp_path)

    with pytest.raises(DataError, match="--data"):
        EXPERIMENTS["effort"].plan(request)


def test_efforts_can_be_chosen(small: Path, tmp_path: Path) -> None:
    request = Request(
        choice=Choice(), cache=tmp_path, data=small, bases=["sky"], efforts=["low", "minimal"]
    )

    [scene] = EXPERIMENTS["effort"].plan(request)

    assert {task.setting.name for task in scene.tasks} == {"low", "minimal"}


def test_the_settings_of_an_experiment_are_those_that_a_request_asks_for(tmp_path: Path) -> None:
    request = Request(choice=Choice(), cache=tmp_path, efforts=["medium", "minimal"])

    assert EXPERIMENTS["effort"].asked(request) == ["minimal", "medium"]
    assert EXPERIMENTS["names"].asked(request) == list(EXPERIMENTS["names"].settings)
    assert EXPERIMENTS["exit"].asked(replace(request, efforts=())) == ["minimal", "medium"]


def test_an_effort_that_the_experiment_lacks_is_an_error(small: Path, tmp_path: Path) -> None:
    request = Request(choice=Choice(), cache=tmp_path, data=small, bases=["sky"], efforts=["auto"])

    with pytest.raises(DataError, match="minimal, medium"):
        EXPERIMENTS["exit"].plan(request)


def test_a_data_set_serves_as_a_knowledge_base_of_one_source(small: Path, tmp_path: Path) -> None:
    request = Request(choice=Choice(), cache=tmp_path, data=small, bases=["planets"])

    [scene] = EXPERIMENTS["multi-hop"].plan(request)

    assert scene.name == "planets"
    assert {task.key[3] for task in scene.tasks} == {"p1", "p2", "p3"}


def test_an_unknown_knowledge_base_is_named(small: Path, tmp_path: Path) -> None:
    request = Request(choice=Choice(), cache=tmp_path, data=small, bases=["ocean"])

    known = r"'ocean'.*knowledge bases are sky; data sets are planets, stars\."
    with pytest.raises(DataError, match=known):
        EXPERIMENTS["effort"].plan(request)
