"""What a row must have so that a measure can be taken, and what is said where it has not.

A measure of a row that lacks something is `None`: unscored. It is counted apart, with the reason,
and never as zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..record import Gold, ResultRow
from .orders import GRADED, GRADED_DEV
from .squad import answer_tokens

GOLD_GRADE = 3
"""From this grade a passage counts as evidence; 2 is on topic without answering."""

_YES_OR_NO = {("yes",), ("no",), ("maybe",)}


@dataclass(frozen=True, slots=True)
class Need:
    """A condition on a row; `reason` says why a row that fails it is left out."""

    reason: str
    met: Callable[[ResultRow], bool]


def unmet(row: ResultRow, needs: Sequence[Need]) -> str | None:
    """Give the reason of the first condition that the row fails; `None` where it meets all."""
    return next((need.reason for need in needs if not need.met(row)), None)


def gold_of(row: ResultRow) -> list[Gold]:
    """Give the passages that count as evidence."""
    return [gold for gold in row.gold if gold.grade >= GOLD_GRADE]


def _references(row: ResultRow) -> bool:
    return any(answer_tokens(reference, row.lang) for reference in row.answers)


def _more_than_yes_or_no(row: ResultRow) -> bool:
    return any(answer_tokens(r, row.lang) not in {(), *_YES_OR_NO} for r in row.answers)


RAN = Need("the run ended with an error", lambda row: row.error is None)
SEARCHED = Need(
    "nothing was searched",
    lambda row: "federate" in row.layers and row.setting not in (GRADED, GRADED_DEV),
)
"""A run that is left before its search has no content, and graded passages are given: all of them
are its content. Neither says anything about what a search finds."""
ANSWERABLE = Need("unanswerable", lambda row: row.answerable is not False)
GOLD = Need("no gold passage is known", lambda row: bool(gold_of(row)))
SPANS = Need("no gold span is known", lambda row: any(gold.spans for gold in gold_of(row)))
REFERENCE = Need("no reference answer is known", _references)
WORDED = Need("the reference is yes or no", _more_than_yes_or_no)
GOLD_SOURCES = Need("no gold source is known", lambda row: bool(row.gold_sources))
ANSWER_ASKED = Need("no answer was asked for", lambda row: "answer" in row.step_ms)
ANSWERED = Need("no answer was given", lambda row: bool(row.answer and row.answer.strip()))
CONTENT_READ = Need("nobody looked into the content", lambda row: row.contains_answer is not None)
ROUTED = Need(
    "no sub-query is recorded", lambda row: any(query.round == 1 for query in row.sub_queries)
)
SETTLED = Need(
    "not settled whether it can be answered", lambda row: isinstance(row.answerable, bool)
)
UNANSWERABLE = Need("answerable", lambda row: row.answerable is False)


def has_layer(layer: str) -> Need:
    """Ask for the ranking after one step."""
    return Need(f"the step {layer} did not run", lambda row: layer in row.layers)
