import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from headwater.cli.doctor_models import model_checks
from headwater.cli.model_files import WRONG, meaning
from headwater.models import registry
from headwater.models.ranker.shipped import ENGLISH
from headwater.models.registry import ModelInfo, State
from headwater.models.weights import MINILM, MULTILINGUAL_E5
from tests.cli.commands import headwater


def found(command: str) -> list[dict[str, Any]]:
    models: list[dict[str, Any]] = json.loads(headwater("models", command, "--json").stdout)[
        "models"
    ]
    return models


def test_each_role_is_listed_with_its_licence() -> None:
    rows = [line.split() for line in headwater("models", "list").stdout.splitlines()]

    assert rows[0] == ["role", "name", "licence", "size", "state"]
    assert [row[0] for row in rows[1:]] == [*["embedder"] * 3, *["ranker"] * 2, "classifier"]
    assert [row[2] for row in rows[1:]] == ["Apache-2.0", "MIT", *["Apache-2.0"] * 4]


def test_json_tells_the_same() -> None:
    assert [model["state"] for model in found("list")] == ["ok"] * 6


def test_verification_takes_the_sums_anew() -> None:
    done = headwater("models", "verify")

    assert done.exit_code == 0
    for model in found("verify"):
        file = Path(model["file"])
        taken = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ENGLISH.sha256
        assert model["sha256"] == taken
        assert model["sha256"] in done.stdout


@pytest.mark.parametrize("state", get_args(State))
def test_every_state_has_words(state: State) -> None:
    model = ModelInfo(
        role="ranker", name="x", file=None, bytes=None, sha256=None, licence="x", state=state
    )

    assert ("again" in meaning(model)) == (state in WRONG)
    assert ("headwater[multilingual]" in meaning(model)) == (state == "optional")


def test_a_model_of_an_extra_that_is_absent_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = replace(MULTILINGUAL_E5, distribution="nowhere")
    monkeypatch.setattr(registry, "MULTILINGUAL_E5", absent)

    done = headwater("models", "verify")

    assert done.exit_code == 0
    assert "multilingual-e5-small-4bit: not installed" in done.stdout
    assert {check.level for check in model_checks()} == {"ok"}


def test_a_built_in_model_that_is_absent_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MINILM", replace(MINILM, distribution="nowhere"))

    done = headwater("models", "verify")

    assert done.exit_code == 1
    assert "all-MiniLM-L6-v2: missing" in done.stdout
    assert [check.level for check in model_checks()].count("error") == 1


def test_a_subcommand_that_is_unknown_is_a_usage_error() -> None:
    assert headwater("models", "delete").exit_code == 2
