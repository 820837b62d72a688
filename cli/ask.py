"""`headwater ask`: ask a question."""

from pathlib import Path
from typing import Any

import click

EFFORTS = ("minimal", "low", "medium", "auto")


@click.command("ask")
@click.argument("question")
@click.option(
    "--kb", type=click.Path(path_type=Path), help="Knowledge base file; default: headwater.toml."
)
@click.option(
    "--files",
    type=click.Path(path_type=Path),
    help="Ask a folder or a file, without any configuration.",
)
@click.option("--effort", type=click.Choice(EFFORTS), help="How much work a question is worth.")
@click.option("--source", "sources", multiple=True, help="Ask only this source; may be repeated.")
@click.option(
    "--identity",
    "identities",
    multiple=True,
    metavar="user:NAME|group:NAME",
    help="Who asks; may be repeated. Without it no protected passage is found.",
)
@click.option(
    "--max-tokens", type=click.IntRange(1, 200_000), help="Tokens of passages that are kept."
)
@click.option(
    "--answer/--no-answer", default=None, help="Compose an answer, or give the passages only."
)
@click.option("--explain", is_flag=True, help="Show what became of each candidate.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@click.option("--no-ingest", is_flag=True, help="Ask the indexes as they are.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:  # noqa: ANN401 - as declared above
    """Ask QUESTION, or what stdin holds where it is `-`.

    An index that is still empty is filled first; with --files the folder is indexed, and what
    changed in it is followed. Progress goes to stderr, the result to stdout.
    """
    from .asking import Asked, ask

    ctx.exit(ask(Asked(**options)))
