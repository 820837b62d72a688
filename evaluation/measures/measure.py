"""A measure as a report needs it: name, definition, source, how to take it, when it cannot be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..record import ResultRow
from .needs import Need, unmet

PerRow = Callable[[ResultRow], float | None]
Batch = Callable[[Sequence[ResultRow]], list[float | None]]
Unit = Literal["share", "count", "tokens", "ms"]

UNSCORED = "not measurable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number of a question; the mean over questions is what a report shows."""

    name: str
    """Stable, as in `summary.json`."""
    title: str
    definition: str
    """One sentence or two, for a reader of the report."""
    source: str
    """Where the definition comes from."""
    per_row: PerRow
    """Gives `None` where the row cannot be scored."""
    higher_is_better: bool | None
    """`None` where it only describes."""
    needs: tuple[Need, ...]
    unit: Unit = "share"
    batch: Batch | None = None
    """Takes many rows at once, where that is faster; gives what `per_row` gives."""

    def values(self, rows: Sequence[ResultRow]) -> list[float | None]:
        """Give the value of each row, in order."""
        return self.batch(rows) if self.batch else [self.per_row(row) for row in rows]

    def reason(self, row: ResultRow) -> str:
        """Say why a row has no value."""
        return unmet(row, self.needs) or UNSCORED
