"""Captions: the verbatim window of a passage that best shows why it matched."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .sentences import Span, sentences
from .words import akin, located_terms, located_words, stem, term_places, terms

CAPTION_CHARS = 300
"""Longest caption, in characters; a longer one shows more context but fewer fit a window."""

PHRASE_GAP = 20
"""Characters between two marks up to which they may be one phrase: some three function words."""

BIAS, BEHIND, BEFORE, EARLY, BEST = -2.5, 4.5, 3.5, 1.5, 2.0
"""Weights of a logistic model: is this sentence the one that readers marked as the answer?

Its coverage behind the best sentence's, the terms that only the sentence before holds, 1 / place,
and whether it is the best; fitted on train splits by `benchmarks/captions.py --fit`, rounded to
halves. Half more or less changes the share of captions that hold the answer by under a point.
"""


class TermWeights:
    """How much each term tells, from the texts at hand: inverse document frequency.

    The weight of a term is ln(1 + (n - df + 0.5) / (df + 0.5)), as in BM25 (Robertson and
    Zaragoza 2009, section 3.1), over the n texts given; always positive.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._frequency: Counter[str] = Counter()
        self._texts = 0
        for text in texts:
            self._frequency.update(set(terms(text)))
            self._texts += 1

    def __call__(self, term: str) -> float:
        df = self._frequency[term]
        return math.log(1.0 + (self._texts - df + 0.5) / (df + 0.5))


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for a sentence; all are shares of the query's term weight but `place`."""

    span: Span
    own: float
    """What it holds, in [0, 1]."""
    behind: float
    """That less what the best sentence holds, in [-1, 0]."""
    before: float
    """What only the sentence before holds, in [0, 1]."""
    place: int
    """Its number, from 1."""

    @property
    def chance(self) -> float:
        """How much it adds to the chance p that a run of sentences holds the answer: -ln(1 - p)."""
        logit = BIAS + BEHIND * self.behind + BEFORE * self.before + EARLY / self.place
        return math.log1p(math.exp(logit + BEST * (self.behind == 0.0)))


def caption(query: str, text: str, weights: TermWeights, *, limit: int = CAPTION_CHARS) -> Span:
    """Find the run of whole sentences, at most `limit` characters, likeliest to hold the answer.

    It holds a sentence that covers `query` best, and what around it may answer as well: the
    chances of its sentences are added up, each by its coverage, by the terms that the sentence
    before holds, and by how early it stands. The earlier run wins a tie. Without any term in common
    the caption is the beginning. A sentence longer than `limit` is cut at a word. Empty text gives
    an empty span.
    """
    found = signs_of(query, text, weights, limit=limit)
    if not found:
        return Span(0, 0)
    common = any(signs.own for signs in found)
    chances = [signs.chance if common else float(signs.place == 1) for signs in found]
    first, last = _likeliest(found, chances, limit)
    return Span(found[first].span.start, found[last].span.end)


def signs_of(
    query: str, text: str, weights: TermWeights, *, limit: int = CAPTION_CHARS
) -> list[Signs]:
    """Read the sentences of `text` for `query`, in order, those longer than `limit` in pieces."""
    spans = [piece for span in sentences(text) for piece in _pieces(text, span, limit)]
    shares = _shares(query, text, spans, weights)
    top = max((own for own, _ in shares), default=0.0)
    return [
        Signs(span, own, own - top, before, place)
        for place, (span, (own, before)) in enumerate(zip(spans, shares, strict=True), start=1)
    ]


def query_weights(query: str, weights: TermWeights) -> dict[str, float]:
    """Give each stem of the query the weight 1 + idf.

    Idf alone, over the few passages at hand, lets a word that none of them has outweigh all that
    every one of them has.
    """
    return {stem(term): 1.0 + weights(term) for term in sorted(set(terms(query)))}


def _shares(
    query: str, text: str, spans: Sequence[Span], weights: TermWeights
) -> list[tuple[float, float]]:
    """Give each span the share of the query's weight in it, and what only the one before adds."""
    wanted = query_weights(query, weights)
    starts = [span.start for span in spans]
    held: list[set[str]] = [set() for _ in spans]
    known = {term for term in terms(text) if stem(term) in wanted}
    for term, start in term_places(known, text):
        held[bisect_right(starts, start) - 1].add(stem(term))
    total = sum(wanted.values()) or 1.0

    def share(stems: set[str]) -> float:
        # Sorted: the same stems must weigh the same, in whatever order they were met.
        return sum(wanted[found] for found in sorted(stems)) / total

    return [
        (share(own), share(before - own)) for own, before in zip(held, [set(), *held], strict=False)
    ]


def _likeliest(found: Sequence[Signs], chances: Sequence[float], limit: int) -> tuple[int, int]:
    """Give the first and last of the run with the largest sum that holds one of the best."""
    sums = [0.0, *accumulate(chances)]
    best_ones = [0, *accumulate(int(signs.behind == 0.0) for signs in found)]
    best, best_sum, last = (0, 0), -1.0, 0
    for first in range(len(found)):
        last = max(last, first)
        while last + 1 < len(found) and found[last + 1].span.end - found[first].span.start <= limit:
            last += 1
        total = round(sums[last + 1] - sums[first], 9)
        if best_ones[last + 1] > best_ones[first] and total > best_sum:
            best, best_sum = (first, last), total
    return best


def highlights(query: str, text: str, within: Span) -> list[Span]:
    """Find the words inside `within` that are terms of `query`, or other forms of them.

    Touching ones are joined, as are those between which `query` has the same function words:
    `seal of the pump` is one phrase.
    """
    asked: dict[str, list[str]] = {}
    for term in set(terms(query)):
        asked.setdefault(stem(term), []).append(term)
    said = f" {_spoken(query)} "
    marks: list[Span] = []
    for term, start, end in located_terms(within.of(text)):
        if not any(akin(term, other) for other in asked.get(stem(term), ())):
            continue
        mark = Span(start + within.start, end + within.start)
        if marks and _one_phrase(said, text, marks[-1], mark):
            mark = Span(marks[-1].start, max(mark.end, marks.pop().end))
        marks.append(mark)
    return marks


def _one_phrase(said: str, text: str, left: Span, right: Span) -> bool:
    """Tell whether two marks belong together, with what stands between them."""
    if right.start <= left.end + 1:
        return True
    between = text[left.end : right.start]
    if len(between) > PHRASE_GAP or not between.replace(" ", "").isalpha():
        return False
    last = _spoken(left.of(text)).rpartition(" ")[2]
    first = _spoken(right.of(text)).partition(" ")[0]
    return f" {last} {_spoken(between)} {first} " in said


def _spoken(text: str) -> str:
    return " ".join(word for word, _, _ in located_words(text))


def coverage(query: str, text: str, weights: TermWeights) -> float:
    """Give the share of the query's term weight that `text` holds, in [0, 1]; 0 without terms."""
    wanted = sorted(set(terms(query)))
    total = sum(map(weights, wanted))
    present = set(terms(text))
    return sum(weights(term) for term in wanted if term in present) / total if total else 0.0


def _pieces(text: str, span: Span, limit: int) -> Sequence[Span]:
    """Cut a sentence longer than `limit` at white space, or anywhere where there is none."""
    pieces: list[Span] = []
    start = span.start
    while span.end - start > limit:
        cut = max(text.rfind(blank, start + limit // 2, start + limit) for blank in " \n\t\u3000")
        cut = cut if cut > start else start + limit
        pieces.append(Span(start, start + len(text[start:cut].rstrip())))
        start = cut
        while start < span.end and text[start].isspace():
            start += 1
    return [*pieces, Span(start, span.end)]
