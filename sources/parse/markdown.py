"""Markdown: sections by heading, with fenced code kept whole."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..document import Section

_MAX_HEADING = 400
"""Characters; a longer line is text, and no pattern has to look through it."""
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|(\*\*|__|`)|\{#[^}]*\}")
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[-*+>|]|\d+[.)]\s)")
"""Lines that a row of dashes below does not turn into a heading: lists, quotes, tables, code."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in a list of lines: it takes lines `first` up to, not including, `end`."""

    level: int
    title: str
    first: int
    end: int


def split_markdown(text: str) -> list[Section]:
    """Split at ATX (`## Title`) and setext (underlined) headings; see `sections_below`."""
    lines = text.split("\n")
    return sections_below(lines, _headings(lines))


def sections_below(lines: list[str], headings: Iterator[Heading]) -> list[Section]:
    """Give the text below each heading, in order, with the path of headings that leads to it.

    A heading with nothing below it, not even another heading of its own, keeps its own words as
    text, so that nothing is lost.
    """
    sections: list[Section] = []
    stack: list[Heading] = []
    start = 0
    for heading in headings:
        _close(sections, stack, lines[start : heading.first], below=heading.level)
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        start = heading.end
    _close(sections, stack, lines[start:], below=0)
    return sections


def _close(sections: list[Section], stack: list[Heading], lines: list[str], below: int) -> None:
    text = "\n".join(lines).strip("\n").rstrip()
    if not text.strip() and stack and below <= stack[-1].level:
        text = stack[-1].title
    if text.strip():
        sections.append(Section(text, [heading.title for heading in stack if heading.title]))


def _headings(lines: list[str]) -> Iterator[Heading]:
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line) if "`" in line or "~" in line else None
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
        elif found := _heading(lines, number):
            yield found


def _heading(lines: list[str], number: int) -> Heading | None:
    line = lines[number]
    if len(line) > _MAX_HEADING:
        return None
    if "#" in line[:4] and (atx := _ATX.match(line)):
        return Heading(len(atx[1]), _plain(atx[2] or ""), number, number + 1)
    if number and line[:4].lstrip(" ")[:1] in ("=", "-") and (under := _SETEXT.match(line)):
        above = lines[number - 1]
        if _is_setext_title(lines, number - 1):
            level = 1 if under[1][0] == "=" else 2
            return Heading(level, _plain(above), number - 1, number + 1)
    return None


def _is_setext_title(lines: list[str], number: int) -> bool:
    """Tell whether a line can be an underlined title: one line of prose, blank or none above."""
    line = lines[number]
    if len(line) > _MAX_HEADING or not line.strip():
        return False
    if _NO_PARAGRAPH.match(line) or _ATX.match(line) or _FENCE.match(line):
        return False
    return number == 0 or not lines[number - 1].strip() or bool(_ATX.match(lines[number - 1]))


def _plain(title: str) -> str:
    """Strip link targets, emphasis and anchors from a heading."""
    return _MARKUP.sub(lambda match: match[1] or "", title).strip()
