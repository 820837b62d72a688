"""A click group that loads a command when it is called, and ends every run in an orderly way."""

import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import IO, Any, ClassVar

import click

from . import exits

_DEBUG = "headwater.debug"


@dataclass(frozen=True, slots=True)
class Lazy:
    """Where a command is, and its line in the list of commands."""

    module: str
    summary: str


class Failure(click.ClickException):
    """An error on purpose, as one line on stderr."""

    exit_code = exits.ERROR

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"error: {self.message}", err=True, file=file)


class LazyGroup(click.Group):
    """Commands come from modules of this package, each as the module's `command`."""

    lazy: ClassVar[Mapping[str, Lazy]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        command: click.Command = import_module(self.lazy[cmd_name].module, __package__).command
        return command if _has_debug(command) else debug_option(command)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - the name is click's
        formatter: click.HelpFormatter,
    ) -> None:
        """List the summaries without loading a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.summary) for name, lazy in self.lazy.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what goes wrong becomes a line on stderr and an exit code."""
        _accept_all_characters()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(exits.INTERRUPTED)
        except BrokenPipeError:
            _let_go_of_stdout()
            ctx.exit(exits.OK)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as exc:
            if not _on_purpose(exc):
                raise
            if ctx.meta.get(_DEBUG):
                traceback.print_exc()
            raise Failure(_line(exc)) from exc


def _remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_remember,
    help="Show the trace of an error.",
)
"""`--debug`, which the group and every command take."""


def _has_debug(command: click.Command) -> bool:
    return any(option.name == "debug" for option in command.params)


def _on_purpose(exc: Exception) -> bool:
    """Tell our errors from bugs; whoever raised one of ours has loaded their module."""
    from ..domain.errors import HeadwaterError

    return isinstance(exc, HeadwaterError)


def _line(exc: Exception) -> str:
    """Write an error on one line; it may quote what came from outside."""
    from ..domain.printable import printable

    return " ".join(printable(str(exc)).split())


def _accept_all_characters() -> None:
    """Print `?` for what the terminal's encoding, or UTF-8, cannot hold."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _let_go_of_stdout() -> None:
    """Point stdout nowhere, so that the flush at exit cannot fail again."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:  # a stream in memory, as under a test
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
