import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from headwater.cli.group import LazyGroup, debug_option
from headwater.domain.errors import ConfigurationError
from tests.cli.commands import command

SLOW = """
import asyncio, signal, sys, time
from headwater.cli.running import run

# A shell starts what runs in its background with interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

async def work():
    print("ready", flush=True)
    await asyncio.to_thread(time.sleep, 30)

from headwater.cli.group import LazyGroup
import click
group = LazyGroup("slow")
group.command("work")(lambda: run(work()))
group.main(["work"])
"""


def group_with(function: Callable[[], object]) -> LazyGroup:
    group = LazyGroup("try", params=[])
    debug_option(group)
    group.add_command(click.Command("it", callback=function))
    return group


def refuse() -> None:
    raise ConfigurationError("The key\n`efort` is unknown.", fix="Use `effort`.")


def test_an_error_on_purpose_is_one_line_with_its_fix() -> None:
    result = CliRunner().invoke(group_with(refuse), ["it"])

    assert result.exit_code == 1
    assert result.stderr == "error: The key `efort` is unknown. Use `effort`.\n"


def test_an_error_that_quotes_what_came_from_outside_cannot_steer_the_terminal() -> None:
    def quoting() -> None:
        raise ConfigurationError("The name \x1b[31m\ud800\x9b is unknown.")

    result = CliRunner().invoke(group_with(quoting), ["it"])

    assert not set(result.stderr) & set("\x1b\x9b")


def test_debug_shows_where_it_came_from() -> None:
    result = CliRunner().invoke(group_with(refuse), ["--debug", "it"])

    assert "in refuse" in result.stderr
    assert result.stderr.endswith("Use `effort`.\n")


def test_a_bug_is_not_dressed_up_as_an_error() -> None:
    result = CliRunner().invoke(group_with(lambda: 1 // 0), ["it"])

    assert isinstance(result.exception, ZeroDivisionError)


def test_an_interrupt_ends_quietly_with_130() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    result = CliRunner().invoke(group_with(interrupted), ["it"])

    assert result.exit_code == 130
    assert result.output.strip() == ""


def test_characters_that_cannot_be_written_become_question_marks() -> None:
    result = CliRunner().invoke(group_with(lambda: click.echo("a\ud800b")), ["it"])

    assert result.stdout == "a?b\n"
    assert result.exit_code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")
def test_an_interrupt_does_not_wait_for_threads() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)

    assert process.returncode == 130
    assert errors.strip() == ""
    assert time.monotonic() - started < 5


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell with pipes")
def test_a_reader_that_closes_the_pipe_is_no_error(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("init", tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        errors = process.stderr.read() if process.stderr else ""

    assert process.returncode == 0
    assert "Traceback" not in errors
    assert "Exception" not in errors
