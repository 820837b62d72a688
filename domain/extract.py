"""The best verbatim sentences for a query: what the extractive answer quotes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from .asked import Asked, asked
from .caption import TermWeights, query_weights
from .entities import codes
from .language import comparable
from .markers import has_marker
from .numbers import number_values, numbers
from .sentences import Span, sentences
from .words import is_cjk, stem, terms

MIN_CHARS, MIN_CJK_CHARS = 20, 8
"""Shorter pieces are headings and fragments, not sentences."""

LONG = 200
"""Characters from which a sentence of several lines is looked at for a list without marks."""

SHORT_LINE = 0.6
"""Share of a text's longest line below which a line that ends in the open is a heading."""

CONTEXT = 0.5
"""How much a term counts that only the title, heading or the sentence before holds."""

COVERAGE, PASSAGE, POSITION, EXPECTED = 0.55, 0.3, 0.05, 0.2
"""Weights in a sentence's score: the query's terms, its passage's score, how early it stands, and
whether it has the value that the question asks for."""

OTHER = 0.1
"""Taken off the score of a sentence whose title names codes, where neither names one of the
query's: it is about another thing."""

FOREIGN = 0.7
"""Share of the passage's score that stands in for coverage where query and excerpt are in
different languages: few words agree then, mostly names and codes."""

UNKNOWN_SCORE = 0.5
"""Taken for a passage that nobody scored."""

NEAR_REPEAT = 0.7
"""Jaccard index of two sentences' stems, from which the second tells nothing new."""

KEEP = 0.8
"""Share of the best sentence's score that a further one needs; lower quotes more."""

FOLLOWED = 300
"""Characters up to which the sentences behind the best one are quoted as well."""

_BULLET = re.compile(r"^(?:[-*•]\s+|#+\s+)")
_FIELD = re.compile(r"^([^\W\d_][\w -]{0,30}): \S.*$")
_ROW = re.compile(r"^(?:[-*•|]|\d{1,2}[.)]\s)")
_RULE_ROW = re.compile(r"^[\s|:-]+$")
_NEW_LINE = re.compile(r"[ \t]*\n\s*(?=[A-ZÀ-Þ\d])")
_ENDS = re.compile(r"[.!?…。！？；;]['\"”’»)\]）」』]*$")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The content of one reference. `score` in [0, 1] is its relevance, `None` where unknown."""

    ref_id: int
    text: str
    context: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim sentence of an excerpt.

    `lead` is the line that introduces a list item or table row, else empty. `coverage` is the
    share of the query's term weight that the quote holds, its context counted half, in [0, 1].
    """

    ref_id: int
    span: Span
    text: str
    lead: str
    coverage: float
    score: float
    stems: frozenset[str] = field(repr=False)
    fits: bool = True
    """Whether it has the value that the query asks for; true where it asks for none."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence that could be quoted, with its stems and those of what stands around it."""

    span: Span
    text: str
    lead: str
    own: frozenset[str]
    near: frozenset[str]
    codes: frozenset[str]
    """Of the sentence and its title; empty where the title has none."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A query made ready: its stems by weight, and the value that it asks for."""

    text: str
    wanted: dict[str, float]
    asked: Asked | None
    codes: frozenset[str]

    def fits(self, sentence: str) -> bool:
        return self.asked is None or self.asked.value.search(sentence) is not None

    def coverage(self, own: frozenset[str], near: frozenset[str], *, fits: bool) -> float:
        """Give the share of weight in the sentence, half of it for what only stands near.

        The words that stand for the asked value count as said where the value, or its name, stands
        with or near another word of the query.
        """
        on_topic = not (own | near).isdisjoint(self.wanted)
        if self.asked and on_topic and (fits or own & self.asked.names):
            own = own | self.asked.stems
        total = sum(self.wanted.values())
        held = sum(w for t, w in self.wanted.items() if t in own)
        beside = sum(w for t, w in self.wanted.items() if t in near and t not in own)
        return (held + CONTEXT * beside) / total if total else 0.0

    def is_of_another(self, known: frozenset[str]) -> bool:
        return bool(self.codes and known) and self.codes.isdisjoint(known)

    def ignores(self, sentence: str) -> bool:
        """Tell whether a sentence is a field of a record, such as `status: open`, not asked for."""
        named = _FIELD.match(sentence)
        if named is None or _ENDS.search(sentence):
            return False
        names = frozenset(map(stem, terms(named.group(1))))
        called = self.asked.names if self.asked else frozenset()
        return names.isdisjoint(self.wanted) and names.isdisjoint(called)


