"""What a doctor wants to know about an index."""

from dataclasses import dataclass, field

from ...domain.errors import IndexStoreError
from ..document import FileProblem
from .shared import SharedIndex


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """State of one index. It can be searched where `faults` is empty."""

    ingested: bool = True
    """Whether there is an index at all; one that is not there yet is new, not broken."""
    files: int = 0
    """In the manifest, those that could not be read too."""
    chunks: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    """Chunks in each of `chunks`, `keyword`, `vectors`: equal in a sound index."""
    languages: dict[str, int] = field(default_factory=dict)
    """Chunks in each language that is known."""
    versions: dict[str, str] = field(default_factory=dict)
    """What the index is made with, by name: format, embedder, dimensions, keyword, analysis."""
    faults: list[str] = field(default_factory=list)
    """What keeps it from being searched, each with what to do."""
    problems: list[FileProblem] = field(default_factory=list)
    """Files that could not be read at the last ingestion."""


def examine(index: SharedIndex) -> IndexHealth:
    """Look at an index; opens it, does not begin it where there is none."""
    versions = index.stamp.versions()
    if not index.exists():
        fault = "It was never ingested. Run `headwater ingest`."
        return IndexHealth(ingested=False, versions=versions, faults=[fault])
    try:
        store = index.lease()
    except IndexStoreError as exc:
        return IndexHealth(versions=versions, faults=[str(exc)])
    try:
        files, counts = store.catalog.files(), store.counts()
        languages = store.catalog.languages()
    except IndexStoreError as exc:
        return IndexHealth(versions=versions, faults=[str(exc)])
    finally:
        index.give_back(store)
    return IndexHealth(
        files=len(files),
        chunks=counts["chunks"],
        counts=counts,
        languages=languages,
        versions=versions,
        faults=_contradictions(counts),
        problems=[FileProblem(f.path, f.problem) for f in files.values() if f.problem],
    )


def _contradictions(counts: dict[str, int]) -> list[str]:
    if len(set(counts.values())) == 1:
        return []
    return [f"Its parts hold different numbers of chunks: {counts}. Rebuild it."]
