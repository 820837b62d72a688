"""The doctor on sources: paths, indexes, and what selection sees of them."""

from collections.abc import Iterator
from itertools import combinations

from ..domain.errors import HeadwaterError
from ..domain.ports import Embedder
from ..graph.knowledge_base import KnowledgeBase
from ..sources.files import FilesSource, IndexHealth
from .base import Base
from .check import Check
from .doctor_cosines import cosine_check
from .doctor_languages import language_checks
from .doctor_routing import Described, routing_checks

_SHOWN_PROBLEMS = 5


async def source_checks(base: Base) -> list[Check]:
    """Check each source's path, index and languages, then names and descriptions."""
    described = [Described(s.name, s.description) for s in base.config.sources]
    missing = list(_missing(base))
    if missing:
        return [*missing, *routing_checks(described)]
    try:
        kb = KnowledgeBase.from_config(base.config, folder=base.folder)
    except HeadwaterError as exc:
        opening = Check("sources", "error", exc.message, exc.fix)
        return [opening, *routing_checks(described)]
    async with kb:
        checks: list[Check] = []
        languages: dict[str, dict[str, int]] = {}
        for source in kb.sources:
            if isinstance(source, FilesSource):
                health = await source.health()
                checks += _index(source.name, health)
                languages[source.name] = health.languages
        checks += language_checks(base.config.models.embedder, languages)
        try:
            checks += await _embedder(base.config.models.embedder, kb.models.embedder)
            similar = await similarities(described, kb.models.embedder)
        except HeadwaterError as exc:
            checks.append(Check("sources", "error", exc.message, exc.fix))
            similar = None
    return [*checks, *routing_checks(described, similar)]


async def similarities(
    sources: list[Described], embedder: Embedder | None
) -> dict[tuple[str, str], float] | None:
    """Give the cosine of each pair of descriptions, by pairs of names; `None` where none is.

    Raises ModelError.
    """
    told = [source for source in sources if source.description.strip()]
    if embedder is None or not told:
        return None
    vectors = await embedder.embed_passages([source.description for source in told])
    return {
        (first[0].name, second[0].name): sum(
            a * b for a, b in zip(first[1], second[1], strict=True)
        )
        for first, second in combinations(list(zip(told, vectors, strict=True)), 2)
    }


async def _embedder(name: str, embedder: Embedder | None) -> list[Check]:
    found = await cosine_check(name, embedder) if embedder else None
    return [found] if found else []


def _missing(base: Base) -> Iterator[Check]:
    for source in base.config.sources:
        path = base.place(source.path)
        if not path.exists():
            text = f"{source.name}: there is no folder or file {str(path)!r}."
            fix = "Correct `path`; it is relative to the knowledge base file."
            yield Check("sources", "error", text, fix)


def _index(name: str, health: IndexHealth) -> Iterator[Check]:
    command = f"headwater ingest --source {name}"
    for fault in health.faults:
        if health.ingested:
            yield Check("sources", "error", f"{name}: {fault}", f"{command} --rebuild")
        else:  # `ask` fills it
            yield Check("sources", "warning", f"{name}: {fault}", command)
    if not health.faults:
        yield _filled(name, health)
    if health.problems:
        first = "; ".join(f"{p.path}: {p.cause}" for p in health.problems[:_SHOWN_PROBLEMS])
        text = f"{name}: {len(health.problems)} file(s) could not be read: {first}"
        yield Check("sources", "warning", text, "Mend, exclude or remove them, and ingest again.")


def _filled(name: str, health: IndexHealth) -> Check:
    text = f"{name}: {health.files} files, {health.chunks} passages."
    if health.chunks:
        return Check("sources", "ok", text)
    fix = "Check `path`, `include` and `exclude`; nothing in it could be read."
    return Check("sources", "warning", text, fix)