def quotes(
    query: str, excerpts: Sequence[Excerpt], weights: TermWeights, *, top: int = 3
) -> list[Quote]:
    """Choose at most `top` sentences for `query`, best first.

    Greedy: the best sentence, then the next one that is not a near-repeat and either covers a
    query term that no chosen one holds or scores close to the best. Where room is left, a sentence
    that leads from a code of the query to one of the quotes, then those that follow the best.
    """
    question = _Question(
        query, query_weights(query, weights), asked(query), frozenset(codes(query))
    )
    every = [quote for excerpt in excerpts for quote in _quotes_of(question, excerpt)]
    ranked = sorted(every, key=lambda q: (-q.score, q.ref_id, q.span.start))
    wanted = frozenset(question.wanted)
    chosen: list[Quote] = []
    for quote in ranked:
        if len(chosen) == top or (chosen and quote.score < KEEP * chosen[0].score):
            break
        if not chosen or _adds(quote, chosen, wanted):
            chosen.append(quote)
    contexts = {excerpt.ref_id: excerpt.context for excerpt in excerpts}
    for more in (_bridge(query, chosen, ranked, contexts), _following(chosen, every)):
        chosen += more[: top - len(chosen)]
    return chosen


def _following(chosen: Sequence[Quote], every: Sequence[Quote]) -> list[Quote]:
    """Give what runs on from the best quote: a sentence often names what the next one tells."""
    if not chosen:
        return []
    best = chosen[0]
    room = FOLLOWED - sum(len(quote.text) for quote in chosen)
    found: list[Quote] = []
    last = best
    for quote in every[every.index(best) + 1 :]:
        room -= len(quote.text)
        apart = quote.ref_id != best.ref_id or quote.span.start - last.span.end > 1
        if room < 0 or apart or quote.lead or quote.text.startswith("|"):
            break
        last = quote
        if quote not in chosen:
            found.append(replace(quote, coverage=best.coverage, fits=best.fits))
    return found


def _bridge(
    query: str, chosen: Sequence[Quote], ranked: Sequence[Quote], contexts: Mapping[int, str]
) -> list[Quote]:
    """Give the sentence that ties a code of the query, held by no quote, to a code of a quote."""
    said = [f"{contexts[quote.ref_id]} {quote.text}" for quote in chosen]
    asked_for = set(codes(query))
    held = set(codes(" ".join(said)))
    missing, known = asked_for - held, held - asked_for
    for quote in ranked if missing and known else ():
        own = set(codes(quote.text))
        if own & known and missing & (own | set(codes(contexts[quote.ref_id]))):
            return [replace(quote, coverage=chosen[0].coverage, fits=chosen[0].fits)]
    return []


def _adds(quote: Quote, chosen: list[Quote], wanted: frozenset[str]) -> bool:
    """Tell whether a quote is new; a near-repeat with another number is the other side."""
    alike = [other for other in chosen if _likeness(quote.stems, other.stems) >= NEAR_REPEAT]
    if alike:
        values = number_values(quote.text)
        return all(number_values(other.text) != values for other in alike)
    held = frozenset().union(*(other.stems for other in chosen))
    if (quote.stems & wanted) - held:
        return True
    cells = _cells(quote, wanted)
    rows = [other for other in chosen if (other.lead, other.ref_id) == (quote.lead, quote.ref_id)]
    if quote.text.startswith("|") and any(cells < _cells(row, wanted) for row in rows):
        return False
    return quote.score >= 0.9 * chosen[0].score


