import shutil
from pathlib import Path

import pytest

from tests.cli.commands import headwater

EXAMPLE = Path(__file__).parents[2] / "examples" / "field-service"


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an ingested copy of the example knowledge base; do not change it."""
    folder = tmp_path_factory.mktemp("example") / "field-service"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".headwater"))
    result = headwater("ingest", "--kb", folder / "headwater.toml")
    assert result.exit_code == 0, result.output
    return folder / "headwater.toml"


@pytest.fixture
def own_example(example: Path, tmp_path: Path) -> Path:
    """A copy of it, index and all, that a test may change."""
    shutil.copytree(example.parent, tmp_path / "own")
    return tmp_path / "own" / "headwater.toml"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("HEADWATER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
