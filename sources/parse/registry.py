"""From a file to its documents: which parser reads which kind of file."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import PurePosixPath

from ...domain.errors import FileRejectedError
from ..access import combine
from ..document import Document, FileEntry, Section
from ..language import detect
from .extracted import Extracted
from .field_rules import FieldRules
from .fields import readable_stem
from .front_matter import split_front_matter
from .limits import ParseLimits
from .markdown import split_markdown
from .process import shared_process
from .reading import open_binary, read_text
from .records import parse_records
from .rst import split_rst

__all__ = ["SUFFIXES", "FieldRules", "ParseLimits", "parse", "parsing"]

_PROSE = {"md": "md", "markdown": "md", "mdx": "md", "rst": "rst", "txt": "txt", "text": "txt"}
_RECORDS = {"json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv", "tsv": "tsv"}
_PARSED = {"pdf": "pdf", "docx": "docx", "pptx": "pptx", "xlsx": "xlsx"}
_PAGES = {"html": "html", "htm": "html", "xhtml": "html"}
_CODE = frozenset(
    "bash c cc cfg cpp cs css cxx dart go gradle graphql h hpp hs ini java js jsx kt less lua m ml"
    " php pl properties proto ps1 py pyi r rb rs sass scala scss sh sql svelte swift tex tf toml"
    " ts tsx vb vue xml yaml yml zig zsh".split()
)

SUFFIXES: frozenset[str] = frozenset(
    f".{name}" for name in {*_PROSE, *_RECORDS, *_PARSED, *_PAGES, *_CODE}
)
"""Endings of the files that can be read, in lower case, with the dot."""

_SAMPLE = 4_000
"""Characters of a document by which its language is told; more changes nothing."""


def parse(
    entry: FileEntry, limits: ParseLimits, rules: FieldRules | None = None
) -> Iterator[Document]:
    """Give the documents of a file, streaming: one, or one a record for JSON, JSONL, CSV, TSV.

    `rules` say which fields of records are title, keywords and content.

    Permissions are those of `entry` and of the file itself together, see `access.combine`. The
    language is the one that the file names, else the one that its text shows; source code has none.

    Raises:
        FileRejectedError: the file cannot be read, or its permissions cannot be understood.
        LimitExceededError: it is larger than a limit.
    """
    kind = PurePosixPath(entry.path).suffix.lower().removeprefix(".")
    if f".{kind}" not in SUFFIXES:
        raise FileRejectedError(entry.path, f"Files of the kind {kind!r} cannot be read.")
    if kind in _RECORDS:
        yield from map(_with_language, parse_records(entry, _RECORDS[kind], limits, rules))
    else:
        document = _document(entry, _extract(entry, kind, limits))
        yield document if kind in _CODE else _with_language(document)


def parsing() -> AbstractContextManager[None]:
    """Give a context for many calls of `parse`; at its end the worker process ends, if unused."""
    return shared_process().in_use()


def _extract(entry: FileEntry, kind: str, limits: ParseLimits) -> Extracted:
    process = shared_process()
    if kind in _PARSED:
        with open_binary(entry):  # refuse what is gone, empty or a link without starting a worker
            pass
        location = str(entry.location)
        return process.parse(entry.path, _PARSED[kind], limits, location=location)
    text, encoding = read_text(entry)
    limits.check(entry.path, "max_characters", len(text))
    if kind in _PAGES:
        extracted = process.parse(entry.path, "html", limits, text=text)
    elif kind in _PROSE:
        extracted = _prose(entry.path, text, _PROSE[kind])
    else:
        extracted = Extracted(_plain(text), title=PurePosixPath(entry.path).name)
    return replace(extracted, warnings=[*encoding.warnings, *extracted.warnings])


def _prose(path: str, text: str, kind: str) -> Extracted:
    front = split_front_matter(path, text)
    sections = {"md": split_markdown, "rst": split_rst, "txt": _plain}[kind](front.body)
    return Extracted(sections, front.title, front.url, front.language, front.access, front.metadata)


def _plain(text: str) -> list[Section]:
    return [Section(text.strip("\n"))]


def _document(entry: FileEntry, extracted: Extracted) -> Document:
    sections = [section for section in extracted.sections if section.text.strip()]
    if not sections:
        raise FileRejectedError(entry.path, "The file holds no text.")
    return Document(
        path=entry.path,
        title=extracted.title or _first_heading(sections) or readable_stem(entry.path),
        sections=sections,
        url=extracted.url,
        language=extracted.language,
        access=combine(entry.access, extracted.access),
        metadata=extracted.metadata,
        warnings=extracted.warnings,
    )


def _first_heading(sections: list[Section]) -> str:
    """Give the heading that stands first, if it covers the document rather than a part of it."""
    return next((s.heading[0] for s in sections[:2] if s.heading), "")


def _with_language(document: Document) -> Document:
    if document.language is not None:
        return document
    sample = ""
    for section in document.sections:
        if len(sample) >= _SAMPLE:
            break
        sample += section.text[:_SAMPLE] + "\n"
    return replace(document, language=detect(sample[:_SAMPLE]))
