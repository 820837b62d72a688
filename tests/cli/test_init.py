from pathlib import Path

import pytest

from headwater.graph.config_file import read
from tests.cli.commands import error_of, headwater


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("manuals", "policies"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("text")
    return tmp_path


def test_it_writes_a_file_that_can_be_read(folder: Path) -> None:
    result = headwater("init", folder, "--name", "Field Service")

    config = read(folder / "headwater.toml")
    assert result.exit_code == 0
    assert config.name == "field-service"
    assert [source.name for source in config.sources] == ["manuals", "policies"]


def test_it_says_what_it_wrote_and_what_comes_next(folder: Path) -> None:
    result = headwater("init", folder)

    assert f"{folder / 'headwater.toml'} with 2 source(s): manuals, policies." in result.stdout
    assert "headwater doctor" in result.stderr


def test_it_never_writes_over_a_file_unasked(folder: Path) -> None:
    (folder / "headwater.toml").write_text("mine")

    assert "is there already. Use --force" in error_of(headwater("init", folder))
    assert (folder / "headwater.toml").read_text() == "mine"


def test_force_writes_over_it(folder: Path) -> None:
    (folder / "headwater.toml").write_text("mine")

    assert headwater("init", folder, "--force").exit_code == 0
    assert len(read(folder / "headwater.toml").sources) == 2


def test_it_takes_the_folders_that_are_named(folder: Path) -> None:
    headwater("init", folder, "--files", folder / "policies")

    assert [source.path for source in read(folder / "headwater.toml").sources] == ["./policies"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert "'" + str(tmp_path / "no") + "'" in error_of(headwater("init", tmp_path / "no"))


def test_a_place_that_cannot_be_written_is_an_error(folder: Path) -> None:
    (folder / "headwater.toml").mkdir()

    assert "cannot be written" in error_of(headwater("init", folder, "--force"))


def test_more_folders_than_a_knowledge_base_may_have_are_refused(folder: Path) -> None:
    many = [argument for _ in range(11) for argument in ("--files", folder / "manuals")]

    assert "at most 10 sources, --files names 11" in error_of(headwater("init", folder, *many))
