"""The seam behind which keyword engines stand."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

Engine: TypeAlias = Literal["whoosh", "fts5"]


@dataclass(frozen=True, slots=True)
class KeywordEntry:
    """One passage as a keyword engine stores it: analysed, so that all engines agree.

    `title` and `text` are index terms in order (`domain.words.terms`), repeats kept; `label` is
    the number of the passage's access list.
    """

    id: str
    title: list[str]
    text: list[str]
    label: int


class KeywordIndex(Protocol):
    """Ranks passages by BM25 over two fields, title and text.

    Safe to call from any thread. Only one thread writes. What `write` was given is found by the
    next `search`, in this process and after the process was killed; or, if it was killed inside
    `write`, all of that call is found or none of it.
    """

    def write(self, *, delete: Collection[str] = (), add: Sequence[KeywordEntry] = ()) -> None:
        """Delete the passages with these ids, known or not, then add; one transaction.

        The id of an added passage must be new or among those deleted.
        """
        ...

    def search(
        self, terms: Sequence[str], *, limit: int, labels: Collection[int] | None = None
    ) -> list[str]:
        """Return ids of passages that hold one of `terms`, best first, at most `limit`.

        `labels` restricts the passages to those access lists; `None` does not restrict.
        """
        ...

    def document_frequency(self, term: str) -> int:
        """Number of passages that hold `term`; may still count some that were deleted."""
        ...

    def count(self) -> int:
        """Number of passages."""
        ...

    def ids(self) -> Iterable[str]:
        """Every id once, in any order."""
        ...

    def close(self) -> None:
        """Release files; a second call does nothing."""
        ...


def open_keyword(engine: Engine, folder: Path, *, title_boost: float) -> KeywordIndex:
    """Open the index in `folder`, or make it there.

    Raises:
        IndexDamagedError: its files cannot be read.
        ConfigurationError: the engine of this name cannot be used here.
    """
    # Each engine is imported when it is wanted: neither is free.
    if engine == "whoosh":
        from .keyword_whoosh import WhooshKeyword

        return WhooshKeyword(folder, title_boost=title_boost)
    from .keyword_fts5 import Fts5Keyword

    return Fts5Keyword(folder, title_boost=title_boost)
