import hashlib
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from headwater.cli.model_files import meaning
from headwater.models.registry import ModelInfo, State
from tests.cli.commands import headwater


def found(command: str) -> list[dict[str, Any]]:
    models: list[dict[str, Any]] = json.loads(headwater("models", command, "--json").stdout)[
        "models"
    ]
    return models


def test_each_role_is_listed_with_its_licence() -> None:
    rows = [line.split() for line in headwater("models", "list").stdout.splitlines()]

    assert rows[0] == ["role", "name", "licence", "size", "state"]
    assert [row[0] for row in rows[1:]] == ["embedder", "ranker", "classifier"]
    assert all("Apache-2.0" in row for row in rows[1:])


def test_json_tells_the_same() -> None:
    assert [model["state"] for model in found("list")] == ["ok"] * 3


def test_verification_takes_the_sums_anew() -> None:
    done = headwater("models", "verify")

    assert done.exit_code == 0
    for model in found("verify"):
        file = Path(model["file"])
        assert model["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
        assert model["sha256"] in done.stdout


@pytest.mark.parametrize("state", get_args(State))
def test_every_state_has_words(state: State) -> None:
    model = ModelInfo(
        role="ranker", name="x", file=None, bytes=None, sha256=None, licence="x", state=state
    )

    assert ("again" in meaning(model)) == (state != "ok")


def test_a_subcommand_that_is_unknown_is_a_usage_error() -> None:
    assert headwater("models", "delete").exit_code == 2
