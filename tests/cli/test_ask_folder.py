"""`ask --files`: a folder without any configuration."""

import shutil
from pathlib import Path

import pytest

from headwater.cli.suggest import KNOWLEDGE_BASE_FILE
from headwater.models.embedder import open_embedder
from tests.cli.commands import headwater

QUESTION = "How heavy is the boiler?"


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the embedder derives from its weights, made once: it takes seconds."""
    folder = tmp_path_factory.mktemp("derived")
    open_embedder(cache=folder)
    return folder


@pytest.fixture
def cache(derived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(derived, tmp_path / "cache")
    monkeypatch.setenv("HEADWATER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "boilers"
    place.mkdir()
    (place / "a.md").write_text("# Boiler B-1\n\nThe boiler weighs 12 kg.\n")
    return place


@pytest.mark.usefixtures("cache")
def test_a_folder_is_indexed_asked_and_followed(folder: Path) -> None:
    first = headwater("ask", QUESTION, "--files", folder)
    again = headwater("ask", QUESTION, "--files", folder)
    (folder / "a.md").write_text("# Boiler B-1\n\nThe boiler weighs 15 kg.\n")
    changed = headwater("ask", QUESTION, "--files", folder)

    assert "12 kg" in first.stdout.splitlines()[0]
    assert "1 added" in first.stderr
    assert "nothing changed" in again.stderr
    assert "15 kg" in changed.stdout.splitlines()[0]


def test_nothing_is_written_into_the_folder(folder: Path, cache: Path) -> None:
    headwater("ask", QUESTION, "--files", folder)

    assert [path.name for path in folder.iterdir()] == ["a.md"]
    assert any((cache / "folders").iterdir())


@pytest.mark.usefixtures("cache")
def test_a_knowledge_base_file_in_it_is_no_document(folder: Path) -> None:
    (folder / KNOWLEDGE_BASE_FILE).write_text('name = "x"\nchat = "the boiler weighs 99 kg"\n')

    assert "99 kg" not in headwater("ask", QUESTION, "--files", folder, "--explain").output


@pytest.mark.usefixtures("cache")
def test_a_folder_with_nothing_to_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "picture.png").write_bytes(b"\x89PNG")

    done = headwater("ask", QUESTION, "--files", tmp_path / "empty")

    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("error: Nothing in ")
