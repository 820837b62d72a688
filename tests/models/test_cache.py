from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.models.cache import cache_folder, write_once


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", str(tmp_path / "a" / "b"))

    assert cache_folder() == tmp_path / "a" / "b"
    assert cache_folder().is_dir()


def test_a_chosen_folder_goes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", "/elsewhere")

    assert cache_folder(tmp_path / "mine") == tmp_path / "mine"


def test_without_either_it_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADWATER_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")

    assert cache_folder() == tmp_path / "headwater"


def test_a_folder_that_cannot_be_made_names_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(ConfigurationError, match="HEADWATER_CACHE"):
        cache_folder(tmp_path / "file" / "cache")


def test_nobody_sees_half_a_file(tmp_path: Path) -> None:
    target = tmp_path / "out"

    def write(fresh: Path) -> None:
        fresh.write_text("half")
        assert not target.exists()
        fresh.write_text("whole")

    write_once(target, write)

    assert target.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [target]


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def write(fresh: Path) -> None:
        fresh.write_text("half")
        raise OSError("No space left")

    with pytest.raises(ConfigurationError, match="No space left"):
        write_once(tmp_path / "out", write)
    assert list(tmp_path.iterdir()) == []
