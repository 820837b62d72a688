"""PDF: text a page, headings from the outline."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ...domain.errors import FileRejectedError
from ..document import Section
from .extracted import Extracted
from .limits import ParseLimits
from .reading import clean

_ERROR_PASSWORD = 4
"""PDFium's FPDF_ERR_PASSWORD."""
_MAX_OUTLINE = 10_000
_MIN_SECTION = 80
"""Characters; shorter text above a heading goes with it."""
_HYPHEN = re.compile("(?:\ufffe|\u00ad|\x02)\n?")
"""How PDFium writes a hyphen that only breaks a word at the end of a line."""


class _Page(Protocol):
    def get_textpage(self) -> "_TextPage": ...
    def close(self) -> None: ...


class _TextPage(Protocol):
    def get_text_bounded(self) -> str: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Mark:
    """An entry of the outline: the page it points to, from 0, and the headings down to it."""

    page: int
    heading: list[str]


def parse_pdf(path: str, raw: bytes, limits: ParseLimits) -> Extracted:
    """Give one section a page, parted where the outline names a heading that is on the page.

    Pages are numbered from 1. PDFium is not thread-safe: call it in one thread of a process.

    Raises:
        FileRejectedError: the file is encrypted or broken, or no page of it has text.
        LimitExceededError: more than `max_pages` pages or `max_characters` of text.
    """
    import pypdfium2 as pdfium  # type: ignore[import-untyped]

    try:
        document = pdfium.PdfDocument(raw)
    except pdfium.PdfiumError as exc:
        raise _refusal(path, exc) from exc
    try:
        limits.check(path, "max_pages", len(document))
        pages = list(_texts(path, document, limits))
        marks = list(_outline(document))
        title = clean(document.get_metadata_value("Title")).strip()
    except pdfium.PdfiumError as exc:
        raise _refusal(path, exc) from exc
    finally:
        document.close()
    blank = [number for number, text in enumerate(pages, start=1) if not text.strip()]
    if len(blank) == len(pages):
        raise FileRejectedError(
            path, "No page holds text; they are probably scans.", fix="Run text recognition first."
        )
    return Extracted(_sections(pages, marks), title=title, warnings=_blank_pages(blank))


def _refusal(path: str, error: Exception) -> FileRejectedError:
    if getattr(error, "err_code", None) == _ERROR_PASSWORD:
        return FileRejectedError(
            path, "The PDF is encrypted.", fix="Save a copy that needs no password."
        )
    return FileRejectedError(
        path, f"The PDF is broken or cut off: {error}", fix="Fetch or export it once more."
    )


def _texts(path: str, document: object, limits: ParseLimits) -> Iterator[str]:
    total = 0
    for page in _pages(document):
        text_page = page.get_textpage()
        text = _HYPHEN.sub("", clean(text_page.get_text_bounded())).strip()
        text_page.close()
        page.close()
        total += len(text)
        limits.check(path, "max_characters", total)
        yield text


def _pages(document: object) -> Iterator[_Page]:
    for index in range(len(document)):  # type: ignore[arg-type]
        yield document[index]  # type: ignore[index]


def _outline(document: object) -> Iterator[_Mark]:
    """Give the outline in reading order; entries without a page only lead to others."""
    stack: list[str] = []
    for number, bookmark in enumerate(document.get_toc()):  # type: ignore[attr-defined]
        if number >= _MAX_OUTLINE:
            return
        title = " ".join(clean(bookmark.get_title()).split())
        del stack[bookmark.level :]
        stack.append(title)
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        if title and index is not None and index >= 0:
            yield _Mark(index, [name for name in stack if name])


def _sections(pages: list[str], marks: list[_Mark]) -> list[Section]:
    sections: list[Section] = []
    heading: list[str] = []
    by_page: dict[int, list[_Mark]] = {}
    for mark in marks:
        by_page.setdefault(mark.page, []).append(mark)
    for index, text in enumerate(pages):
        start = 0
        for mark in by_page.get(index, []):
            place = _find(text, mark.heading[-1], start)
            # A running header, or the heading one level up, is no section of its own. A heading
            # that is not found on the page holds from where we are.
            if len(text[start : max(place, start)].strip()) >= _MIN_SECTION:
                sections.append(Section(text[start:place].strip(), heading, index + 1))
                start = place
            heading = mark.heading
        if text[start:].strip():
            sections.append(Section(text[start:].strip(), heading, index + 1))
    return sections


def _find(text: str, title: str, start: int) -> int:
    """Find a title at the beginning of a line, perhaps after a number; -1 if it is not there."""
    words = r"\s+".join(map(re.escape, title.split()))
    match = re.compile(rf"^[ \t]*(?:[\dA-Z.]{{1,12}}[ \t]+)?{words}", re.MULTILINE).search(
        text, start
    )
    return match.start() if match else -1


def _blank_pages(pages: list[int]) -> list[str]:
    if not pages:
        return []
    shown = ", ".join(map(str, pages[:10])) + (", …" if len(pages) > 10 else "")
    return [f"{len(pages)} page(s) without text, probably scans: {shown}."]
