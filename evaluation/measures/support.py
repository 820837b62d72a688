"""Whether the evidence of a question is in the content, at a budget: the headline."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..record import ContentPiece, Gold, ResultRow
from .needs import ANSWERABLE, GOLD, RAN, SEARCHED, Need, gold_of, unmet

BUDGETS = (1_000, 2_000, 5_000, 10_000)
"""Tokens."""

SPAN_SHARE = 0.5
"""Share of a gold span's characters that makes it seen: a sentence cut at its end still says it."""

NEEDS: tuple[Need, ...] = (RAN, SEARCHED, ANSWERABLE, GOLD)


def full_support(row: ResultRow, budget: int | None = None) -> float | None:
    """Give 1 where all evidence of the question is in the first `budget` tokens, else 0.

    Every gold passage (grade 3 or 4) must be supported; where several have grade 4 they are
    alternatives, such as translations, since each answers on its own, and one of them is enough.
    The content counts in reading order up to the first piece that does not fit; without a budget
    all of it does. A passage is supported when pieces of it cover at least half of the characters
    of one of its gold spans; where no spans are known, when any piece of it is in.

    `None` without a search, for unanswerable questions and where no gold passage is known.

    Origin: all-recall@k (Gutiérrez et al. 2024, "HippoRAG", arXiv:2405.14831, section 4), taken
    at a budget of tokens instead of a number of passages.
    """
    share = support_share(row, budget)
    return None if share is None else float(share == 1.0)


def support_share(row: ResultRow, budget: int | None = None) -> float | None:
    """Give the share of the needed evidence that is in the content, in [0, 1].

    As `full_support`, which is 1 where this is; alternatives count as one. `None` as there.
    Origin: recall at a budget.
    """
    if unmet(row, NEEDS):
        return None
    return share_of(evidence_needed(row), supported_by(pieces_within(row, budget)))


def evidence_needed(row: ResultRow) -> list[list[Gold]]:
    """Give what is needed; each item lists passages of which one is enough."""
    found = gold_of(row)
    alone = [gold for gold in found if gold.grade >= 4]
    return [*([alone] if alone else []), *([gold] for gold in found if gold.grade < 4)]


def pieces_within(row: ResultRow, budget: int | None) -> list[ContentPiece]:
    """Give the pieces, in reading order, that together hold at most `budget` tokens."""
    if budget is None:
        return list(row.content)
    kept: list[ContentPiece] = []
    used = 0
    for piece in row.content:
        used += piece.tokens
        if used > budget:
            break
        kept.append(piece)
    return kept


def supported_by(pieces: Sequence[ContentPiece]) -> Callable[[Gold], bool]:
    """Give the test whether a gold passage is supported by these pieces."""

    def supported(gold: Gold) -> bool:
        ranges = _joined((piece.start, piece.end) for piece in pieces if piece.doc == gold.doc)
        spans = [(start, end) for start, end in gold.spans if start < end]
        return bool(ranges) and (not spans or any(_seen(span, ranges) for span in spans))

    return supported


def share_of(needed: Sequence[Sequence[Gold]], met: Callable[[Gold], bool]) -> float:
    """Give the share of what is needed of which some alternative meets the test."""
    return sum(any(map(met, alternatives)) for alternatives in needed) / len(needed)


def overlap(first: Sequence[int], second: Sequence[int]) -> int:
    """Give the number of characters that two ranges share."""
    return max(0, min(first[1], second[1]) - max(first[0], second[0]))


def _seen(span: tuple[int, int], ranges: Iterable[tuple[int, int]]) -> bool:
    covered = sum(overlap(span, part) for part in ranges)
    return covered >= SPAN_SHARE * (span[1] - span[0])


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that touch or overlap, so that no character counts twice."""
    return list(_runs(sorted(ranges)))


def _runs(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    if not ranges:
        return
    start, end = ranges[0]
    for next_start, next_end in ranges[1:]:
        if next_start > end:
            yield start, end
            start, end = next_start, next_end
        end = max(end, next_end)
    yield start, end
