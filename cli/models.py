"""`headwater models`: the built-in models."""

import click

from . import exits

_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group("models")
def command() -> None:
    """Show the models that come with the installation, and check their files."""


@command.command("list")
@_json
def list_(*, as_json: bool) -> None:
    """List role, name, licence, size and state of each built-in model."""
    from .model_files import show_models

    show_models(as_json=as_json)


@command.command("verify")
@_json
@click.pass_context
def verify(ctx: click.Context, *, as_json: bool) -> None:
    """Compare each model file with its SHA-256; ends with exit code 1 where one differs."""
    from .model_files import show_sums

    ctx.exit(exits.OK if show_sums(as_json=as_json) else exits.ERROR)
