"""Reading a knowledge base file, with errors that name the place and the way out."""

import difflib
import os
import re
import tomllib
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from ..domain.errors import ConfigurationError
from .config import KnowledgeBaseFile

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def read(path: Path) -> KnowledgeBaseFile:
    """Read, expand `${ENV}` and validate. Raises ConfigurationError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as exc:
        raise ConfigurationError(
            f"There is no knowledge base file {str(path)!r}.",
            fix="Make one with `headwater init`, or name another with --kb.",
        ) from exc
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"{path}: cannot be read: {exc}.") from exc
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigurationError(f"{path}: not valid TOML: {exc}.") from exc
    try:
        return KnowledgeBaseFile.model_validate(_expanded(raw, path))
    except ValidationError as exc:
        raise ConfigurationError(_explained(exc, text, path)) from None


def _expanded(value: object, path: Path) -> object:
    """Expand variables in every string of a parsed file."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: _variable(match.group(1), path), value)
    if isinstance(value, list):
        return [_expanded(item, path) for item in value]
    if isinstance(value, dict):
        return {key: _expanded(item, path) for key, item in value.items()}
    return value


def _variable(name: str, path: Path) -> str:
    if name not in os.environ:
        raise ConfigurationError(
            f"{path}: the environment variable {name} is not set.", fix=f"Set {name}."
        )
    return os.environ[name]


def _explained(error: ValidationError, text: str, path: Path) -> str:
    """Name file, line and key of the first fault, without echoing values, which may be secret."""
    faults = error.errors(include_url=False, include_input=False)
    # A misspelt key is also a missing one: the misspelling is what helps.
    first = next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])
    where = [part for part in first["loc"] if not isinstance(part, int)]
    key = ".".join(str(part) for part in first["loc"])
    line = _line(text, first["loc"])
    place = f"{path}:{line}" if line else str(path)
    if first["type"] == "extra_forbidden":
        known = _keys(KnowledgeBaseFile, [str(part) for part in where[:-1]])
        return f"{place}: unknown key `{key}`.{_nearest(str(where[-1]), known)}"
    return f"{place}: `{key}`: {first['msg']}."


def _line(text: str, place: Sequence[int | str]) -> int | None:
    """Find the line of a place such as ("sources", 1, "path"): its key, else its table."""
    lines = text.splitlines()
    start = found = 0
    for part, following in zip(place, [*place[1:], None], strict=True):
        if isinstance(part, int):
            continue
        nth = following if isinstance(following, int) else 0
        name = re.escape(part)
        header = re.compile(rf"^\s*\[+\s*{name}\s*\]+|^\s*{name}\s*=")
        here = [n for n in range(start, len(lines)) if header.match(lines[n])]
        if len(here) <= nth:
            break
        found = start = here[nth] + 1
    return found or None


def _keys(model: type[BaseModel], tables: list[str]) -> list[str]:
    for table in tables:
        annotation = model.model_fields[table].annotation
        inner = typing.get_args(annotation) or (annotation,)
        model = next(item for item in inner if isinstance(item, type))
    fields: Mapping[str, object] = model.model_fields
    return list(fields)


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f" Did you mean `{close[0]}`?"
    return f" Known keys: {', '.join(known)}."
