"""The fate ledger: every candidate of a run ends in exactly one way."""

from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "access",
    "rank_depth",
    "ranker_threshold",
    "classifier_threshold",
    "duplicate",
    "budget",
    "turn",
]
"""Why a candidate was cut.

access: the caller may not read it (counted, never named). rank_depth: beyond the depth that is
ranked. ranker_threshold, classifier_threshold: scored below it. duplicate: the same passage, or
nearly the same text, was kept for another sub-query or source. budget: it does not fit into the
tokens that are left. turn: the budget was spent before its turn came.
"""

REASONS: tuple[Reason, ...] = (
    "access",
    "rank_depth",
    "ranker_threshold",
    "classifier_threshold",
    "duplicate",
    "budget",
    "turn",
)


@dataclass(frozen=True, slots=True)
class Cut:
    """Candidates of one sub-query that were cut for one reason.

    `passages` holds their keys; `details` one phrase each, such as the passage that a duplicate
    repeats, or is empty.
    """

    sub_query: str
    reason: Reason
    passages: list[str]
    details: list[str]


@dataclass(frozen=True, slots=True)
class Fate:
    """How one candidate ended. `reason` is `None` for one that was kept."""

    sub_query: str
    passage: str
    reason: Reason | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FateLedger:
    """The balance: `found` = `kept` + the sum of `cut`, on every run that reached merge."""

    found: int
    kept: int
    cut: dict[Reason, int]

    @property
    def balanced(self) -> bool:
        """Tell whether every candidate is accounted for."""
        return self.found == self.kept + sum(self.cut.values())
