"""Writing a new knowledge base file, and never over another one unasked."""

from collections.abc import Sequence
from pathlib import Path

from ..domain.errors import ConfigurationError
from .suggest import KNOWLEDGE_BASE_FILE, MOST_SOURCES, slug, suggest
from .template import knowledge_base_file


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
    text = knowledge_base_file(title, sources)
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
