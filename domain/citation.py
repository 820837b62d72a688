"""The citation check: does the cited passage say what the sentence says? No model is asked.

A sentence is supported by a passage when every number and code in it occurs there, and enough of
its other terms do. It compares words, so that it finds wrong numbers, wrong references and absent
facts, but not a "not" that was left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .entities import codes, names
from .language import comparable
from .markers import Claim, claims_of, written
from .numbers import folded_digits, number_values, numbers
from .words import fold, is_cjk, stem, terms

SUPPORT = 0.6
"""Share of a sentence's terms that its passage must hold; higher flags honest paraphrase."""

CLEAR = 0.75
"""Share from which a passage that was not cited may take over a sentence."""

MARGIN = 0.15
"""By how much it must then lead the next one."""

FOREIGN_NAMES = 0.5
"""Share of names to be found in a passage of another language; names are translated as well."""

UNVERIFIED = "[unverified]"

_CLAUSE = re.compile(r"[,;:，；、]\s*|\s(?:and|while|but|whereas|et|mais|tandis que)\s")
_JOINING = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The text of one reference; `context` holds title, heading and the like."""

    ref_id: int
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """An answer whose citations hold, and how many sentences had to be changed for that."""

    text: str
    cited: int = 0
    """Sentences that carry a citation."""
    refs: frozenset[int] = frozenset()
    invented: int = 0
    """Citations of references that do not exist: removed."""
    repointed: int = 0
    """Sentences whose citation was moved to the passage that says it."""
    added: int = 0
    """Sentences without citation that got one."""
    unverified: int = 0
    """Sentences kept without citation, marked so."""
    dropped: int = 0
    """Sentences left out: they name a number or a name that no passage has."""
    foreign: int = 0
    """Sentences in another language than their passage: only numbers and names were checked."""

    @property
    def warning(self) -> str | None:
        """One sentence on what was changed; `None` where every citation held."""
        told = {
            "citation(s) of unknown references removed": self.invented,
            "citation(s) moved to the passage that says it": self.repointed,
            "sentence(s) marked unverified": self.unverified,
            "sentence(s) left out that no passage supports": self.dropped,
            "sentence(s) in another language than their passage, where only numbers and names "
            "could be checked": self.foreign,
        }
        parts = [f"{count} {what}" for what, count in told.items() if count]
        return f"Citation check: {'; '.join(parts)}." if parts else None


@dataclass(frozen=True, slots=True)
class _Source:
    """A passage made ready for comparison."""

    ref_id: int
    text: str
    flat: str
    stems: frozenset[str]
    values: frozenset[str]

    @classmethod
    def of(cls, evidence: Evidence) -> "_Source":
        whole = f"{evidence.context}\n{evidence.text}"
        return cls(
            evidence.ref_id,
            evidence.text,
            _flat(whole),
            frozenset(map(stem, terms(folded_digits(whole)))),
            number_values(whole),
        )


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the check made of one claim; `claim` is `None` where it was dropped."""

    claim: Claim | None
    kind: str = ""
    invented: int = 0
    foreign: bool = False


def check(answer: str, evidence: Sequence[Evidence], *, question: str = "") -> CheckedAnswer:
    """Check every sentence of `answer`; names and numbers of `question` need no passage.

    Verbatim sentences always pass. A sentence that cites several passages passes when each of
    its clauses is supported by one of them; a citation that supports no clause is removed. Where
    no cited passage supports it, it is moved to the one passage that clearly does, else left out
    if it holds a number or a name that no passage has, else kept and marked.
    """
    sources = {item.ref_id: _Source.of(item) for item in evidence}
    known = _Source.of(Evidence(0, question))
    lines = [[_outcome(c, sources, known) for c in line] for line in claims_of(answer)]
    outcomes = [outcome for line in lines for outcome in line]
    kept = [outcome.claim for outcome in outcomes if outcome.claim]
    kinds = [outcome.kind for outcome in outcomes]
    return CheckedAnswer(
        text=written(_without_empty(lines)),
        cited=sum(bool(claim.refs) for claim in kept),
        refs=frozenset(ref for claim in kept for ref in claim.refs),
        invented=sum(outcome.invented for outcome in outcomes),
        repointed=kinds.count("repointed"),
        added=kinds.count("added"),
        unverified=kinds.count("unverified"),
        dropped=kinds.count("dropped"),
        foreign=sum(outcome.foreign for outcome in outcomes),
    )


def support(sentence: str, evidence: Evidence) -> float:
    """Give the share of the sentence's terms in the passage; 0 if a number or code is not there.

    In another language than the passage it is 1 when numbers, codes and names agree, else 0.
    """
    return _support(sentence, _Source.of(evidence))


def _support(sentence: str, source: _Source) -> float:
    if _flat(sentence) in source.flat:
        return 1.0
    if not _numbers_hold(sentence, source):
        return 0.0
    if not comparable(sentence, source.text):
        return _foreign_support(sentence, source)
    own = list(dict.fromkeys(map(stem, _words(sentence))))
    return sum(term in source.stems for term in own) / len(own) if own else 1.0


