"""The passages of one source, read from its data sets; all of them, or an even part."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .bases import SourceSpec
from .dataset import Dataset, pass_over
from .rows import CorpusRow


@dataclass(frozen=True, slots=True)
class Cut:
    """A smaller corpus: the passages in `keep`, and an even sample of the others.

    Among fewer passages the right one is easier to find, so figures from a cut corpus compare
    with each other only.
    """

    passages: int
    """Most passages of one source; those in `keep` stay even where they are more."""
    keep: frozenset[str] = frozenset()
    """Ids of the passages that have to stay: the gold ones of what is asked."""

    def of(self, rows: Iterable[CorpusRow], *, total: int, kept: int) -> Iterator[CorpusRow]:
        """Give the rows that stay, in order; of all `total` rows, `kept` are in `keep`."""
        others, room = total - kept, max(0, min(self.passages, total) - kept)
        seen = 0
        for row in rows:
            if row.id in self.keep:
                yield row
                continue
            # Of the others that stay, the i-th is the first one past i / room of the way.
            if (seen + 1) * room // others > seen * room // others:
                yield row
            seen += 1


@dataclass(frozen=True, slots=True)
class PassageSet:
    """The passages of one source; they are read anew, streaming, as often as they are asked for."""

    spec: SourceSpec
    data: Path
    cut: Cut | None = None
    strict: bool = False
    on_problem: Callable[[str], None] = pass_over

    def rows(self) -> Iterator[CorpusRow]:
        """Give the passages, in order. Raises DataError."""
        if self.cut is None:
            return self._all(self.on_problem)
        ids = [row.id for row in self._all(self.on_problem)]
        kept = sum(identity in self.cut.keep for identity in ids)
        return self.cut.of(self._all(pass_over), total=len(ids), kept=kept)

    def _all(self, on_problem: Callable[[str], None]) -> Iterator[CorpusRow]:
        for part in self.spec.parts:
            dataset = Dataset(self.data / part.set, self.strict, on_problem)
            for row in dataset.corpus():
                if part.sources is None or row.source in part.sources:
                    yield row
