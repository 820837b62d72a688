"""Who may read a file: from its front matter, from sidecar files, or from both.

A list of principals is written one a line, or with commas. `group:hr` and `user:ada` are
principals; a bare word is a group. In a sidecar, a line that begins with `#` is a comment.

- `salary.pdf.access` beside `salary.pdf` covers that file.
- `.access` in a folder covers everything below it.

The nearest sidecar wins: the file's own, then its folder's, then the folder above. Where a list
comes from a sidecar and another one from inside the file (front matter, or a field of a record),
only principals on both lists may read. An empty list means that nobody may. A list that cannot
be understood is an error: what it covers is left out, never made public.
"""

import re
import unicodedata
from collections.abc import Iterable

FOLDER_SIDECAR = ".access"
FILE_SIDECAR_SUFFIX = ".access"
MAX_SIDECAR_BYTES = 65_536
"""A longer sidecar is refused: it is no list of names."""

_PRINCIPAL = re.compile(r"(?:(group|user):)?\s*(\w(?:[\w .@+/'-]*\w)?)")


class AccessListError(Exception):
    """A list of principals cannot be understood; whoever reads the file makes it a rejection."""


def parse_sidecar(raw: bytes) -> list[str]:
    """Read the content of a sidecar file into sorted principals; empty content admits nobody.

    Raises:
        AccessListError: it is too long, not UTF-8, or holds something that is no principal.
    """
    if len(raw) > MAX_SIDECAR_BYTES:
        raise AccessListError(f"it is longer than {MAX_SIDECAR_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise AccessListError("it is not UTF-8 text") from exc
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return principals(part for line in lines for part in line.split(",") if part.strip())


def parse_field(value: object) -> list[str]:
    """Read the value of an `access` field: a list of principals, or one text with commas.

    Raises:
        AccessListError: anything else, an empty text and `null` too, whose intent is unclear.
    """
    if isinstance(value, list):
        return principals(value)
    if isinstance(value, str) and value.strip() == "[]":
        return []
    if isinstance(value, str) and value.strip():
        return principals(value.strip().removeprefix("[").removesuffix("]").split(","))
    raise AccessListError(f"{value!r} is no list of principals; nobody is written []")


def principals(entries: Iterable[object]) -> list[str]:
    """Normalise entries to sorted, distinct `group:…` and `user:…`, as `Identity` does.

    Raises:
        AccessListError: an entry is no text, or no principal.
    """
    return sorted({_principal(entry) for entry in entries})


def combine(outer: list[str] | None, inner: list[str] | None) -> list[str] | None:
    """Join two restrictions so that both hold: principals that are on both lists."""
    if outer is None or inner is None:
        return inner if outer is None else outer
    return sorted(set(outer) & set(inner))


def _principal(entry: object) -> str:
    name = unicodedata.normalize("NFC", entry) if isinstance(entry, str) else ""
    match = _PRINCIPAL.fullmatch(name.strip().strip("\"'"))
    if match is None:
        raise AccessListError(f"{entry!r} is neither group:NAME nor user:NAME")
    return f"{match[1] or 'group'}:{match[2]}"
