"""From the folder of a source to its files: sorted, streaming, and never outside the folder."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..domain.errors import ConfigurationError, LimitExceededError
from .access import FILE_SIDECAR_SUFFIX, FOLDER_SIDECAR, AccessListError, parse_sidecar
from .document import FileEntry, FileProblem
from .parse.registry import SUFFIXES
from .patterns import matches

_ALWAYS_LEFT_OUT = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class WalkRules:
    """Which files of a folder belong to the source.

    Patterns are those of `patterns.matches`; a folder that is excluded is not entered. Hidden
    files and folders (so `.git` and `.headwater` too) and `node_modules` are always left out.
    """

    include: list[str] = field(default_factory=lambda: ["**/*"])
    exclude: list[str] = field(default_factory=list)
    max_file_bytes: int = 50_000_000
    max_files: int = 200_000


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder on the way down, with the principals that its nearest sidecar names."""

    path: str
    location: Path
    access: list[str] | None


def walk(root: Path, rules: WalkRules) -> Iterator[FileEntry | FileProblem]:
    """Give every file of a known kind below `root`, sorted by the parts of its path.

    A file of another kind is left out without a word. A link is never followed: one that stays in
    the folder is skipped, since its target is met at its own place with its own permissions; one
    that leaves it or leads nowhere is a problem. So are files and folders that cannot be read,
    and everything that a sidecar covers which cannot be understood. After `max_files` files
    one last problem says that the rest was left out.

    Raises:
        ConfigurationError: `root` is no folder.
    """
    if not root.is_dir():
        raise ConfigurationError(
            f"{str(root)!r} is no folder.", fix="Correct `path` of this source."
        )
    root, files = root.resolve(), 0
    for found in _descend(root, rules):
        if isinstance(found, FileEntry):
            files += 1
            if files > rules.max_files:
                yield _too_many(found.path, rules)
                return
        yield found


def _descend(root: Path, rules: WalkRules) -> Iterator[FileEntry | FileProblem]:
    """Go depth first with a stack of our own: depth is bounded by the disk, not by Python."""
    pending: list[_Folder | FileEntry | FileProblem] = [_Folder("", root, None)]
    while pending:
        item = pending.pop()
        if isinstance(item, _Folder):
            pending.extend(reversed(_list(item, root, rules)))
        else:
            yield item


def _list(folder: _Folder, root: Path, rules: WalkRules) -> list[_Folder | FileEntry | FileProblem]:
    """Give what lies in one folder, sorted by name; only a problem where its sidecar is broken."""
    try:
        with os.scandir(folder.location) as entries:
            found = {entry.name: entry for entry in entries}
    except OSError as exc:
        return [FileProblem(_printable(folder.path) or ".", f"The folder cannot be read: {exc}.")]
    if FOLDER_SIDECAR in found:
        sidecar = found[FOLDER_SIDECAR]
        access = _sidecar(sidecar, _join(folder.path, FOLDER_SIDECAR), "everything below it")
        if isinstance(access, FileProblem):
            return [access]
        folder = _Folder(folder.path, folder.location, access)
    items = (_item(found[name], folder, root, found, rules) for name in sorted(found))
    return [item for item in items if item is not None]


def _item(
    entry: os.DirEntry[str],
    folder: _Folder,
    root: Path,
    siblings: dict[str, os.DirEntry[str]],
    rules: WalkRules,
) -> _Folder | FileEntry | FileProblem | None:
    path = _join(folder.path, entry.name)
    if entry.name.startswith(".") or entry.name in _ALWAYS_LEFT_OUT:
        return None
    if matches(path, rules.exclude):
        return None
    if entry.is_symlink():
        return _link(entry, path, root)
    if entry.is_dir(follow_symlinks=False):
        return _Folder(path, Path(entry.path), folder.access)
    if entry.name.endswith(FILE_SIDECAR_SUFFIX):
        covered = entry.name.removesuffix(FILE_SIDECAR_SUFFIX)
        return None if covered in siblings else _orphan(path)
    if Path(entry.name).suffix.lower() not in SUFFIXES or not matches(path, rules.include):
        return None
    own = siblings.get(entry.name + FILE_SIDECAR_SUFFIX)
    return _file(entry, path, folder.access, own, rules)


def _file(
    entry: os.DirEntry[str],
    path: str,
    inherited: list[str] | None,
    own: os.DirEntry[str] | None,
    rules: WalkRules,
) -> FileEntry | FileProblem:
    if path != _printable(path):
        return FileProblem(_printable(path), "Its name is not valid text. Rename the file.")
    access = inherited if own is None else _sidecar(own, path + FILE_SIDECAR_SUFFIX, "its file")
    if isinstance(access, FileProblem):
        return FileProblem(path, access.cause)
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError as exc:
        return FileProblem(path, f"It cannot be read: {exc}.")
    if not stat.S_ISREG(facts.st_mode):
        return FileProblem(path, "It is no regular file.")
    if facts.st_size > rules.max_file_bytes:
        limit = LimitExceededError(
            path, limit="max_file_bytes", allowed=rules.max_file_bytes, used=facts.st_size
        )
        return FileProblem(path, f"{limit.cause} {limit.fix}")
    return FileEntry(path, Path(entry.path), facts.st_size, facts.st_mtime_ns, access)


def _sidecar(entry: os.DirEntry[str], path: str, covers: str) -> list[str] | FileProblem:
    """Read a sidecar. A link is refused: it could be pointed at another list from outside."""
    try:
        if not entry.is_file(follow_symlinks=False):
            raise AccessListError("it is no regular file")  # noqa: TRY301 - one way out for all
        with open(entry.path, "rb") as file:
            return parse_sidecar(file.read(1_000_000))
    except (AccessListError, OSError) as exc:
        cause = f"The permissions in {_printable(path)!r} cannot be read: {exc}."
        return FileProblem(_printable(path), f"{cause} It covers {covers}, which was left out.")


def _link(entry: os.DirEntry[str], path: str, root: Path) -> FileProblem | None:
    try:
        target = Path(entry.path).resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a loop, up to Python 3.12
        return FileProblem(_printable(path), "It is a link that leads nowhere.")
    if target.is_relative_to(root):
        return None
    return FileProblem(_printable(path), "It is a link that leaves the folder; not followed.")


def _orphan(path: str) -> FileProblem:
    covered = _printable(path).removesuffix(FILE_SIDECAR_SUFFIX)
    cause = f"It restricts {covered!r}, but there is no such file. Check its name."
    return FileProblem(_printable(path), cause)


def _too_many(path: str, rules: WalkRules) -> FileProblem:
    cause = f"There are more than {rules.max_files:,} files (`max_files`); from here on they were"
    return FileProblem(path, f"{cause} left out. Raise `max_files`, or exclude some.")


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _printable(path: str) -> str:
    """Replace bytes of a file name that are no text, which Python keeps as lone surrogates."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")
