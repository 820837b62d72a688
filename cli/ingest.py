"""`headwater ingest`: bring the indexes up to date."""

from pathlib import Path

import click


@click.command("ingest")
@click.option(
    "--kb", type=click.Path(path_type=Path), help="Knowledge base file; default: headwater.toml."
)
@click.option("--source", "sources", multiple=True, help="Only this source; may be repeated.")
@click.option("--rebuild", is_flag=True, help="Make the indexes anew instead of following changes.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
def command(kb: Path | None, *, sources: tuple[str, ...], rebuild: bool, as_json: bool) -> None:
    """Index new and changed files, forget deleted ones; what did not change costs nothing.

    Files that cannot be read are listed and left out; that is no error.
    """
    from .ingesting import ingest_sources

    ingest_sources(kb, sources, rebuild=rebuild, as_json=as_json)
