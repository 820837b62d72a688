"""Disagreements: sentences of different passages that say the same with different numbers.

Conservative on purpose: a false alarm costs more trust than a missed one. Two sentences disagree
when their words agree, no name or contrasting word tells their subjects apart, and exactly one
measure (number with unit, or date) differs.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from .entities import codes, names
from .numbers import Number, folded_digits, numbers
from .words import fold, is_cjk, stem, terms

SAME_WORDS = 0.6
"""Jaccard index of the words of two sentences, from which they may speak of the same thing."""

SAME_WORDS_DATES = 0.8
"""The same where only a date differs: many sentences report separate events alike."""

SHARED = 2
"""Words that two sentences must share at least."""

MOST = 5
"""Conflicts reported; more would bury the answer."""

_UNIT = re.compile(r"\s?(%|°\s?[CF]?|[€$£¥]|[^\W\d_]+)")
_CURRENCY = re.compile(r"([€$£¥]|\b(?:EUR|USD|GBP|CHF|CNY))\s?$")
_BEFORE = re.compile(r"([^\W\d_]+)\W{0,2}$")
_DAY = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\d{4}年\d{1,2}月(?:\d{1,2}日)?"
    r"|\b\d{1,2}(?:st|nd|rd|th|er|\.)?\s(?:of\s)?[A-Za-zéû]{3,9}\.?,?\s\d{4}\b"
    r"|\b[A-Z][a-z]{2,8}\.?\s\d{1,2}(?:st|nd|rd|th)?,\s\d{4}\b"
)
_MONTHS = {
    name: number
    for number, written in enumerate(
        "jan fev|feb mar avr|apr mai|may juin|jun juil|jul aou|aug sep oct nov dec".split(), 1
    )
    for name in written.split("|")
}
_NOT_A_MEASURE = frozenset(
    "section page figure fig table step chapter item appendix article no nr note footnote "
    "paragraph etape chapitre".split()
)
_SCALES = {
    "year": ("month", 12.0),
    "week": ("day", 7.0),
    "hour": ("minute", 60.0),
    "km": ("m", 1000.0),
    "kg": ("g", 1000.0),
    "an": ("mois", 12.0),
    "semaine": ("jour", 7.0),
}
_CONTRASTS = [
    set(group.split())
    for group in (
        "minimum maximum min max average mean typical least up",
        "before after first second third fourth last next previous",
        "front rear left right top bottom upper lower inner outer",
        "input output inlet outlet supply return suction discharge",
        "high low day night summer winter spring autumn",
        "new old open closed close adult child standard premium basic extended express",
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april june july august september october november december",
        "full partial gross net domestic international single double annual monthly quarterly",
        "male female men women gas water oil hot cold wet dry",
    )
]
_VERSION = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a reference; `dated` is its document's date or version as metadata has it."""

    ref_id: int
    text: str
    context: str = ""
    """Title and heading of its passage: they may name what the sentence is about."""
    dated: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements that disagree; `newer` is a ref_id, `None` where metadata does not tell."""

    first: Statement
    second: Statement
    newer: int | None


@dataclass(frozen=True, slots=True)
class _Parsed:
    statement: Statement
    words: frozenset[str]
    stems: frozenset[str]
    subjects: frozenset[str]
    """Names and codes of the sentence."""
    labels: frozenset[str]
    """Codes of the sentence and of its title."""
    measures: dict[str, frozenset[str]]
    """Values by unit."""
    dates: frozenset[str]


def conflicts(statements: Sequence[Statement]) -> list[Conflict]:
    """Find pairs of statements of different references that disagree, at most five, in order.

    Each pair of references is named once.
    """
    parsed = [p for p in map(_parse, statements) if p.measures or p.dates]
    found: dict[tuple[int, int], Conflict] = {}
    for left, right in combinations(parsed, 2):
        pair = (left.statement.ref_id, right.statement.ref_id)
        if pair[0] != pair[1] and pair not in found and _disagree(left, right):
            newer = _newer(left.statement, right.statement)
            found[pair] = Conflict(left.statement, right.statement, newer)
        if len(found) == MOST:
            break
    return list(found.values())


def _disagree(left: _Parsed, right: _Parsed) -> bool:
    shared = left.stems & right.stems
    if len(shared) < SHARED or not _same_subject(left, right):
        return False
    likeness = len(shared) / len(left.stems | right.stems)
    units = [unit for unit in left.measures if unit in right.measures]
    differing = [unit for unit in units if left.measures[unit].isdisjoint(right.measures[unit])]
    if left.dates and right.dates and left.dates != right.dates:
        return not units and likeness >= SAME_WORDS_DATES and left.dates.isdisjoint(right.dates)
    return len(differing) == 1 and likeness >= SAME_WORDS


def _same_subject(left: _Parsed, right: _Parsed) -> bool:
    """Tell whether nothing sets the two apart: a name each, a code each, or a contrast."""
    for one, other in ((left.subjects, right.subjects), (left.labels, right.labels)):
        if one - other and other - one:
            return False
    return not any(
        (left.words - right.words) & group and (right.words - left.words) & group
        for group in _CONTRASTS
    )


def _parse(statement: Statement) -> _Parsed:
    text = folded_digits(statement.text)
    days = [match.span() for match in _DAY.finditer(text)]
    measures: dict[str, frozenset[str]] = {}
    dates = {_day(text[start:end]) for start, end in days}
    known = codes(text)
    coded = {term for code in known for term in terms(code)}
    for number in numbers(text):
        if _inside(number, days) or _in_word(text, number):
            continue
        unit, factor = _unit(text, number)
        if _is_year(text, number, unit):
            dates.add(text[number.start : number.end])
        elif unit not in _NOT_A_MEASURE:
            scaled = frozenset(_scale(value, factor) for value in number.values)
            measures[unit] = measures.get(unit, frozenset()) | scaled
    words = frozenset(_words(text, days)) - coded
    return _Parsed(
        statement,
        words,
        frozenset(map(stem, words)),
        frozenset(_subjects(text)),
        frozenset(map(fold, [*known, *codes(statement.context)])),
        measures,
        frozenset(dates),
    )


def _words(text: str, days: Sequence[tuple[int, int]]) -> Iterable[str]:
    """Terms without numbers and dates; units in their smaller form, so that years are months."""
    for start, end in reversed(days):
        text = f"{text[:start]} {text[end:]}"
    for term in terms(text):
        if not any(c.isdigit() for c in term):
            yield _SCALES.get(term, (term, 1.0))[0]


def _subjects(text: str) -> Iterable[str]:
    """Names, as folded words; month names are part of dates."""
    for name in names(text):
        folded = fold(name.text)
        if folded[:4] not in _MONTHS and folded[:3] not in _MONTHS:
            yield folded


def _unit(text: str, number: Number) -> tuple[str, float]:
    """Give the unit in singular and the factor to its smaller form; the word before where none."""
    before = _CURRENCY.search(text[: number.start])
    if before:
        return before.group(1), 1.0
    match = _UNIT.match(text, number.end) or _UNIT.match(text.replace("-", " "), number.end)
    if match:
        unit = match.group(1)[:2] if is_cjk(match.group(1)) else match.group(1)
        stemmed = next(iter(terms(unit)), fold(unit))
        if terms(unit) or not unit.isalpha():
            return _SCALES.get(stemmed, (stemmed, 1.0))
    word = _BEFORE.search(text[: number.start])
    return (fold(word.group(1)) if word else "", 1.0)


def _is_year(text: str, number: Number, unit: str) -> bool:
    written = text[number.start : number.end]
    plain = len(written) == 4 and written.isdigit() and 1500 <= int(written) <= 2100
    return plain and unit not in {"m", "g", "km", "kg", "mm", "rpm", "w", "hour", "unit", "%"}


def _in_word(text: str, number: Number) -> bool:
    """Tell whether the digits belong to a code, such as the 200 of `X-200`."""
    before = text[max(0, number.start - 2) : number.start]
    after = text[number.end : number.end + 1]
    return bool(re.search(r"[A-Za-z_]-?$", before)) or after == "_"


def _inside(number: Number, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= number.start < end for start, end in spans)


def _scale(value: str, factor: float) -> str:
    try:
        return f"{float(value) * factor:g}"
    except ValueError:  # several points, as in a version: compared as written
        return value


def _day(written: str) -> str:
    """Give a written date as year-month-day, so that its forms compare."""
    digits = _VERSION.findall(written)
    word = next(iter(re.findall(r"[A-Za-zéû]{3,}", written)), "")
    month = _MONTHS.get(fold(word)[:4]) or _MONTHS.get(fold(word)[:3])
    year = next((d for d in digits if len(d) == 4), "")
    rest = [int(d) for d in digits if d != year]
    return "-".join(map(str, [int(year or 0), *([month] if month else []), *rest]))


def _newer(left: Statement, right: Statement) -> int | None:
    one, other = (tuple(map(int, _VERSION.findall(s.dated))) for s in (left, right))
    if not one or not other or one == other:
        return None
    return left.ref_id if one > other else right.ref_id
