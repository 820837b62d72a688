"""The commands and the Python of README.md, run as a reader would."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
COMMAND = Path(sys.executable).with_name("headwater")
MAKEFILE = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_every_make_target_that_it_names_exists() -> None:
    named = set(re.findall(r"`?make (\w[\w-]*)", README))

    assert named >= {"demo", "test"}
    assert all(re.search(rf"^{target}:", MAKEFILE, flags=re.MULTILINE) for target in named)


def test_every_headwater_command_that_it_names_exists() -> None:
    named = set(re.findall(r"^headwater (\w+)", "\n".join(_blocks("sh")), flags=re.MULTILINE))

    assert named >= {"ask", "init", "ingest", "doctor"}
    for command in sorted(named):
        done = subprocess.run(
            [COMMAND, command, "--help"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert f"headwater {command}" in done.stdout


async def test_its_python_runs(field_service: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = _blocks("python")
    example = example.replace('"headwater.toml"', repr(str(field_service)))
    code = compile(example, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    names: dict[str, object] = {}

    await eval(code, names)

    assert "[ref_id:" in capsys.readouterr().out
