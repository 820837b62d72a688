"""What tests of several folders share."""

import os
from pathlib import Path

import pytest

# Before anything imports langgraph: a type that a checkpoint cannot restore then fails a test.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from headwater.domain.ports import Embedder

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of evaluation data: `HEADWATER_DATA`, else `../shared/data` by the checkout."""
    named = os.environ.get("HEADWATER_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    reason = f"no evaluation data at {folder}: set HEADWATER_DATA to its folder"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason} (in CI it must be there)")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The built-in embedder itself, opened once."""
    from headwater.models.embedder import open_embedder

    return open_embedder("builtin")
