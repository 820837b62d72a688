"""The folder where files derived from model weights are kept."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..domain.errors import ConfigurationError

VARIABLE = "HEADWATER_CACHE"


def cache_folder(chosen: Path | None = None) -> Path:
    """Give the folder, made if need be: `chosen`, or what HEADWATER_CACHE names, or the user's.

    The user's is the place each system has for it: `~/Library/Caches` on macOS, `LOCALAPPDATA`
    on Windows, `XDG_CACHE_HOME` or `~/.cache` elsewhere.

    Raises:
        ConfigurationError: the folder cannot be made.
    """
    named = os.environ.get(VARIABLE)
    folder = chosen or (Path(named) if named else _user_caches() / "headwater")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The cache folder {str(folder)!r} cannot be made: {error.strerror}.",
            fix=f"Name one that can be written to in {VARIABLE}.",
        ) from error
    return folder


def write_once(target: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a new file and put it at `target` in one step.

    Two processes may do this at the same time: each writes its own file, the last to finish
    wins, and nobody ever sees half a file.

    Raises:
        ConfigurationError: the folder cannot be written to.
    """
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as folder:
            fresh = Path(folder) / target.name
            write(fresh)
            fresh.replace(target)
    except OSError as error:
        raise ConfigurationError(
            f"{str(target)!r} cannot be written: {error.strerror or error}.",
            fix=f"Name a folder with room that can be written to in {VARIABLE}.",
        ) from error


def _user_caches() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
