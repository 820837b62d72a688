"""Ingestion from the command line."""

from collections.abc import Sequence
from pathlib import Path

from .base import Base, configured


def ingest_sources(kb: Path | None, names: Sequence[str], *, rebuild: bool, as_json: bool) -> None:
    """Ingest all file sources, or those of these names, and print the report.

    Raises HeadwaterError.
    """
    base = configured(kb)
    chosen = base.known(names)

    from .running import run

    run(_run(base, chosen, rebuild=rebuild, as_json=as_json))


async def _run(base: Base, names: Sequence[str], *, rebuild: bool, as_json: bool) -> None:
    from ..graph.knowledge_base import KnowledgeBase
    from ..sources.files import IngestReport
    from .indexing import file_sources, ingest, print_reports
    from .plain import plain, print_json
    from .screen import stderr, stdout

    async with KnowledgeBase.from_config(base.config, folder=base.folder) as kb:
        reports = await ingest(kb, stderr(), names or file_sources(kb), rebuild=rebuild)
    if as_json:
        print_json({"sources": plain(dict[str, IngestReport], reports)})
    else:
        print_reports(stdout(), reports)
