"""What ingestion hands from step to step: file, document, section, chunk."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file below the folder of a source."""

    path: str
    """Relative to the folder, with forward slashes: the file's identity."""
    location: Path
    size: int
    """Bytes."""
    modified_ns: int
    access: list[str] | None = None
    """Principals from a sidecar; `None` where no sidecar restricts the file."""


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One file that was left out, and why."""

    path: str
    cause: str


@dataclass(frozen=True, slots=True)
class Section:
    """A run of text under one heading, on one page; the two are `None` or empty if unknown."""

    text: str
    heading: list[str] = field(default_factory=list)
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One document: a whole file, or one record of a file that holds many (JSONL, CSV)."""

    path: str
    title: str
    sections: list[Section]
    record: str = ""
    """Identity inside the file; empty where the file is one document."""
    url: str | None = None
    language: str | None = None
    access: list[str] | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    """What could not be read, such as pages without text."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a document, the unit that is indexed and retrieved."""

    id: str
    """Stable over runs while path, record and place in the document stay the same."""
    path: str
    text: str
    title: str
    heading: list[str] = field(default_factory=list)
    page: int | None = None
    start: int = 0
    """Offset of `text` in the joined text of its document, in characters, after Unicode's NFC."""
    url: str | None = None
    language: str | None = None
    access: list[str] | None = None
    metadata: dict[str, str] = field(default_factory=dict)
