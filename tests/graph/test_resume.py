"""A run that stops after any step goes on in another process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

STEPS = ["plan", "select", "federate", "rank", "classify", "reflect", "merge"]
QUESTION = "What does the firmware of the controller of the X-200 pump fix?"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """Stop one thread after each step in one process, resume all of them in a second one."""
    database = tmp_path_factory.mktemp("checkpoints") / "runs.sqlite"
    _process("stop", database)
    read: dict[str, dict[str, object]] = json.loads(_process("resume", database))
    return read


@pytest.mark.parametrize("step", STEPS)
def test_a_run_stopped_after_a_step_ends_as_if_it_had_not(
    step: str, outcomes: dict[str, dict[str, object]]
) -> None:
    assert outcomes[step]["ran_before"]
    assert outcomes[step]["result"] == outcomes["uninterrupted"]["result"]


def _process(mode: str, database: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.graph.resuming", mode, str(database)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
