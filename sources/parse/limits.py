"""How much of a file is read at most."""

from dataclasses import dataclass

from ...domain.errors import LimitExceededError


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Bounds that keep one hostile or huge file from taking the ingestion down."""

    max_characters: int = 20_000_000
    """Text of one document."""
    max_pages: int = 5_000
    max_archive_bytes: int = 200_000_000
    """Sum of the unpacked sizes inside an office file."""
    max_archive_ratio: int = 200
    """Unpacked bytes for one packed byte."""
    max_records: int = 1_000_000
    timeout_seconds: float = 120
    """For a format that is parsed in the worker process."""

    def check(self, path: str, limit: str, used: int) -> None:
        """Compare `used` with the limit of that name.

        Raises:
            LimitExceededError: `used` is larger.
        """
        allowed = int(getattr(self, limit))
        if used > allowed:
            raise LimitExceededError(path, limit=limit, allowed=allowed, used=used)
