"""Knowledge bases over data sets: which passages make a source, and what is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import DataError

FOLDER = "knowledge_bases"

Variant = Literal["acronym", "opaque", "verbose", "blurred"]
"""Other names (`acronym`, `opaque`) and descriptions (`verbose`, `blurred`) of a source."""
VARIANTS: tuple[Variant, ...] = ("acronym", "opaque", "verbose", "blurred")


@dataclass(frozen=True, slots=True)
class Part:
    """Passages of one data set: all, or those of some of its sources."""

    set: str
    sources: tuple[str, ...] | None = None

    def holds(self, source: str) -> bool:
        """Tell whether it takes the passages that the corpus names after this source."""
        return self.sources is None or source in self.sources


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """One knowledge source: its name, what is said about it, and its passages."""

    name: str
    description: str
    parts: tuple[Part, ...]
    variants: dict[str, str] = field(default_factory=dict)
    """Other names and descriptions by `Variant`."""


@dataclass(frozen=True, slots=True)
class QuerySet:
    """The questions of one data set that are asked: all, or those in some languages."""

    set: str
    langs: tuple[str, ...] | None = None
    only: str = ""
    """A remark on which of them make sense here; for people."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """An experiment that takes sources away and offers others in their place."""

    remove: tuple[str, ...]
    add: tuple[SourceSpec, ...]
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSpec:
    """A knowledge base over data sets, before anything is read or indexed."""

    name: str
    about: str = ""
    sources: tuple[SourceSpec, ...]
    queries: tuple[QuerySet, ...]
    redaction: Redaction | None = None

    def without(self, names: Sequence[str], *, add: Sequence[SourceSpec] = ()) -> "BaseSpec":
        """Give this base without some sources, and with others after those that stay.

        Raises:
            DataError: there is no such source, or none would be left.
        """
        known = {source.name for source in self.sources}
        if missing := sorted(set(names) - known):
            raise DataError(
                f"The knowledge base {self.name!r} has no source {missing[0]!r}.",
                fix=f"Its sources are {', '.join(sorted(known))}.",
            )
        kept = (*(s for s in self.sources if s.name not in names), *add)
        if not kept:
            raise DataError(f"No source of {self.name!r} would be left.", fix="Remove fewer.")
        return replace(self, sources=kept)

    def named(self, names: Mapping[str, str], described: Mapping[str, str]) -> "BaseSpec":
        """Give this base with other names and descriptions, by present name; the rest stays."""
        sources = tuple(
            replace(
                source,
                name=names.get(source.name, source.name),
                description=described.get(source.name, source.description),
            )
            for source in self.sources
        )
        return replace(self, sources=sources)


def read_base(folder: Path, name: str) -> BaseSpec:
    """Read the knowledge base of that name in a folder of evaluation data.

    Raises:
        DataError: there is none, or its file is wrong; names the file and the field.
    """
    path = folder / FOLDER / f"{name}.json"
    try:
        return _BaseFile.model_validate_json(path.read_bytes()).spec()
    except FileNotFoundError as exc:
        raise DataError(
            f"There is no knowledge base {name!r}.",
            place=str(path),
            fix=f"Known are {', '.join(base_names(folder)) or 'none'}.",
        ) from exc
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DataError(
            f"{where}: {first['msg']}." if where else first["msg"], place=str(path)
        ) from exc


def base_names(folder: Path) -> list[str]:
    """Give the names of all knowledge bases in a folder of evaluation data, sorted."""
    return sorted(path.stem for path in (folder / FOLDER).glob("*.json"))


def one_set(name: str, *, description: str = "") -> BaseSpec:
    """Give a knowledge base of one source: the corpus and the questions of one data set."""
    source = SourceSpec(name, description or f"Passages of {name}", (Part(name),))
    return BaseSpec(name=name, sources=(source,), queries=(QuerySet(name),))


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _PartFile(_Strict):
    set: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    sources: list[str] | None = None

    def spec(self) -> Part:
        return Part(self.set, None if self.sources is None else tuple(self.sources))


class _SourceFile(_Strict):
    name: str
    description: str = ""
    parts: list[_PartFile] = Field(alias="from", min_length=1)
    passages: int | None = None
    kind: str | None = None
    acronym: str | None = None
    opaque: str | None = None
    verbose: str | None = None
    blurred: str | None = None

    def spec(self) -> SourceSpec:
        said = {str(name): getattr(self, name) for name in VARIANTS}
        variants = {name: str(value) for name, value in said.items() if value is not None}
        parts = tuple(part.spec() for part in self.parts)
        return SourceSpec(self.name, self.description, parts, variants)


class _QueriesFile(_Strict):
    set: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    langs: list[str] | None = None
    only: str = ""
    question: str = ""
    counts: dict[str, int] = {}

    def spec(self) -> QuerySet:
        return QuerySet(self.set, None if self.langs is None else tuple(self.langs), self.only)


class _RedactionFile(_Strict):
    about: str = ""
    remove: list[str]
    add: list[_SourceFile] = []

    def spec(self) -> Redaction:
        return Redaction(tuple(self.remove), tuple(s.spec() for s in self.add), self.about)


class _BaseFile(_Strict):
    name: str
    about: str = ""
    sources: list[_SourceFile] = Field(min_length=1, max_length=10)
    queries: list[_QueriesFile] = Field(min_length=1)
    redaction: _RedactionFile | None = None

    def spec(self) -> BaseSpec:
        return BaseSpec(
            name=self.name,
            about=self.about,
            sources=tuple(source.spec() for source in self.sources),
            queries=tuple(queries.spec() for queries in self.queries),
            redaction=self.redaction.spec() if self.redaction else None,
        )
