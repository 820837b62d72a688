"""What a user installs."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("cli", "domain", "evaluation", "graph", "models", "nodes", "sources")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Build the wheel and give its file list."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    made = subprocess.run(
        [*command, "-w", str(folder), str(ROOT)], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    (path,) = folder.glob("headwater-*.whl")
    return zipfile.ZipFile(path).namelist()


def test_it_holds_every_module_and_every_data_file_of_the_package(wheel: list[str]) -> None:
    wanted = {
        f"headwater/{path.relative_to(ROOT).as_posix()}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".json", ".safetensors", ".css", ".js", ".md"}
    }
    wanted |= {"headwater/__init__.py", "headwater/py.typed"}

    assert {name for name in wheel if name.startswith("headwater/")} == wanted


def test_it_installs_nothing_beside_the_package(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"headwater"}


def test_the_licence_and_the_notice_travel_along(wheel: list[str]) -> None:
    names = {Path(name).name for name in wheel}

    assert {"LICENSE", "NOTICE"} <= names


def test_the_package_list_names_every_folder_with_code() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = set(settings["tool"]["setuptools"]["packages"])
    found = {
        ".".join(["headwater", *path.parent.relative_to(ROOT).parts])
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
    }

    assert listed == found | {"headwater"}


def test_no_module_but_the_face_lies_at_the_root() -> None:
    assert [path.name for path in ROOT.glob("*.py")] == ["__init__.py"]
