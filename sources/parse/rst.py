"""reStructuredText: sections by underlined headings."""

import re
from collections.abc import Iterator

from ..document import Section
from .markdown import Heading, sections_below

_MAX_HEADING = 400
"""Characters; a longer line is text."""
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*$")


def split_rst(text: str) -> list[Section]:
    """Split at headings; levels follow the order in which their styles first appear.

    Styles are the character, and whether there is a line above the title as well (docutils,
    reStructuredText specification, "Sections").
    """
    lines = text.split("\n")
    return sections_below(lines, _headings(lines))


def _headings(lines: list[str]) -> Iterator[Heading]:
    styles: list[str] = []
    number = 0
    while number < len(lines) - 1:
        over = _is_overlined(lines, number)
        title = number + 1 if over else number
        if not over and not _is_underlined(lines, number):
            number += 1
            continue
        style = lines[title + 1][0] * (2 if over else 1)
        if style not in styles:
            styles.append(style)
        end = title + 2
        yield Heading(styles.index(style) + 1, lines[title].strip(), number, end)
        number = end


def _is_underlined(lines: list[str], number: int) -> bool:
    """Tell whether a title stands here: text at the margin, blank above, a long rule below."""
    title = lines[number].rstrip()
    if not 0 < len(title) <= _MAX_HEADING or title[0].isspace() or _RULE.match(title):
        return False
    if number and lines[number - 1].strip():
        return False
    return _covers(lines[number + 1], title)


def _is_overlined(lines: list[str], number: int) -> bool:
    if number + 2 >= len(lines) or len(lines[number + 1]) > _MAX_HEADING:
        return False
    if not _RULE.match(lines[number]):
        return False
    above, title, below = lines[number].rstrip(), lines[number + 1].strip(), lines[number + 2]
    return bool(title) and above == below.rstrip() and _covers(below, title)


def _covers(rule: str, title: str) -> bool:
    """Accept a rule of the title's length; wide characters may make the rule longer."""
    return bool(_RULE.match(rule)) and len(rule.rstrip()) >= min(len(title), 4)
