"""Which embedder the documents of a folder ask for, by a look at their languages."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from ..models.embedder import BUILTIN, BUILTIN_MULTILINGUAL
from ..sources.language import detect
from .doctor_languages import FOREIGN

_TEXT = frozenset({".md", ".markdown", ".txt", ".rst"})
"""Files whose bytes are text as they lie there."""

_LOOKED_AT = 40
_START = 4_000
"""Bytes of a file; more of them show no more."""


def suggested_embedder(documents: Iterable[Path]) -> str:
    """Name the embedder; where no text shows its language, the one for English."""
    texts = (path for path in documents if path.suffix.lower() in _TEXT)
    found = Counter(map(_language, islice(texts, _LOOKED_AT)))
    found.pop(None, None)
    foreign = found.total() - found["en"]
    return BUILTIN_MULTILINGUAL if foreign and foreign >= FOREIGN * found.total() else BUILTIN


def _language(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return detect(file.read(_START).decode("utf-8", "replace"))
    except OSError:
        return None
