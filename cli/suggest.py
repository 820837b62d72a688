"""Names and descriptions for the sources of a folder, taken from what lies in it."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ..domain.words import fold
from ..sources.access import FILE_SIDECAR_SUFFIX, FOLDER_SIDECAR
from ..sources.parse.registry import SUFFIXES
from .doctor_routing import GENERIC, SHORT_NAME

KNOWLEDGE_BASE_FILE = "headwater.toml"

MOST_SOURCES = 10
_LOOKED_AT = 2_000
"""Files looked at for a description; more of them do not change it."""

_NAMED = 6
"""Documents that a description names."""

_START = 65_536
"""Bytes of a file in which a list of its readers is looked for."""

_ACCESS = re.compile(rb"""(?im)(?:^|[\s{,;"'])access["']?\s*(?:[:,;]|$)""")
"""Front matter, a field of a record, or a column; a word too many costs only the titles."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One source to be: `path` as it goes into the file."""

    name: str
    path: str
    description: str
    exclude: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder, with the patterns of what in it belongs to another source or to none."""

    folder: Path
    documents: list[Path]
    exclude: list[str] = field(default_factory=list)


def suggest(folder: Path, chosen: Iterable[Path] = ()) -> list[Suggestion]:
    """Suggest at most ten sources: the chosen folders, else each folder in `folder` with documents.

    Documents in `folder` itself are a source of their own. Where there are too many folders, or
    no document at all, the whole is one source.
    """
    names: list[str] = []
    found = []
    places = [_whole(place) for place in chosen] or _places(folder)
    for place in places[:MOST_SOURCES]:
        name = _distinct(source_name(place.folder), names)
        names.append(name)
        about = _description(name, place)
        found.append(Suggestion(name, _written(place.folder, folder), about, place.exclude))
    return found


def slug(text: str) -> str:
    """Turn any text into a name of lower-case letters, digits and `_`; may be empty."""
    return re.sub(r"[^a-z0-9]+", "_", fold(text)).strip("_")[:60].strip("_")


def source_name(place: Path) -> str:
    """Name a source after its folder; after the folder above as well where that says too little."""
    whole = place.resolve()
    own, above = slug(whole.stem if whole.is_file() else whole.name), slug(whole.parent.name)
    if own in GENERIC or len(own) < SHORT_NAME:
        own = slug(f"{above} {own}")
    return own or "my_files"


def _places(folder: Path) -> list[_Place]:
    inside = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    places = [place for place in map(_whole, inside) if place.documents]
    loose = sorted(p for p in folder.iterdir() if p.is_file() and _is_document(p))
    if loose and places:
        # Patterns are compared with paths: this one fits whatever lies in a folder.
        places.append(_Place(folder, loose, ["*/**", KNOWLEDGE_BASE_FILE]))
    return places if 1 <= len(places) <= MOST_SOURCES else [_whole(folder)]


def _whole(folder: Path) -> _Place:
    own = [KNOWLEDGE_BASE_FILE] if (folder / KNOWLEDGE_BASE_FILE).exists() else []
    return _Place(folder, list(islice(documents(folder), _LOOKED_AT)), own)


def documents(place: Path) -> Iterator[Path]:
    """Give the documents in a folder and its folders, by name; hidden ones are left out."""
    for root, folders, files in os.walk(place):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (path for name in sorted(files) if _is_document(path := Path(root) / name))


def _is_document(path: Path) -> bool:
    known = path.suffix.lower() in SUFFIXES and path.name != KNOWLEDGE_BASE_FILE
    return known and not path.name.startswith(".")


def _written(place: Path, folder: Path) -> str:
    """Relative to `folder` where it lies inside, always with `/`."""
    whole, base = place.resolve(), folder.resolve()
    if whole.is_relative_to(base):
        inside = whole.relative_to(base).as_posix()
        return "." if inside == "." else f"./{inside}"
    return whole.as_posix()


def _description(name: str, place: _Place) -> str:
    """Name kinds and documents; kinds alone where a document is protected: titles tell too."""
    topic, documents = name.replace("_", " ").capitalize(), place.documents
    if not documents:
        return topic
    kinds = [kind for kind, _ in Counter(p.suffix.lower() for p in documents).most_common(3)]
    if _has_sidecar(place.folder) or any(map(_may_hold_access, documents)):
        return f"{topic} ({', '.join(k.strip('.') for k in kinds)})"
    titles = list(dict.fromkeys(re.sub(r"[\s._]+", " ", p.stem).strip() for p in documents))
    more = " and others" if len(titles) > _NAMED else ""
    return f"{topic}: {', '.join(titles[:_NAMED])}{more} ({', '.join(k.strip('.') for k in kinds)})"


def _has_sidecar(place: Path) -> bool:
    """Tell whether a list of readers lies in the place, or in the folder it lies in."""
    above = place.resolve().parent / FOLDER_SIDECAR
    walked = os.walk(place)
    inside = (name for _, _, files in walked for name in files)
    return above.exists() or any(name.endswith(FILE_SIDECAR_SUFFIX) for name in inside)


def _may_hold_access(document: Path) -> bool:
    """Tell whether the start of a file looks like it names readers; unreadable counts as yes."""
    try:
        with document.open("rb") as file:
            start = file.read(_START)
    except OSError:
        return True
    return bool(_ACCESS.search(start.replace(b"\0", b"")))


def _distinct(name: str, taken: list[str]) -> str:
    number, wanted = 1, name
    while wanted in taken:
        number += 1
        wanted = f"{name}_{number}"
    return wanted
