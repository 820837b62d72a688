"""Names in a text, and which of them lead from a passage to the next one (the entity bridge)."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .caption import TermWeights
from .sentences import Span, sentences
from .words import fold, is_stop_word, located_terms, terms

_QUOTED = re.compile(
    r"“([^”\n]{2,60})”|«\s?([^»\n]{2,60}?)\s?»|《([^》\n]{1,60})》|「([^」\n]{1,60})」"
    r"|『([^』\n]{1,60})』|(?<!\w)\"([^\"\n]{2,60})\"(?!\w)|(?<!!)\[([^\]\n]{2,80})\]\([^)\s]+\)"
)
"""Quotation and title marks of Latin and CJK text, and the text of a Markdown link."""

_CODE = re.compile(
    r"(?<![\w-])(?=[A-Za-z0-9/-]*[A-Z])(?=[A-Za-z0-9/-]*\d)[A-Z0-9][A-Za-z0-9]*"
    r"(?:[-/][A-Za-z0-9]+)*(?![\w-])",
    re.ASCII,
)
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc][\u30a1-\u30fa\u30fc・=]{2,40}")
_LATIN_IN_CJK = re.compile(
    r"(?<=[\u3040-\u30ff\u3400-\u9fff])\s?([A-Za-z][A-Za-z0-9.+-]+(?: [A-Za-z0-9.+-]+){0,3})"
)
_ORIGIN = re.compile(r"^\w+(?:[ai]an|man|ese|ish|ench|utch)$")
_WORD = r"[^\W\d_a-zà-ÿ\u0250-\uffff][\w'’&.-]*\w"
_RUN = re.compile(
    rf"(?<![\w-]){_WORD}(?:\s(?:(?:of|the|de|du|des|la|le|van|von|der|den|&)\s){{0,2}}{_WORD}){{0,5}}"
)
"""Capitalised words in a row, small connecting words between them allowed."""

DISTANCE = 16.0
"""Terms between a name and a question term at which the term counts 1/e as much.

4, 8 and 16 were tried on 2WikiMultihopQA train: all gold passages among ten (five by BM25, five
by the bridge) for 73, 79 and 85 of 150 questions; BM25's first ten alone have them for 58.
"""

ADJECTIVE = 0.3
"""Factor for a single word that looks like an adjective of origin (`German`, `Swedish`): it is in
many documents. Chosen on 2WikiMultihopQA train."""

TOP_NAMES = 30
"""Names a passage may offer; more only costs time."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name with its place in the text."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Anchor:
    """A passage that may hold the bridge; `probability` is how likely it is relevant, in [0, 1]."""

    text: str
    probability: float
    title: str = ""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A name to ask for next; `probability` in [0, 1] is P(anchor) x P(name | question, anchor)."""

    name: str
    probability: float


def codes(text: str) -> list[str]:
    """Give identifiers that mix capitals and digits, such as `X-200`, in order, without repeats."""
    return list(dict.fromkeys(match.group() for match in _CODE.finditer(text)))


def names(text: str) -> list[Name]:
    """Find quoted titles, codes, capitalised runs and foreign words in CJK text, in order.

    Where two overlap the longer one stays. A single capitalised word that only begins a
    sentence is not a name.
    """
    starts = {span.start for span in sentences(text)}
    found = [*_marked(text), *_runs(text, starts)]
    kept: list[Name] = []
    for name in sorted(found, key=lambda n: (n.span.start - n.span.end, n.span.start)):
        if not any(_overlap(name.span, other.span) for other in kept):
            kept.append(name)
    return sorted(kept, key=lambda n: n.span.start)


def bridges(question: str, anchors: Sequence[Anchor], *, top: int) -> list[Bridge]:
    """Give at most `top` names that the anchors hold and the question lacks, likeliest first.

    P(name | question, anchor) = closeness x rarity. Closeness is the share of the question's
    term weight around the name in its sentence, each term discounted by exp(-distance / 16); a
    title counts as standing at no distance from its whole text. Rarity is 1 - ln(df) / ln(n + 1)
    over the n anchors, less for an adjective of origin. A name in several anchors keeps its best
    score.

    Origin: P(anchor) x P(candidate | question + anchor) as in zero-shot bridge scoring; asking
    again with the question and a part of the first hop follows Xiong et al. 2021 (MDR),
    arXiv:2009.12756. A cross-encoder for the second factor is replaced by term statistics.
    """
    weights = TermWeights(f"{anchor.title} {anchor.text}" for anchor in anchors)
    known = set(terms(question))
    best: dict[str, Bridge] = {}
    for anchor in anchors:
        for name, closeness in _candidates(question, anchor, weights):
            if known.issuperset(terms(name)):
                continue
            score = anchor.probability * closeness * _rarity(name, anchors)
            held = best.get(fold(name))
            if held is None or score > held.probability:
                best[fold(name)] = Bridge(held.name if held else name, score)
    ranked = sorted(best.values(), key=lambda b: (-b.probability, b.name))
    return _distinct([bridge for bridge in ranked if bridge.probability > 0], top)


def _distinct(ranked: Iterable[Bridge], top: int) -> list[Bridge]:
    """Leave out a name whose words are all in one already taken, or the other way round."""
    taken: list[Bridge] = []
    for bridge in ranked:
        own = set(terms(bridge.name))
        others = [set(terms(other.name)) for other in taken]
        if own and len(taken) < top and not any(own <= o or o <= own for o in others):
            taken.append(bridge)
    return taken


def _candidates(question: str, anchor: Anchor, weights: TermWeights) -> Iterable[tuple[str, float]]:
    """Give (name, closeness in [0, 1]) of the anchor's title and of the names in its text."""
    wanted = {term: weights(term) for term in sorted(set(terms(question)))}
    total = sum(wanted.values())
    if not total:
        return
    title = _bare_title(anchor.title)
    if title:
        present = set(terms(anchor.text))
        yield title, sum(w for term, w in wanted.items() if term in present) / total
    for span in sentences(anchor.text):
        sentence = span.of(anchor.text)
        for name in names(sentence)[:TOP_NAMES]:
            yield name.text, _closeness(name.span, sentence, wanted) / total


