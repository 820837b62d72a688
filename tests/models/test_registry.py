import json
import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path

import pytest

from headwater.models.ranker.adapter import adapter_digest
from headwater.models.ranker.shipped import ShippedAdapter
from headwater.models.registry import builtin_models, coefficients_digest
from headwater.models.similarity_ranker import FITTED as RANKER_FILE
from headwater.models.weights import MINILM, MULTILINGUAL_E5
from tests.models.ranker.made_adapter import write_adapter

ABSENT = ShippedAdapter(folder=Path("nowhere"), sha256="")


def test_lists_every_built_in_model_and_finds_it_whole() -> None:
    found = builtin_models()

    roles = [*["embedder"] * 3, *["ranker"] * 2, "classifier"]
    assert [model.role for model in found] == roles
    assert {model.state for model in found} == {"ok"}
    assert found[0].sha256 == MINILM.sha256
    assert found[0].bytes == 90_868_376
    assert found[1].sha256 == MULTILINGUAL_E5.sha256


def test_a_model_of_an_extra_may_be_absent_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: str) -> None:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "files", absent)

    assert [model.state for model in builtin_models()][:3] == ["missing", "optional", "ok"]


def test_a_number_that_was_changed_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    fitted: dict[str, object] = {"coefficients": [1.0]}
    (tmp_path / "fitted").mkdir()
    file = tmp_path / "fitted" / RANKER_FILE
    file.write_text(json.dumps(fitted | {"digest": coefficients_digest(fitted)}))
    states = [model.state for model in builtin_models(ABSENT)]
    assert states[2:] == ["missing", "missing", "ok", "missing"]

    file.write_text(file.read_text().replace("1.0", "1.5"))

    assert builtin_models(ABSENT)[4].state == "changed"


def test_an_adapter_shows_with_the_sum_over_its_files(tmp_path: Path) -> None:
    folder = write_adapter(tmp_path / "ranker-english", scores={})
    shipped = ShippedAdapter(folder=folder, sha256=adapter_digest(folder))

    found = builtin_models(shipped)[3]

    assert (found.role, found.name, found.state) == ("ranker", "ranker-english", "ok")
    assert (found.file, found.sha256) == (folder, shipped.sha256)
    assert found.bytes == sum(file.stat().st_size for file in folder.iterdir())


@pytest.mark.parametrize("name", ["head.safetensors", "scores.json", "base.json"])
def test_an_adapter_with_a_changed_file_shows(name: str, tmp_path: Path) -> None:
    folder = write_adapter(tmp_path / "ranker-english", scores={})
    shipped = ShippedAdapter(folder=folder, sha256=adapter_digest(folder))

    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    assert builtin_models(shipped)[3].state == "changed"

    (folder / name).unlink()
    state = "changed" if name == "scores.json" else "missing"
    assert builtin_models(shipped)[3].state == state


@pytest.mark.parametrize("content", ["{half", "[]"])
def test_a_damaged_file_shows(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    (tmp_path / "fitted").mkdir()
    (tmp_path / "fitted" / RANKER_FILE).write_text(content)

    assert builtin_models(ABSENT)[4].state == "changed"


def test_listing_loads_no_model() -> None:
    code = (
        "import sys; from headwater.models.registry import builtin_models; builtin_models()\n"
        "print([m for m in ('torch', 'onnxruntime', 'numpy') if m in sys.modules])"
    )

    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "[]"
