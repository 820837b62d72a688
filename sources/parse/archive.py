"""What an office file unpacks to, before anything unpacks it."""

import io
import zipfile

from ...domain.errors import FileRejectedError
from .limits import ParseLimits

_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of a compound file: how an encrypted office file, or one of before 2007, begins."""
_MAX_MEMBERS = 20_000
_SMALL = 1_000_000
"""Bytes; a member below is let through at any ratio, since short XML compresses very well."""


def check_archive(path: str, raw: bytes, limits: ParseLimits) -> None:
    """Look at the table of contents of an office file.

    Sizes in that table can lie; the parser that unpacks has the same limits.

    Raises:
        FileRejectedError: it is encrypted, of an old format, cut off, no office file, or one of an
            absurd number of parts.
        LimitExceededError: it would unpack to more than `max_archive_bytes`, or grow by more than
            `max_archive_ratio`.
    """
    if raw.startswith(_COMPOUND_FILE):
        raise FileRejectedError(
            path,
            "The file is encrypted, or of an office format of before 2007.",
            fix="Save a copy without a password, in the present format.",
        )
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as exc:
        raise FileRejectedError(
            path, f"The file is broken or cut off: {exc}.", fix="Fetch or save it once more."
        ) from exc
    if any(member.flag_bits & 1 for member in members):
        raise FileRejectedError(path, "The file is encrypted.", fix="Save it without a password.")
    if len(members) > _MAX_MEMBERS:
        raise FileRejectedError(path, f"It holds {len(members):,} parts; no document has so many.")
    limits.check(path, "max_archive_bytes", sum(member.file_size for member in members))
    for member in members:
        if member.file_size > _SMALL:
            ratio = member.file_size // max(1, member.compress_size)
            limits.check(path, "max_archive_ratio", ratio)