def _foreign_support(sentence: str, source: _Source) -> float:
    """Compare only names in a script that both texts can share."""
    shared = [name.text for name in names(sentence) if not is_cjk(name.text)]
    held = sum(_flat(name) in source.flat for name in shared)
    return 1.0 if not shared or held / len(shared) >= FOREIGN_NAMES else 0.0


def _numbers_hold(sentence: str, source: _Source) -> bool:
    held = all(number.values & source.values for number in numbers(sentence))
    return held and all(_has_code(code, source) for code in codes(sentence))


def _has_code(code: str, source: _Source) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(_flat(code))}(?![\w-])", source.flat) is not None


def _outcome(claim: Claim, sources: dict[int, _Source], known: _Source) -> _Outcome:
    cited = [sources[ref] for ref in claim.refs if ref in sources]
    invented = len(claim.refs) - len(cited)
    if claim.structure:
        return _Outcome(replace(claim, refs=[]), invented=len(claim.refs))
    holding = _holding(claim.text, cited)
    if holding:
        foreign = not any(_checked_by_words(claim.text, source) for source in holding)
        refs = [source.ref_id for source in holding]
        return _Outcome(replace(claim, refs=refs), "held", invented, foreign)
    other = _clear(claim.text, list(sources.values()))
    if other is not None:
        kind = "repointed" if claim.refs else "added"
        return _Outcome(replace(claim, refs=[other.ref_id]), kind, invented)
    return replace(_unsupported(claim, [*sources.values(), known]), invented=invented)


def _checked_by_words(sentence: str, source: _Source) -> bool:
    return _flat(sentence) in source.flat or comparable(sentence, source.text)


def _holding(sentence: str, cited: list[_Source]) -> list[_Source]:
    """Give the cited passages that support the sentence, or clauses of it that others do not."""
    whole = [source for source in cited if _support(sentence, source) >= SUPPORT]
    clauses = _clauses(sentence)
    if len(cited) < 2 or len(clauses) < 2:
        return whole
    by_clause = [[s for s in cited if _support(clause, s) >= SUPPORT] for clause in clauses]
    if not whole and not all(by_clause):
        return []
    used = {source.ref_id for source in whole}
    for held in by_clause:
        if used.isdisjoint(source.ref_id for source in held) or not whole:
            used.update(source.ref_id for source in held)
    return [source for source in cited if source.ref_id in used]


def _clauses(sentence: str) -> list[str]:
    """Cut at commas and conjunctions; a piece with one term stays with its neighbour."""
    clauses: list[str] = []
    for piece in _CLAUSE.split(sentence):
        if clauses and (len(set(terms(piece))) < 2 or len(set(terms(clauses[-1]))) < 2):
            clauses[-1] = f"{clauses[-1]} {piece}"
        else:
            clauses.append(piece)
    return clauses


def _clear(sentence: str, sources: list[_Source]) -> _Source | None:
    """Give the one passage that clearly supports a sentence of at least two terms."""
    comparables = [s for s in sources if _checked_by_words(sentence, s)]
    if len(set(terms(sentence))) < 2 or not comparables:
        return None
    scored = sorted(((_support(sentence, s), s) for s in comparables), key=lambda pair: -pair[0])
    best = scored[0]
    runner_up = scored[1][0] if len(scored) > 1 else 0.0
    return best[1] if best[0] >= CLEAR and best[0] - runner_up >= MARGIN else None


def _unsupported(claim: Claim, sources: list[_Source]) -> _Outcome:
    """Drop what no passage has; mark the rest, unless it never claimed a source."""
    if _names_the_absent(claim.text, sources):
        return _Outcome(None, "dropped")
    if not claim.refs:
        return _Outcome(claim, "plain")
    marked = f"{claim.text} {UNVERIFIED}"
    return _Outcome(replace(claim, refs=[], text=marked), "unverified")


def _names_the_absent(sentence: str, sources: list[_Source]) -> bool:
    values = frozenset().union(*(source.values for source in sources))
    if not all(number.values & values for number in numbers(sentence)):
        return True
    if not all(any(_has_code(code, s) for s in sources) for code in codes(sentence)):
        return True
    stems = frozenset().union(*(source.stems for source in sources))
    texts = " ".join(source.text for source in sources)
    if not comparable(sentence, texts):
        return False
    named = [set(map(stem, terms(name.text))) for name in names(sentence)]
    return any(own and not own & stems for own in named)


def _without_empty(lines: list[list[_Outcome]]) -> list[list[Claim]]:
    """Take out lines that lost all their claims; blank lines stay."""
    kept = [[o.claim for o in line if o.claim is not None] for line in lines]
    return [new for new, old in zip(kept, lines, strict=True) if new or not old]


def _words(sentence: str) -> list[str]:
    """Terms without numbers and codes, which are checked by value."""
    held = {term for code in codes(sentence) for term in terms(code)}
    folded = folded_digits(sentence)
    return [t for t in terms(folded) if t not in held and not t.replace(".", "").isdigit()]


def _flat(text: str) -> str:
    """Fold case, accents and white space; drop Markdown emphasis."""
    return _JOINING.sub(" ", fold(text.replace("**", ""))).strip()
