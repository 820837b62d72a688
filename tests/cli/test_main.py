import re
import subprocess
import sys
import time

import pytest

import headwater
from headwater.cli.main import COMMANDS
from tests.cli.commands import headwater as run
from tests.cli.commands import in_a_process

HEAVY = ("rich", "pydantic", "torch", "chromadb", "langgraph", "langchain_core", "numpy", "yaml")
LOADED = f"""
import sys
from headwater.cli.main import cli
cli.main(sys.argv[1:], standalone_mode=False)
print(*[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""


def loaded_by(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    return done.stderr.strip()


def test_help_loads_nothing_heavy() -> None:
    assert loaded_by("--help") == ""


def test_help_comes_in_half_a_second() -> None:
    times = []
    for _ in range(3):
        started = time.perf_counter()
        in_a_process("--help")
        times.append(time.perf_counter() - started)

    assert min(times) < 0.5


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_as_light(name: str) -> None:
    assert loaded_by(name, "--help") == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself_and_takes_debug(name: str) -> None:
    shown = run(name, "--help")

    assert shown.exit_code == 0
    assert "--debug" in shown.stdout
    assert len(shown.stdout.splitlines()) > 6


def test_help_names_all_commands_and_exit_codes() -> None:
    shown = run("--help").stdout

    assert re.findall(r"^  (\w+)  +[A-Z]", shown, re.M) == list(COMMANDS)
    assert re.findall(r"^  +(\d+)  +\w", shown, re.M) == ["0", "1", "2", "3", "130"]


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version").stdout == f"headwater, version {headwater.__version__}\n"


@pytest.mark.parametrize("arguments", [["frobnicate"], ["ask"], ["--no-such-option"], []])
def test_a_wrong_command_line_ends_with_2_and_shows_the_usage(arguments: list[str]) -> None:
    shown = run(*arguments)

    assert shown.exit_code == 2
    assert "Usage: " in shown.stderr + shown.stdout


def test_the_help_page_shows_its_examples_on_lines_of_their_own() -> None:
    lines = [line.strip() for line in run("--help").output.splitlines()]

    assert 'headwater ask --files ~/manuals "Which pumps share the X-200 seal?"' in lines
    assert not any("\\b" in line for line in lines)