def _cells(quote: Quote, wanted: frozenset[str]) -> frozenset[str]:
    """Give the query's stems in a quote without its lead."""
    return wanted.intersection(map(stem, terms(quote.text)))


def _likeness(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right) if left or right else 1.0


def _quotes_of(question: _Question, excerpt: Excerpt) -> Iterator[Quote]:
    passage = UNKNOWN_SCORE if excerpt.score is None else excerpt.score
    least = 0.0 if comparable(question.text, excerpt.text) else FOREIGN * passage
    for index, read in enumerate(_candidates(excerpt.text, excerpt.context)):
        if question.ignores(read.text):
            continue
        fits = question.fits(read.text)
        coverage = question.coverage(read.own, read.near, fits=fits)
        score = (
            COVERAGE * max(coverage, least)
            + PASSAGE * passage
            + POSITION / (1 + index)
            + EXPECTED * fits
            - OTHER * question.is_of_another(read.codes)
        )
        yield Quote(
            excerpt.ref_id, read.span, read.text, read.lead, coverage, score, read.own, fits
        )


@lru_cache(maxsize=256)
def _candidates(text: str, context: str) -> tuple[_Candidate, ...]:
    """Read a passage once for all sub-queries."""
    named = frozenset(map(stem, terms(context)))
    labels = frozenset(codes(context))
    found: list[_Candidate] = []
    before, lead = "", ""
    for span in _pieces(text):
        whole = span.of(text)
        lead = _lead(whole, before, lead)
        quoted = _quotable(whole, span)
        intro = lead if _ROW.match(whole) else ""
        if quoted is not None and intro != _one_line(whole):
            spoken = quoted.of(text)
            own = frozenset(map(stem, terms(f"{intro} {spoken}")))
            near = named.union(map(stem, terms(before)))
            known = labels.union(codes(spoken)) if labels else labels
            found.append(_Candidate(quoted, spoken, intro, own, near, known))
        before = whole
    return tuple(found)


def _pieces(text: str) -> list[Span]:
    """Sentences, without the headings before them.

    A long one whose lines begin anew is a list without marks, cut into its lines.
    """
    pieces: list[Span] = []
    width = SHORT_LINE * max(map(len, text.split("\n")))
    for span in sentences(text):
        start = span.start
        for cut in _NEW_LINE.finditer(text, span.start, span.end):
            line = cut.start() - max(start, text.rfind("\n", start, cut.start()) + 1)
            if line < width or span.end - span.start > LONG:
                pieces.append(Span(start, cut.start()))
                start = cut.end()
        pieces.append(Span(start, span.end))
    return pieces


def _lead(sentence: str, before: str, lead: str) -> str:
    """Give the line that introduces what follows: one that ends in a colon, or a table's head."""
    if _RULE_ROW.match(sentence):
        return lead
    if sentence.startswith("|"):
        return lead if before.startswith("|") else _one_line(sentence)
    if sentence.rstrip().endswith((":", "：")) or sentence.startswith("#"):
        return _one_line(sentence.lstrip("# "))
    return lead if _ROW.match(sentence) else ""


def _quotable(sentence: str, span: Span) -> Span | None:
    """Give the part of a sentence worth quoting; `None` for headings, rules and fragments.

    A sentence that carries something in the form of our citations is never quoted: it would
    pass for one of ours.
    """
    if sentence.startswith(("#", "```")) or _RULE_ROW.match(sentence) or has_marker(sentence):
        return None
    bullet = _BULLET.match(sentence)
    start = bullet.end() if bullet else 0
    body = sentence[start:]
    row = _ROW.match(sentence) is not None
    least = MIN_CJK_CHARS if is_cjk(body) else MIN_CHARS
    if _FIELD.match(sentence):
        return span
    if len(body) < least and not (row and numbers(body)):
        return None
    if body.rstrip().endswith((":", "：")):
        return None
    if not row and not _ENDS.search(body) and len(body.split()) < 8 and not is_cjk(body):
        return None
    return Span(span.start + start, span.end)


def _one_line(text: str) -> str:
    return " ".join(text.split())
