"""One record, a row or an object, as a document."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..access import AccessListError, combine, parse_field
from ..document import Document, FileEntry, Section
from .field_rules import FieldRules
from .front_matter import language_code
from .reading import clean

TITLE_FIELDS = ("title", "name", "subject", "headline", "question", "summary")
TEXT_FIELDS = ("text", "body", "content", "description", "answer", "abstract", "message")
ID_FIELDS = ("id", "_id", "key", "uid", "uuid", "number")
LANGUAGE_FIELDS = ("language", "lang")
URL_FIELDS = ("url", "link", "href")
_MAX_TITLE = 300
"""Characters of a title, and of the keywords; each chunk of the document carries them."""
_MAX_ID = 100
"""Characters; a longer identity would fill checkpoints, so the record goes by its line."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: its file, and its line or number in it.

    Counted from 1; 0 where the record is the whole file.
    """

    entry: FileEntry
    number: int


def record_document(
    record: Mapping[str, object], place: Place, rules: FieldRules | None = None
) -> Document | None:
    """Turn a record into a document; `None` if it holds no text at all.

    Text-like fields come first, as they are; every other field follows as a line `field: value`.
    Where `rules` name the content, it is those fields alone. Keywords stand in the place of a
    heading. The fields that name title, identity, language, permissions and address are compared
    without regard to case.

    Raises:
        AccessListError: its `access` cannot be understood.
    """
    rules = rules or FieldRules()
    fields = {str(key).strip(): value for key, value in record.items()}
    named = _Named(fields)
    title_fields = rules.title or TITLE_FIELDS
    title, keywords = named.text(title_fields), _keywords(named, rules)
    identity = named.text(ID_FIELDS)
    used = {named.name_of(names) for names in (("access",), URL_FIELDS, LANGUAGE_FIELDS)}
    # Longer ones are cut, so that their text must stay.
    if 0 < len(title) <= _MAX_TITLE:
        used.add(named.name_of(title_fields))
    if len(keywords) <= _MAX_TITLE:
        used.update(map(named.key, rules.keywords))
    left = {key: value for key, value in fields.items() if key not in used}
    text = clean(_content(named, rules) if rules.content else _body(left))
    access = _access(fields)
    if not (text or title):
        return None
    return Document(
        path=place.entry.path,
        title=clean(title[:_MAX_TITLE]) or _untitled(place, identity),
        sections=[Section(text or clean(title), _heading(keywords))],
        record=_record(place, identity),
        url=clean(named.text(URL_FIELDS)) or None,
        language=language_code(named.text(LANGUAGE_FIELDS)),
        access=combine(place.entry.access, access),
        metadata={"id": clean(identity)} if identity else {},
    )


def readable_stem(path: str) -> str:
    """Make a title of a file name: `pump_seals-v2.md` becomes `pump seals v2`."""
    stem = clean(PurePosixPath(path).stem)
    return " ".join(re.split(r"[\s_-]+", stem)).strip() or stem


@dataclass(frozen=True, slots=True)
class _Named:
    """Fields by the first of several names that has a value, in any case."""

    fields: Mapping[str, object]

    def key(self, name: str) -> str | None:
        return {key.lower(): key for key in self.fields}.get(name.lower())

    def name_of(self, names: tuple[str, ...]) -> str | None:
        by_lower = {key.lower(): key for key in self.fields}
        found = (by_lower[name.lower()] for name in names if name.lower() in by_lower)
        return next((key for key in found if self.fields[key] not in (None, "")), None)

    def text(self, names: tuple[str, ...]) -> str:
        value = self.fields.get(self.name_of(names) or "", "")
        return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _access(fields: Mapping[str, object]) -> list[str] | None:
    names = [name for name in fields if name.lower() == "access"]
    if len(names) > 1:
        raise AccessListError("it is given twice")
    return parse_field(fields[names[0]]) if names else None


def _record(place: Place, identity: str) -> str:
    if place.number == 0:
        return ""
    return clean(identity) if 0 < len(identity) <= _MAX_ID else f"#{place.number}"


def _untitled(place: Place, identity: str) -> str:
    stem = readable_stem(place.entry.path)
    return stem if place.number == 0 else clean(identity[:_MAX_TITLE]) or f"{stem} {place.number}"


def _keywords(named: _Named, rules: FieldRules) -> str:
    """Give the values of the keyword fields on one line."""
    keys = [key for key in map(named.key, rules.keywords) if key and key.lower() != "access"]
    found = [value for key in keys for _, value in _flat(key, named.fields[key])]
    return ", ".join(" ".join(value.split()) for value in found)


def _heading(keywords: str) -> list[str]:
    shown = clean(keywords[:_MAX_TITLE])
    return [shown] if shown else []


def _content(named: _Named, rules: FieldRules) -> str:
    """Give the content fields in their order: texts as they are, others as lines."""
    keys = [key for key in map(named.key, rules.content) if key and key.lower() != "access"]
    return "\n\n".join(filter(None, (_body_of(key, named.fields[key]) for key in keys)))


def _body_of(name: str, value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    return "\n".join(f"{leaf}: {shown}" for leaf, shown in _flat(name, value))


def _body(fields: Mapping[str, object]) -> str:
    """Give the long texts first and verbatim, then one line for each other field."""
    prose = [key for name in TEXT_FIELDS for key in fields if key.lower() == name]
    texts = [value for key in prose if isinstance(value := fields[key], str) and value.strip()]
    plain = {key for key in prose if isinstance(fields[key], str)}
    others = {key: value for key, value in fields.items() if key not in plain}
    lines = [f"{name}: {value}" for name, value in _flat("", others)]
    return "\n\n".join([*(text.strip() for text in texts), *(["\n".join(lines)] if lines else [])])


def _flat(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Give the leaves of nested values with dotted names; a list of plain values is one leaf."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for number, inner in enumerate(value, start=1):
            yield from _flat(f"{name}.{number}", inner)
    elif isinstance(value, list):
        if shown := ", ".join(filter(None, map(_shown, value))):
            yield name, shown
    elif shown := _shown(value):
        yield name, shown


def _shown(value: object) -> str:
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
