"""A new knowledge base file: its text, and writing it, never over another one unasked."""

import json
from collections.abc import Sequence
from pathlib import Path

from ..domain.errors import ConfigurationError
from ..domain.printable import printable
from ..models.embedder import BUILTIN
from .suggest import KNOWLEDGE_BASE_FILE, MOST_SOURCES, Suggestion, documents, slug, suggest
from .suggest_embedder import suggested_embedder

_HEAD = """\
# A Headwater knowledge base. Check it with `headwater doctor`, index it with `headwater ingest`,
# ask it with `headwater ask "..."`. Paths are relative to this file.

name = {name}
description = ""  # one sentence, for agents that choose among knowledge bases
effort = "medium"  # minimal | low | medium | auto
output = "answer"  # answer | extractive
# retrieval_instructions = "Prefer manuals to tickets when they disagree."
# answer_instructions = "Short bullets, in the language of the question."

# [models]{embedder}
# chat = "openai:gpt-4.1-mini"  # any LangChain name; without one everything works built-in
# device = "auto"               # auto | cpu | cuda | mps

# Selection sees names and descriptions: say in each what can be asked of it, and what cannot.
# Who may read what: `access:` in a document's front matter, or a file `.access` in its folder.
"""

_EMBEDDER = """
# embedder = "{embedder}"  # not all is English; pip install 'headwater[multilingual]'"""

_SOURCE = """
[[sources]]
name = {name}
kind = "files"
path = {path}
description = {description}
"""


def write_file(
    folder: Path, *, name: str | None, files: Sequence[Path], force: bool
) -> tuple[Path, list[str]]:
    """Write the file and give its path with the names of its sources.

    Raises:
        ConfigurationError: a folder is missing, the file is there already, or cannot be written.
    """
    for place in (folder, *files):
        if not place.is_dir():
            raise ConfigurationError(f"There is no folder {str(place)!r}.", fix="Make it first.")
    if len(files) > MOST_SOURCES:
        raise ConfigurationError(
            f"A knowledge base has at most {MOST_SOURCES} sources, --files names {len(files)}."
        )
    target = folder / KNOWLEDGE_BASE_FILE
    sources = suggest(folder, files)
    title = slug(name or folder.resolve().name).replace("_", "-") or "knowledge-base"
    looked_at = (path for place in files or [folder] for path in documents(place))
    text = knowledge_base_file(title, sources, suggested_embedder(looked_at))
    try:
        with target.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as exc:
        raise ConfigurationError(
            f"{str(target)!r} is there already.", fix="Use --force to write over it."
        ) from exc
    except OSError as exc:
        raise ConfigurationError(f"{str(target)!r} cannot be written: {exc.strerror}.") from exc
    return target, [source.name for source in sources]


def knowledge_base_file(name: str, sources: Sequence[Suggestion], embedder: str = BUILTIN) -> str:
    """Write a commented file with one `[[sources]]` table a suggestion.

    Another embedder than the default stays a comment: what it needs may not be installed.
    """
    hint = _EMBEDDER.format(embedder=embedder) if embedder != BUILTIN else ""
    return _HEAD.format(name=_quoted(name), embedder=hint) + "".join(map(_table, sources))


def _table(source: Suggestion) -> str:
    table = _SOURCE.format(
        name=_quoted(source.name),
        path=_quoted(source.path),
        description=_quoted(source.description),
    )
    # A source that is the folder of this file must not index the file itself.
    left_out = dict.fromkeys([*source.exclude, *([KNOWLEDGE_BASE_FILE] * (source.path == "."))])
    patterns = ", ".join(map(_quoted, left_out))
    return table + (f"exclude = [{patterns}]\n" if patterns else "")


def _quoted(text: str) -> str:
    """Write a TOML string; JSON's escapes are TOML's, but for DEL."""
    return json.dumps(printable(text), ensure_ascii=False).replace("\x7f", "\\u007f")
