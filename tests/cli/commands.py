"""Running the real command, in this process or in one of its own."""

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from headwater.cli.main import cli

RUN = "import sys; from headwater.cli.main import main; sys.argv[0] = 'headwater'; main()"


def headwater(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    """Run in this process. A bug raises here; exit codes are in `exit_code`."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def command(*arguments: str | Path) -> list[str]:
    """The same as a command line for a process of its own."""
    return [sys.executable, "-c", RUN, *map(str, arguments)]


def in_a_process(
    *arguments: str | Path, encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    """Run where streams have this encoding."""
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        encoding=encoding,
        check=False,
    )


def error_of(result: Result) -> str:
    """The one line of an error; fails where there is more, or where there is output."""
    [line] = result.stderr.splitlines()
    assert result.stdout == ""
    assert result.exit_code == 1
    return line.removeprefix("error: ")
