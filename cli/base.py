"""Which knowledge base a command works on."""

import difflib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..domain.errors import ConfigurationError, InvalidRequestError
from ..domain.printable import printable
from ..graph.config import FilesSection, KnowledgeBaseFile
from ..graph.config_file import read
from ..models.cache import cache_folder
from .suggest import KNOWLEDGE_BASE_FILE, slug, source_name


@dataclass(frozen=True, slots=True)
class Base:
    """A validated configuration, and the folder that its paths are relative to."""

    config: KnowledgeBaseFile
    folder: Path

    @property
    def sources(self) -> list[str]:
        """The names of its sources."""
        return [source.name for source in self.config.sources]

    def place(self, path: str) -> Path:
        """Resolve a path of the file."""
        return (self.folder / Path(path).expanduser()).resolve()

    def known(self, names: Sequence[str]) -> list[str]:
        """Give `names` back. Raises InvalidRequestError for a name no source has."""
        for name in names:
            if name not in self.sources:
                close = difflib.get_close_matches(name, self.sources, n=1, cutoff=0.4)
                hint = f"Did you mean {close[0]!r}? " if close else ""
                raise InvalidRequestError(
                    f"There is no source {name!r}.",
                    fix=f"{hint}Known are: {', '.join(self.sources)}.",
                )
        return list(names)


def configured(file: Path | None) -> Base:
    """Read the named file, or `headwater.toml` in the named folder or here.

    Raises ConfigurationError.
    """
    path = file or Path()
    path = path / KNOWLEDGE_BASE_FILE if path.is_dir() else path
    return Base(read(path), path.parent)


def base_of_folder(folder: Path) -> Base:
    """Make a knowledge base of one folder, or of one file; its index lies in the user's cache.

    The place of the index is a digest of the folder's absolute path, so that the folder itself
    stays as it is. Raises ConfigurationError.
    """
    whole = folder.expanduser().resolve()
    if not whole.exists():
        raise ConfigurationError(
            f"There is no folder or file {str(folder)!r}.", fix="Correct --files."
        )
    if printable(str(whole)) != str(whole):
        raise ConfigurationError(
            f"The path {printable(str(whole))!r} holds characters that are no text.",
            fix="Rename the folder, or copy it to another place.",
        )
    digest = hashlib.sha256(str(whole).encode()).hexdigest()[:16]
    state = cache_folder() / "folders" / digest
    section = FilesSection(
        name=source_name(whole),
        path=str(whole),
        description=f"Files in {whole.name}" if whole.is_dir() else f"The file {whole.name}",
        exclude=[KNOWLEDGE_BASE_FILE],
    )
    config = KnowledgeBaseFile(
        name=slug(whole.name) or section.name, state=str(state), sources=[section]
    )
    return Base(config, whole)
