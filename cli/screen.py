"""Where output goes: the answer to stdout, what happens meanwhile to stderr."""

import os
import re
import sys
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..domain.printable import printable

_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Marks that turn the direction of writing: text of a document must not be able to disguise
itself, as it must not steer the terminal by control characters."""

_PLAIN_WIDTH = 110
"""Columns where no terminal says how many there are."""


class Screen(Console):
    """A console that prints text as it is: no markup, no emoji codes, no guessing of colours."""

    def on_broken_pipe(self) -> None:
        """Leave it to the command group to end quietly."""
        raise BrokenPipeError


def stdout() -> Screen:
    """Give a screen for what the command is asked for."""
    return _screen(sys.stdout)


def stderr() -> Screen:
    """Give a screen for progress and warnings."""
    return _screen(sys.stderr)


def _screen(stream: TextIO) -> Screen:
    known = stream.isatty() or "COLUMNS" in os.environ
    return Screen(
        file=stream,
        markup=False,
        emoji=False,
        highlight=False,
        width=None if known else _PLAIN_WIDTH,
    )


def clean(text: str) -> str:
    """Take out what could steer a terminal: control characters but tab and line feed."""
    return _TURNING.sub("", printable(text).replace("\r\n", "\n").replace("\r", " "))


def one_line(text: str, limit: int | None = None) -> str:
    """Give clean text on one line, cut at `limit` characters."""
    line = " ".join(clean(text).split())
    return line if limit is None or len(line) <= limit else f"{line[: limit - 1]}…"


def styled(text: str, style: str = "") -> Text:
    """Give clean text in one style."""
    return Text(clean(text), style=style)


def plain_table(*headers: str) -> Table:
    """Start a table without lines, one column a header: for people and for `awk` alike."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for header in headers:
        table.add_column(header, overflow="fold")
    return table
