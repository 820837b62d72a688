"""DOCX, PPTX, XLSX and HTML, through xberg, as Markdown that is then split."""

import asyncio
import re
from typing import TYPE_CHECKING

from ...domain.errors import FileRejectedError
from ..document import Section
from .archive import check_archive
from .extracted import Extracted
from .fields import readable_stem
from .front_matter import language_code
from .limits import ParseLimits
from .markdown import split_markdown
from .reading import clean

if TYPE_CHECKING:
    from xberg import ExtractedDocument, ExtractionConfig

_OPEN_XML = "application/vnd.openxmlformats-officedocument."
_MIME = {
    "docx": _OPEN_XML + "wordprocessingml.document",
    "pptx": _OPEN_XML + "presentationml.presentation",
    "xlsx": _OPEN_XML + "spreadsheetml.sheet",
    "html": "text/html",
}
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,500})</title", re.IGNORECASE)
_LANGUAGE = re.compile(r"<html[^>]{0,300}?\slang\s*=\s*[\"']?([A-Za-z-]{2,20})", re.IGNORECASE)
_HEAD = 65_536
"""Characters of an HTML page in which its title is looked for."""
_IMAGE = re.compile(r"!\[([^\]\n]{0,500})\]\([^)\n]{0,5000}\)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,500})\]\([^)\n]{0,5000}\)")


def parse_office(path: str, raw: bytes, kind: str, limits: ParseLimits) -> Extracted:
    """Read an office file; `kind` is `docx`, `pptx` or `xlsx`.

    A slide is a page, numbered from 1, with its speaker notes after its text. A sheet is a
    heading.

    Raises:
        FileRejectedError: the file is encrypted or broken, or holds no text.
        LimitExceededError: as `check_archive`, or more than `max_pages` or `max_characters`.
    """
    check_archive(path, raw, limits)
    document = _extract(path, raw, kind, limits)
    sections = _paged(path, document, kind, limits)
    title = clean(document.metadata.title or "").strip()
    if kind == "xlsx":  # else the name of the first sheet would do for the title of the file
        title = title or readable_stem(path)
    return _checked(path, Extracted(sections, title=title), limits)


def parse_html(path: str, text: str, limits: ParseLimits) -> Extracted:
    """Read a web page: its text without scripts, menus and addresses, by its headings.

    Raises:
        FileRejectedError: the page cannot be parsed or holds no text.
        LimitExceededError: more than `max_characters`.
    """
    from html import unescape

    limits.check(path, "max_characters", len(text))
    document = _extract(path, text.encode(), "html", limits)
    title, language = _TITLE.search(text[:_HEAD]), _LANGUAGE.search(text[:_HEAD])
    extracted = Extracted(
        split_markdown(_prose(clean(document.content))),
        title=" ".join(unescape(title[1]).split()) if title else "",
        language=language_code(language[1]) if language else None,
    )
    return _checked(path, extracted, limits)


def _extract(path: str, raw: bytes, kind: str, limits: ParseLimits) -> "ExtractedDocument":
    import xberg

    source = xberg.ExtractInput(
        kind=xberg.ExtractInputKind("bytes"), bytes=raw, mime_type=_MIME[kind]
    )
    try:
        result = asyncio.run(xberg.extract(source, _configuration(limits)))
    except Exception as exc:
        raise FileRejectedError(path, f"The file is broken or cut off: {exc}.") from exc
    if not result.results:
        raise FileRejectedError(path, f"The file cannot be read: {result.errors}.")
    return result.results[0]


def _configuration(limits: ParseLimits) -> "ExtractionConfig":
    import xberg

    return xberg.ExtractionConfig(
        use_cache=False,  # its cache would keep texts outside the index, without permissions
        disable_ocr=True,
        enable_quality_processing=False,
        output_format="markdown",
        escape_markdown=False,
        pages=xberg.PageConfig(extract_pages=True),
        html_options=xberg.ConversionOptions(extract_metadata=False),
        security_limits=xberg.SecurityLimits(
            max_archive_size=limits.max_archive_bytes,
            max_compression_ratio=limits.max_archive_ratio,
            max_content_size=limits.max_archive_bytes,
        ),
    )


def _paged(
    path: str, document: "ExtractedDocument", kind: str, limits: ParseLimits
) -> list[Section]:
    if kind == "docx":
        return split_markdown(_prose(clean(document.content)))
    pages = document.pages or []
    limits.check(path, "max_pages", len(pages))
    sections: list[Section] = []
    for page in pages:
        if kind == "xlsx":
            if not page.is_blank:
                name = clean(page.sheet_name or f"{page.page_number}")
                sections.append(Section(clean(page.content).strip(), [name]))
            continue
        slide = split_markdown(_prose(clean(page.content)))
        sections += [Section(part.text, part.heading, page.page_number) for part in slide]
        if notes := clean(page.speaker_notes or "").strip():
            heading = slide[0].heading if slide else []
            sections.append(Section(notes, heading, page.page_number))
    return sections


def _prose(markdown: str) -> str:
    """Keep the words of links and pictures and drop their addresses."""
    return _LINK.sub(r"\1", _IMAGE.sub(r"\1", markdown))


def _checked(path: str, extracted: Extracted, limits: ParseLimits) -> Extracted:
    total = sum(len(section.text) for section in extracted.sections)
    if total == 0:
        raise FileRejectedError(path, "The file holds no text.")
    limits.check(path, "max_characters", total)
    return extracted