def _closeness(name: Span, sentence: str, wanted: dict[str, float]) -> float:
    """Sum the weights of the question's terms in the sentence, each at its nearest place."""
    places = list(located_terms(sentence))
    inside = [i for i, (_, start, end) in enumerate(places) if _overlap(Span(start, end), name)]
    if not inside:
        return 0.0
    nearest: dict[str, int] = {}
    for i, (term, _, _) in enumerate(places):
        if term in wanted:
            distance = max(0, inside[0] - i, i - inside[-1])
            nearest[term] = min(distance, nearest.get(term, distance))
    return sum(wanted[term] * math.exp(-d / DISTANCE) for term, d in sorted(nearest.items()))


def _rarity(name: str, anchors: Sequence[Anchor]) -> float:
    needle = fold(name)
    factor = ADJECTIVE if _ORIGIN.match(name) else 1.0
    df = sum(needle in fold(f"{anchor.title} {anchor.text}") for anchor in anchors)
    return factor * (1.0 - math.log(max(df, 1)) / math.log(len(anchors) + 1))


def _marked(text: str) -> Iterable[Name]:
    for match in _QUOTED.finditer(text):
        group = next(i for i, value in enumerate(match.groups(), 1) if value)
        yield Name(match.group(group), Span(*match.span(group)))
    for pattern, group in ((_CODE, 0), (_KATAKANA, 0), (_LATIN_IN_CJK, 1)):
        for match in pattern.finditer(text):
            yield Name(match.group(group), Span(*match.span(group)))


def _runs(text: str, starts: set[int]) -> Iterable[Name]:
    """Capitalised runs, without leading articles and question words."""
    for match in _RUN.finditer(text):
        start, end = match.span()
        first = True
        while start < end:
            word = re.match(r"[\w'’&.-]+", text[start:end])
            if word is None or not is_stop_word(fold(word.group())):
                break
            start, first = start + word.end(), False
            start += len(text[start:end]) - len(text[start:end].lstrip())
        name = text[start:end].rstrip(".'’-")
        single = first and start in starts and " " not in name and not name.isupper()
        if len(name) > 1 and not single:
            yield Name(name, Span(start, start + len(name)))


def _bare_title(title: str) -> str:
    """Cut a bracketed remark and a file ending off a title."""
    return re.sub(r"\s*\([^)]*\)\s*$|\.[a-z]{2,5}$", "", title.strip())


def _overlap(left: Span, right: Span) -> bool:
    return left.start < right.end and right.start < left.end
