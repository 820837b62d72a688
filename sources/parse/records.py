"""Files that hold many documents: JSON, JSON Lines, CSV and TSV."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TextIO

from ...domain.errors import FileRejectedError
from ..access import AccessListError, combine, parse_field
from ..document import Document, FileEntry
from .field_rules import FieldRules
from .fields import Place, record_document
from .limits import ParseLimits
from .reading import open_text

MAX_WARNINGS = 20
"""Bad lines that are named one by one; what follows is counted."""
_CSV_FIELD = 10_000_000
"""Characters of one CSV field."""
_FIELD_NAMES = 1_000
"""Names of fields that are remembered for what a file lacks."""

Numbered = Iterator[tuple[int, Mapping[str, object] | str]]
"""(line or number from 1, the record, or what is wrong with it)."""


def parse_records(
    entry: FileEntry, kind: str, limits: ParseLimits, rules: FieldRules | None = None
) -> Iterator[Document]:
    """Give one document a record, streaming; `kind` is `json`, `jsonl`, `csv` or `tsv`.

    Names in `rules` that lead nowhere in this file are told in the warnings of the last document.

    A record that cannot be read is named, with its line, in the warnings of the document before
    it (or of the first one), and the others go on.

    Raises:
        FileRejectedError: the file is no text, or not one record of it can be read.
        LimitExceededError: more than `max_records` records, or `max_characters` in one.
    """
    with open_text(entry) as (file, encoding):
        fields = _Fields(rules or FieldRules())
        numbered = fields.noted(_READERS[kind](entry, file, limits))
        found = _documents(entry, numbered, limits, fields)
        label = "Record" if kind == "json" else "Line"
        yield from _report(entry, found, label, warnings=encoding.warnings, fields=fields)


@dataclass(slots=True)
class _Fields:
    """The rules for the fields of a file, and the names that its records have."""

    rules: FieldRules
    names: set[str] = field(default_factory=set)
    """In lower case."""

    def noted(self, numbered: Numbered) -> Numbered:
        """Pass records on."""
        for number, record in numbered:
            if not isinstance(record, str) and len(self.names) < _FIELD_NAMES:
                self.names.update(str(name).strip().lower() for name in record)
            yield number, record


def _documents(
    entry: FileEntry, numbered: Numbered, limits: ParseLimits, fields: _Fields
) -> Iterator[Document | str]:
    """Give documents and, in between, what is wrong with the records that are none."""
    seen: set[int] = set()
    count = 0
    for number, record in numbered:
        if isinstance(record, str):
            yield record
            continue
        try:
            document = record_document(record, Place(entry, number), fields.rules)
        except (AccessListError, RecursionError) as exc:
            yield f"{number}: left out, {str(exc) or 'it is nested too deeply'}."
            continue
        if document is None:
            continue
        count += 1
        limits.check(entry.path, "max_records", count)
        limits.check(entry.path, "max_characters", len(document.sections[0].text))
        while hash(document.record) in seen:
            document = replace(document, record=f"{document.record}#{number}")
        seen.add(hash(document.record))
        yield document


def _report(
    entry: FileEntry,
    found: Iterator[Document | str],
    label: str,
    *,
    warnings: list[str],
    fields: _Fields,
) -> Iterator[Document]:
    """Hang what went wrong on the neighbouring document, since every document is given once."""
    held: Document | None = None
    named = 0
    first = ""
    for item in found:
        if isinstance(item, str):
            first, named = first or item, named + 1
            if named <= MAX_WARNINGS:
                warnings.append(f"{label} {item}")
            continue
        if held is not None:
            yield replace(held, warnings=warnings)
            warnings = []
        held = item
    if named > MAX_WARNINGS:
        warnings.append(f"{named - MAX_WARNINGS:,} more records were left out.")
    unmet = fields.rules.unmet(fields.names) if fields.names else []
    if held is None:
        broken = f"None of its records can be read. {label} {first}"
        cause = broken if first else " ".join(["It holds no records with text.", *unmet])
        raise FileRejectedError(entry.path, cause)
    warnings.extend(unmet)
    yield replace(held, warnings=warnings)


def _jsonl(entry: FileEntry, file: TextIO, limits: ParseLimits) -> Numbered:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        limits.check(entry.path, "max_characters", len(line))
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as exc:
            yield number, f"{number}: left out, it is no JSON ({_reason(exc)})."
            continue
        yield number, _as_record(record)


def _json(entry: FileEntry, file: TextIO, limits: ParseLimits) -> Numbered:
    """Read the objects of a list, of the one list inside an object, or the whole as one."""
    text = file.read()
    limits.check(entry.path, "max_characters", len(text))
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise FileRejectedError(entry.path, f"It is no JSON: {_reason(exc)}.") from exc
    items = whole if isinstance(whole, list) else _listed(entry, whole)
    for number, item in enumerate(items, start=0 if items == [whole] else 1):
        yield number, _as_record(item)


def _listed(entry: FileEntry, whole: object) -> list[object]:
    """Find the list of an envelope such as `{"count": 2, "items": [{…}, {…}]}`.

    An `access` beside the list restricts every record in it.
    """
    values = list(whole.values()) if isinstance(whole, dict) else []
    lists = [v for v in values if isinstance(v, list) and v and all(isinstance(i, dict) for i in v)]
    nested = [value for value in values if isinstance(value, dict | list)]
    if not isinstance(whole, dict) or len(lists) != 1:
        return [whole]
    outer = next((key for key in whole if key.lower() == "access"), None)
    if any(value is not lists[0] and value is not whole.get(outer or "") for value in nested):
        return [whole]
    return [_restricted(entry, item, whole[outer]) for item in lists[0]] if outer else lists[0]


def _restricted(entry: FileEntry, item: dict[str, object], outer: object) -> dict[str, object]:
    own = next((key for key in item if key.lower() == "access"), "access")
    try:
        inner = parse_field(item[own]) if own in item else None
        return {**item, own: combine(parse_field(outer), inner)}
    except AccessListError as exc:
        raise FileRejectedError(entry.path, f"`access` cannot be understood: {exc}.") from exc


def _rows(delimiter: str) -> Callable[[FileEntry, TextIO, ParseLimits], Numbered]:
    """Make a reader of rows under a first row of field names."""

    def read(entry: FileEntry, file: TextIO, limits: ParseLimits) -> Numbered:
        csv.field_size_limit(_CSV_FIELD)
        start = file.read(65_536)
        file.seek(0)
        reader = csv.reader(file, delimiter=_delimiter(start, delimiter), strict=True)
        names: list[str] = []
        while True:
            number = reader.line_num + 1
            try:
                row = next(reader, None)
            except csv.Error as exc:
                yield number, f"{number}: left out, it is no row ({exc})."
                continue
            if row is None:
                return
            limits.check(entry.path, "max_characters", sum(map(len, row)))
            if not names:
                names = _names(entry, row)
            elif len(row) > len(names):
                yield number, f"{number}: left out, {len(row)} values for {len(names)} fields."
            elif any(row):
                # A short row lacks values, not fields: without its `access` it must not be public.
                yield number, dict(zip_longest(names, row, fillvalue=""))

    return read


def _delimiter(start: str, usual: str) -> str:
    """Take the semicolon of many European CSV files where the first line has no comma."""
    header = start.partition("\n")[0]
    return ";" if usual == "," and "," not in header and ";" in header else usual


def _names(entry: FileEntry, row: list[str]) -> list[str]:
    """Name each column; an unnamed or repeated one by its place."""
    if [cell.strip().lower() for cell in row].count("access") > 1:
        raise FileRejectedError(entry.path, "Two columns are called `access`.")
    names: list[str] = []
    for number, cell in enumerate(row, start=1):
        name = cell.strip()
        names.append(name if name and name not in names else f"{name or 'column'} {number}")
    return names


def _as_record(item: object) -> Mapping[str, object]:
    return item if isinstance(item, dict) else {"text": item}


def _reason(exc: Exception) -> str:
    return "it is nested too deeply" if isinstance(exc, RecursionError) else str(exc)


_READERS: dict[str, Callable[[FileEntry, TextIO, ParseLimits], Numbered]] = {
    "json": _json,
    "jsonl": _jsonl,
    "csv": _rows(","),
    "tsv": _rows("\t"),
}
