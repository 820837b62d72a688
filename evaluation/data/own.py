"""A user's own knowledge base with questions of their own: the documents are their files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...domain.request import Overrides
from ...graph.config_file import read
from ...graph.knowledge_base import KnowledgeBase
from ...sources.chunk import chunk
from ...sources.document import Document, FileEntry, Section
from ...sources.files import FilesSource, IngestProgress
from ...sources.walk import WalkRules, walk
from ..errors import DataError
from .corpora import Building, OpenBase, Opening

KNOWLEDGE_BASE_FILE = "headwater.toml"


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """The documents of a files source, each by its reference: `path`, `path#record` or a URL."""

    source: FilesSource

    def doc_of(self, url: str) -> str:
        return url

    async def holds(self, doc: str) -> bool:
        """Look for the first chunk of the document; a URL cannot be looked up and is believed."""
        if "://" in doc:
            return True
        path, _, record = doc.partition("#")
        document = Document(path, "", [Section("x")], record=record)
        first = next(chunk(document, len)).id
        return bool(await self.source.get([first], principals=frozenset()))

    def text(self, doc: str) -> None:  # noqa: ARG002
        return None

    def span(self, doc: str, start: int, end: int) -> tuple[int, int]:  # noqa: ARG002
        return start, end


def documents_of(folder: Path) -> list[Path]:
    """Give the files that the sources of a knowledge base file read, sources in its order.

    Raises ConfigurationError where the file is wrong or a folder is not there.
    """
    found: list[Path] = []
    for section in read(folder / KNOWLEDGE_BASE_FILE).sources:
        root = (folder / Path(section.path).expanduser()).resolve()
        rules = WalkRules(
            section.include, section.exclude, section.max_file_bytes, section.max_files
        )
        if root.is_file():
            found.append(root)
        else:
            found += [e.location for e in walk(root, rules) if isinstance(e, FileEntry)]
    return found


async def open_own(folder: Path, opening: Opening | None = None) -> OpenBase:
    """Open the knowledge base that `headwater.toml` in a folder describes, its index up to date.

    The models and settings are those of the file; the settings of `opening` come before them.

    Raises:
        DataError: there is no such file, or a source cannot be indexed.
        ConfigurationError, ModelError, IndexStoreError: as `KnowledgeBase.open` and `ingest`.
    """
    opening = opening or Opening()
    file = folder / KNOWLEDGE_BASE_FILE
    if not file.is_file():
        fix = "Make one with `headwater eval init`."
        raise DataError("There is no knowledge base file.", place=str(file), fix=fix)
    config = read(file)
    settings = config.settings.model_dump(exclude_none=True)
    settings |= opening.settings.model_dump(exclude_none=True)
    config = config.model_copy(update={"settings": Overrides(**settings)})
    kb = KnowledgeBase.from_config(config, folder=folder, chat=opening.chat)
    try:
        reports = await kb.ingest(on_progress=_telling(opening.on_progress))
        for source, report in reports.items():
            for problem in report.problems:
                _told(f"{source}: {problem.path}: {problem.cause}", opening)
        files = [source for source in kb.sources if isinstance(source, FilesSource)]
    except BaseException:
        await kb.close()
        raise
    return OpenBase(
        name=config.name,
        about=config.description,
        kb=kb,
        documents={source.name: OwnFiles(source) for source in files},
        passages=None,
    )


def _told(problem: str, opening: Opening) -> None:
    if opening.strict:
        fix = "Correct the file, or leave out --strict to go on without it."
        raise DataError(problem, fix=fix)
    opening.on_problem(problem)


def _telling(
    on_progress: Callable[[Building], None] | None,
) -> Callable[[str, IngestProgress], None] | None:
    if on_progress is None:
        return None
    tell = on_progress
    return lambda name, p: tell(Building(name, None, p.chunks, p.seconds))
