"""Passages and the hits that name them."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrievable piece of a document, with its text.

    `access` lists the principals that may read it, such as `group:hr` or `user:ada`. `None`
    means that everybody may; an empty list means that nobody may.
    """

    source: str
    id: str
    text: str
    title: str = ""
    url: str | None = None
    """Where the document is: a URL, or a reference relative to its source, as `path#record`."""
    page: int | None = None
    heading: list[str] = field(default_factory=list)
    language: str | None = None
    access: list[str] | None = None
    start: int | None = None
    """Offset of `text` in its document, in characters; `None` where there is no such document."""
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Name of this passage in the whole knowledge base."""
        return passage_key(self.source, self.id)


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that a source returned for one query.

    `similarity` is the cosine between query and passage by the source's embedder, in [-1, 1],
    or `None` where the source has none. `score` is the source's own ranking score: it is kept
    for the trace and never compared with another source's.
    """

    passage: Passage
    similarity: float | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class SourceHits:
    """What one source found for one query: hits best first, and how many were held back.

    `denied` counts passages that matched but that the caller may not read. They are not named.
    """

    hits: list[Hit]
    denied: int = 0


def passage_key(source: str, passage_id: str) -> str:
    """Join a source's name, which holds no colon, and the id of one of its passages."""
    return f"{source}:{passage_id}"


def source_of(key: str) -> str:
    """Give the source part of a passage key."""
    return key.partition(":")[0]


def id_of(key: str) -> str:
    """Give the id part of a passage key."""
    return key.partition(":")[2]


def may_read(access: list[str] | None, principals: frozenset[str]) -> bool:
    """Tell whether one of `principals` is on the list; no list admits everybody."""
    return access is None or not principals.isdisjoint(access)
