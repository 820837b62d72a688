"""Numbers in text, comparable whatever way they are written."""

import re
import unicodedata
from dataclasses import dataclass

_NUMBER = re.compile(
    r"(?<![\w.,])\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*"
)
_LIST_MARK = re.compile(r"^\s*(?:[-*•]\s+)?\(?\d{1,2}[.)]\s+", re.MULTILINE)

_IN_WORDS = {
    word: str(value)
    for value, words in enumerate(
        (
            "one un une",
            "two deux both",
            "three trois",
            "four quatre",
            "five cinq",
            "six",
            "seven sept",
            "eight huit",
            "nine neuf",
            "ten dix",
            "eleven onze",
            "twelve douze",
        ),
        start=1,
    )
    for word in words.split()
}
_WORDED = re.compile(rf"\b(?:{'|'.join(_IN_WORDS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its place; `values` are the ways to read it, such as 1000 and 1 for `1.000`."""

    values: frozenset[str]
    start: int
    end: int


def numbers(text: str) -> list[Number]:
    """Find the numbers written in digits, in order; a list mark such as `2.` is none."""
    text = folded_digits(text)
    marks = [match.span() for match in _LIST_MARK.finditer(text)]
    return [
        Number(_readings(match.group()), match.start(), match.end())
        for match in _NUMBER.finditer(text)
        if not any(start <= match.start() < end for start, end in marks)
    ]


def number_values(text: str) -> frozenset[str]:
    """Give every value that `text` can be read to state, those of number words included."""
    found = [_IN_WORDS[match.group().lower()] for match in _WORDED.finditer(text)]
    for number in numbers(text):
        found.extend(number.values)
    return frozenset(found)


def folded_digits(text: str) -> str:
    """Turn full-width and other decimal digits into ASCII ones; offsets stay."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in text
    )


def _readings(written: str) -> frozenset[str]:
    """Read separators as thousands, as decimals, or both where that is not decided."""
    plain = re.sub(r"['’ \u00a0\u202f]", "", written)
    marks = re.findall(r"[.,]", plain)
    if not marks:
        return frozenset([_canonical(plain)])
    whole, _, last = re.split(r"([.,])(?=[^.,]*$)", plain)
    grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", plain) and len(set(marks)) == 1
    readings = set()
    if grouped:
        readings.add(_canonical(re.sub(r"[.,]", "", plain)))
    if len(marks) == 1 or len(set(marks)) == 2:
        readings.add(_canonical(f"{re.sub(r'[.,]', '', whole)}.{last}"))
    return frozenset(readings or {plain.replace(",", ".")})


def _canonical(number: str) -> str:
    """Drop zeros that do not change the value."""
    whole, point, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (point + fraction if fraction else "")
