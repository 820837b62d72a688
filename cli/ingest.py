"""`headwater ingest`: bring the indexes up to date."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..sources.files import IngestReport
    from .base import Base


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
    from .base import configured

    base = configured(kb)
    chosen = base.known(sources)  # what is wrong is said before anything heavy is loaded

    from .running import run

    _print(run(_ingest(base, chosen, rebuild=rebuild)), as_json=as_json)


async def _ingest(
    base: "Base", names: Sequence[str], *, rebuild: bool
) -> "dict[str, IngestReport]":
    from ..graph.knowledge_base import KnowledgeBase
    from .indexing import file_sources, ingest
    from .screen import stderr

    async with KnowledgeBase.from_config(base.config, folder=base.folder) as kb:
        return await ingest(kb, stderr(), names or file_sources(kb), rebuild=rebuild)


def _print(reports: "dict[str, IngestReport]", *, as_json: bool) -> None:
    if as_json:
        from ..sources.files import IngestReport
        from .plain import plain, print_json

        print_json({"sources": plain(dict[str, IngestReport], reports)})
        return
    from .indexing import print_reports
    from .screen import stdout

    print_reports(stdout(), reports)
