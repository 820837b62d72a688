"""What `run.json` says of the settings."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.domain.request import Effort
from headwater.evaluation.data.questions import Choice
from headwater.evaluation.run.conditions import RUN, Conditions
from headwater.evaluation.run.experiment import EFFORTS, Experiment, Request

EXPERIMENT = Experiment(name="effort", question="What?", settings=EFFORTS, scenes=lambda _: [])


@pytest.fixture
def request_for(small: Path, tmp_path: Path) -> Request:
    return Request(choice=Choice(), cache=tmp_path / "cache", data=small)


def settings_after(folder: Path, asked: Request, efforts: Sequence[Effort]) -> list[str]:
    """The settings that the conditions of a folder name after a call with these efforts."""
    Conditions.begin(folder, EXPERIMENT, replace(asked, efforts=efforts), command=["headwater"])
    found: list[str] = json.loads((folder / RUN).read_bytes())["settings"]
    return found


def test_they_are_those_that_were_asked_for(request_for: Request, tmp_path: Path) -> None:
    assert settings_after(tmp_path / "one", request_for, ["minimal"]) == ["minimal"]
    assert settings_after(tmp_path / "all", request_for, []) == list(EFFORTS)


def test_those_of_earlier_calls_stay_in_the_order_of_the_experiment(
    request_for: Request, tmp_path: Path
) -> None:
    settings_after(tmp_path, request_for, ["low"])

    assert settings_after(tmp_path, request_for, ["minimal"]) == ["minimal", "low"]
