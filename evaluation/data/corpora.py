"""Open a knowledge base over data sets: its passages written, indexed once, and ready to ask."""

import asyncio
import hashlib
import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError

from ...domain.request import Overrides
from ...graph.builder import Models
from ...graph.config import FilesSection, KnowledgeBaseFile, ModelsSection
from ...graph.knowledge_base import KnowledgeBase
from ...graph.wiring import defaults_of, open_models, policy_of
from ...sources.chunk import OVERLAP_TOKENS, TARGET_TOKENS, TINY_TOKENS
from ...sources.files import FilesConfig, FilesSource, IngestProgress
from ...sources.index.intake import PARSER
from ...sources.index.keyword import Engine
from ...sources.index.stamp import FORMAT, analysis_version
from ...sources.parse.limits import ParseLimits
from ..errors import DataError
from .bases import BaseSpec
from .copies import Corpora
from .dataset import pass_over
from .documents import FILE, Documents, Inventory, PassageFile
from .passages import Cut
from .vectors import RememberingEmbedder

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_LIMITS = ParseLimits(max_records=10_000_000)
"""Passages of one source, far more than any set has; the file is our own."""


@dataclass(frozen=True, slots=True)
class Building:
    """How far the index of one source is; told while it is built."""

    source: str
    passages: int | None
    """In the source, all in all; `None` where the documents are the user's own files."""
    chunks: int
    """Indexed so far in this run."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a knowledge base is opened: its models and settings, and what is told meanwhile."""

    models: ModelsSection = field(default_factory=ModelsSection)
    chat: "BaseChatModel | None" = None
    settings: Overrides = field(default_factory=Overrides)
    keyword: Engine = "whoosh"
    strict: bool = False
    """Stop at a broken line of the data, in place of going on without it."""
    on_problem: Callable[[str], None] = pass_over
    on_progress: Callable[[Building], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBase:
    """A knowledge base that can be asked, and what its sources hold. Close it when done."""

    name: str
    about: str
    kb: KnowledgeBase
    documents: dict[str, Documents]
    """By the name of the source."""
    passages: int | None
    """In all sources; `None` where the documents are the user's own files."""
    cut: Cut | None = None
    closing: Callable[[], None] = lambda: None

    def doc_of(self, source: str, url: str | None) -> str:
        """Give the id of the document that a reference names. Raises DataError."""
        return self.documents[source].doc_of(url or "")

    def text(self, source: str, doc: str) -> str | None:
        """Give the text of a document that gold spans count in, where it is known."""
        return self.documents[source].text(doc)

    def span(self, source: str, doc: str, place: tuple[int, int]) -> tuple[int, int]:
        """Turn [start, end) in the indexed document into the same place in `text`."""
        return self.documents[source].span(doc, *place)

    async def sources_of(self, doc: str) -> list[str]:
        """Give the names of the sources that hold a document, in their order."""
        return [name for name, held in self.documents.items() if await held.holds(doc)]

    async def close(self) -> None:
        """Close the knowledge base."""
        await self.kb.close()
        self.closing()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


async def open_base(
    spec: BaseSpec,
    data: Path,
    *,
    cache: Path,
    cut: Cut | None = None,
    opening: Opening | None = None,
) -> OpenBase:
    """Write the passages of each source, index what is not indexed yet, and open the whole.

    Indexes lie in `cache`, each under a digest of its passages and of all that forms an index, so
    that experiments share them and none is stale. A killed one goes on where it was. Only one
    process at a time can have an index open.

    Raises:
        DataError: data is missing, a source has no passages, or the cache cannot be written.
        ConfigurationError, ModelError: a model cannot be opened.
        IndexStoreError: another process uses an index, or one cannot be used.
    """
    opening = opening or Opening()
    models, thresholds = open_models(opening.models, opening.chat)
    config = _config(spec, opening)
    async with AsyncExitStack() as undo:
        embedder = _remembering(models, cache)
        undo.callback(embedder.close)
        digest = partial(_digest, embedder=embedder.name, keyword=opening.keyword)
        with Corpora(
            data, cache / "corpora", strict=opening.strict, on_problem=opening.on_problem
        ) as corpora:
            documents = await asyncio.to_thread(_written, spec, corpora, cut, digest=digest)
        sources: list[FilesSource] = []
        for section in config.sources:
            held = documents[section.name]
            files = FilesSource.open(
                _files_config(section, held.path.parent), embedder=embedder, counter=models.counter
            )
            undo.push_async_callback(files.close)
            await _index(files, len(held.ids), opening.on_progress)
            sources.append(files)
        kb = KnowledgeBase(
            sources,
            models,
            defaults=defaults_of(config, thresholds),
            policy=policy_of(config),
            config=config,
        )
        undo.pop_all()
    return OpenBase(
        name=spec.name,
        about=spec.about,
        kb=kb,
        documents=dict(documents),
        passages=sum(len(file.ids) for file in documents.values()),
        cut=cut,
        closing=embedder.close,
    )


def _written(
    spec: BaseSpec, corpora: Corpora, cut: Cut | None, *, digest: Callable[[Inventory], str]
) -> dict[str, PassageFile]:
    """Write the passages of each source into the folder of its index."""
    documents = {}
    for source in spec.sources:
        inventory = Inventory.of(source, corpora, cut)
        documents[source.name] = inventory.write(corpora.folder / digest(inventory))
    return documents


async def _index(
    source: FilesSource, passages: int, on_progress: Callable[[Building], None] | None
) -> None:
    def tell(progress: IngestProgress) -> None:
        if on_progress is not None:
            on_progress(Building(source.name, passages, progress.chunks, progress.seconds))

    report = await source.ingest(on_progress=tell)
    if report.problems or report.warnings:
        said = [problem.cause for problem in report.problems] + report.warnings
        raise DataError(
            f"The passages of {source.name!r} are not indexed in full: {said[0]}",
            place=str(source.config.path),
            fix="Delete its folder: it is made anew.",
        )


def _remembering(models: Models, cache: Path) -> RememberingEmbedder:
    if models.embedder is None:
        raise DataError("An index needs an embedder.", fix="Name one in [models].")
    readable = re.sub(r"[^A-Za-z0-9.-]+", "-", models.embedder.name)[:40]
    # Two names may read the same once they are made fit for a file system.
    unique = hashlib.sha256(models.embedder.name.encode()).hexdigest()[:8]
    return RememberingEmbedder(models.embedder, cache / "vectors" / f"{readable}-{unique}.sqlite")


def _config(spec: BaseSpec, opening: Opening) -> KnowledgeBaseFile:
    """Write the knowledge base down as its file would say it; the paths are those of no folder."""
    sources = [
        {"name": s.name, "path": FILE, "description": s.description, "keyword": opening.keyword}
        for s in spec.sources
    ]
    said = {"name": spec.name, "description": spec.about, "sources": sources}
    models, settings = opening.models, opening.settings
    try:
        return KnowledgeBaseFile.model_validate({**said, "models": models, "settings": settings})
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise DataError(
            f"The knowledge base {spec.name!r} cannot be: {where}: {first['msg']}."
        ) from exc


def _files_config(section: FilesSection, folder: Path) -> FilesConfig:
    return FilesConfig(
        name=section.name,
        path=folder / FILE,
        state=folder / "index",
        description=section.description,
        keyword=section.keyword,
        limits=_LIMITS,
    )


def _digest(inventory: Inventory, embedder: str, keyword: Engine) -> str:
    """Name an index after everything that forms it; anything else is another index."""
    sizes = (TARGET_TOKENS, OVERLAP_TOKENS, TINY_TOKENS)
    formed = (inventory.digest, embedder, keyword, sizes, PARSER, FORMAT, analysis_version())
    return hashlib.sha256(repr(formed).encode()).hexdigest()[:16]
