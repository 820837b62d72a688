"""Front matter: the block of fields at the top of a text file."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml

from ...domain.errors import FileRejectedError
from ..access import AccessListError, parse_field

MAX_CHARACTERS = 65_536
"""A longer block is refused: front matter is a handful of fields."""

_MAX_DEPTH = 16
_BLOCK = re.compile(r"\s*(---|\+\+\+)[ \t]*\n(.*?)^\1[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"\s*(?:---|\+\+\+)[ \t]*\n")
_RESTRICTS = re.compile(r"^[ \t\"'-]*access[\"']?\s*[:=]", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a file; `body` is the text below them."""

    body: str
    title: str = ""
    url: str | None = None
    language: str | None = None
    access: list[str] | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    """Every other field as text; lists joined with commas, nested fields left out."""


def split_front_matter(path: str, text: str) -> FrontMatter:
    """Part `text` from its front matter: YAML between `---`, or TOML between `+++`.

    A text that merely begins with a rule has none.

    Raises:
        FileRejectedError: the block, or its `access`, cannot be understood. The file might be
            meant for few, so it is not read at all.
    """
    match = _BLOCK.match(text)
    if match is None:
        if _OPENING.match(text) and _RESTRICTS.search(text[:MAX_CHARACTERS]):
            raise _rejected(path, "it names `access` but is never closed")
        return FrontMatter(text)
    if len(match[2]) > MAX_CHARACTERS:
        raise _rejected(path, f"it is longer than {MAX_CHARACTERS:,} characters")
    fields = _fields(path, match[1], match[2])
    if fields is None:
        return FrontMatter(text)
    known = {str(key).strip().lower(): value for key, value in fields.items()}
    return FrontMatter(
        body=text[match.end() :],
        title=_scalar(known.pop("title", "")),
        url=_scalar(known.pop("url", "")) or None,
        language=language_code(_scalar(known.pop("language", known.pop("lang", "")))),
        access=_access(path, known),
        metadata={key: text for key, value in known.items() if (text := _scalar(value))},
    )


def language_code(name: str) -> str | None:
    """Give the two letters of a language tag such as `fr-CA`; `None` for anything else."""
    match = re.fullmatch(r"([A-Za-z]{2})(?:[-_].*)?", name.strip())
    return match[1].lower() if match else None


def _fields(path: str, fence: str, block: str) -> Mapping[object, object] | None:
    """Parse the block; `None` if it is prose between two rules rather than fields."""
    try:
        if fence == "+++":
            return dict(tomllib.loads(block).items())
        _check_events(path, block)
        # The base loader makes every scalar a text: `no` stays a language, 1.10 a version.
        fields = yaml.load(block, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError) as exc:
        reason = " ".join(str(exc).split()) or "it is nested too deeply"
        raise _rejected(path, reason) from exc
    if isinstance(fields, dict):
        return fields
    if _RESTRICTS.search(block):
        raise _rejected(path, "it names `access` but is no list of fields")
    return None


def _check_events(path: str, block: str) -> None:
    """Refuse aliases, ten lines of which can stand for gigabytes, and endless nesting."""
    depth = 0
    for event in yaml.parse(block):
        if isinstance(event, yaml.AliasEvent):
            raise _rejected(path, "it uses YAML aliases")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise _rejected(path, "it is nested too deeply")


def _access(path: str, known: dict[str, object]) -> list[str] | None:
    if "access" not in known:
        return None
    try:
        return parse_field(known.pop("access"))
    except AccessListError as exc:
        raise _rejected(path, f"`access`: {exc}") from exc


def _scalar(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_scalar, value)))
    return "" if isinstance(value, dict) or value is None else str(value).strip()


def _rejected(path: str, reason: str) -> FileRejectedError:
    return FileRejectedError(
        path,
        f"The front matter cannot be understood: {reason}.",
        fix="Correct it; until then the file is left out, since it might be meant for few.",
    )
