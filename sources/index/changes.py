"""What ingestion asks of an index: changes of chunks and of files, by batches."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ...domain.ports import Vector
from ..document import Chunk
from .keyword import KeywordEntry
from .vectors import VectorEntry

Kind: TypeAlias = Literal["add", "replace", "relabel", "keep"]


@dataclass(frozen=True, slots=True)
class KnownChunk:
    """What the index has under a chunk's id."""

    digest: bytes
    access: list[str] | None


@dataclass(frozen=True, slots=True)
class ChunkChange:
    """One chunk as it is now.

    `add` and `replace` bring a vector. `relabel` changes who may read it, `keep` at most what
    neither index holds (page, url and the like).
    """

    kind: Kind
    chunk: Chunk
    run: int
    """Number of the ingestion; a file's chunks of an earlier one go when the file is done."""
    vector: "Vector | None" = None


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What the manifest knows of one file."""

    path: str
    size: int
    modified_ns: int
    access: list[str] | None
    digest: str
    """SHA-256 of its bytes; empty where they could not be read."""
    parser: str
    """Version of parsing and chunking."""
    seen_ns: int
    """When it was looked at; a change within the same tick of the clock would not show."""
    problem: str | None = None
    warnings: list[str] = field(default_factory=list)
    done: bool = False
    """Every chunk of it is in both indexes."""


@dataclass(slots=True)
class Batch:
    """Changes that reach the index together. A file is recorded with its last chunk."""

    chunks: list[ChunkChange] = field(default_factory=list)
    records: list[FileRecord] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """Paths of files that are no longer there."""
    run: int = 0


@dataclass(slots=True)
class Pending:
    """What the two indexes must do so that they agree with the manifest; may be done twice."""

    delete: list[str] = field(default_factory=list)
    """Ids that leave both indexes."""
    renew: list[str] = field(default_factory=list)
    """Ids among `entries` that the keyword index may hold already."""
    entries: list[KeywordEntry] = field(default_factory=list)
    vectors: list[VectorEntry] = field(default_factory=list)
    relabel: list[tuple[str, int]] = field(default_factory=list)


def kind_of(chunk: Chunk, known: KnownChunk | None) -> Kind:
    """Tell what a chunk needs, given what is there under its id."""
    if known is None:
        return "add"
    if known.digest != digest_of(chunk):
        return "replace"
    return "keep" if known.access == chunk.access else "relabel"


def digest_of(chunk: Chunk) -> bytes:
    """Sixteen bytes that change when what is embedded or looked up changes."""
    parts = json.dumps([chunk.title, chunk.heading, chunk.text])
    return hashlib.blake2b(parts.encode(), digest_size=16).digest()
