"""Figures compared with a tolerance, for answers that were computed or rounded.

A reference answer that is one figure, such as `$1,577.00` or `65.4%`, is met by a figure that is
within 1 % of it, or equals it when rounded to the digits that the reference gives. Signs count,
but a figure in brackets may be negative or not, as accounts have it; a scale word ("1.6 billion")
is read with and without its factor, since tables leave it to their heading; a percentage is read
as a share as well. A bare year is equal or not.
"""

import re
from dataclasses import dataclass

RELATIVE = 0.01
"""Tolerance; a wider one takes neighbouring years' figures for the right one."""

FIGURE_WORDS = 3
"""Words beside the figure up to which a reference counts as a figure, not as a sentence."""

_SCALES = {
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "millions": 1e6,
    "mn": 1e6,
    "m": 1e6,
    "mm": 1e6,
    "billion": 1e9,
    "billions": 1e9,
    "bn": 1e9,
    "b": 1e9,
}
# Nearly all places of a text are passed over by the first line, which the others imply.
_FIGURE = re.compile(
    r"(?=[(\s$€£−–-]*[.\d])"
    r"(?P<open>\()?\s*(?P<minus>(?<!\w)[-−–])?\s*(?:(?P<currency>[$€£])\s*(?P<second>[-−])?)?\s*"
    r"(?<![\w.,])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?!(?:[\d.,]*\d))"
    r"\s*(?P<percent>%|percent\b)?"
    r"(?:\s*(?P<scale>thousand|millions?|billions?|mn|bn|mm|m|k|b)\b)?\s*(?P<close>\))?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number in a text."""

    value: float
    """Without its unit; negative where a minus says so."""
    step: float
    """Half a unit of the last digit given: what rounding may hide."""
    unit: float | None = None
    """0.01 for a percentage, 1e6 for millions; `None` where nothing is said."""
    bracketed: bool = False
    """In brackets: negative or not."""
    year: bool = False
    """A bare number such as 2018."""


def figures(text: str) -> tuple[Figure, ...]:
    """Find the figures of an English text, in order."""
    return tuple(_figure(match) for match in _FIGURE.finditer(text))


def is_figure(reference: str) -> bool:
    """Tell whether a reference answer is one figure with hardly a word beside it."""
    words = [w for w in _WORD.findall(reference) if w.lower() not in _SCALES]
    return len(figures(reference)) == 1 and len(words) <= FIGURE_WORDS


def meets(said: Figure, reference: Figure) -> bool:
    """Tell whether a figure agrees with that of the reference, within the tolerance.

    Two units must agree; where only one figure has a unit it may also be meant without.
    """
    if said.year or reference.year:
        return said.value == reference.value
    return any(
        _near(sign * said.value * ours, reference.value * theirs, reference.step * theirs)
        for sign in _signs(said, reference)
        for ours, theirs in _units(said.unit, reference.unit)
    )


def states(text: str, reference: str) -> bool:
    """Tell whether some figure of `text` meets the one of the reference."""
    wanted = figures(reference)[0]
    return any(meets(said, wanted) for said in figures(text))


def is_only(text: str, reference: str) -> bool:
    """Tell whether `text` is itself one figure, and meets the one of the reference."""
    return is_figure(text) and states(text, reference)


def _near(said: float, wanted: float, step: float) -> bool:
    # A hair more than the tolerance: 0.45 is stored a little below 0.45.
    return abs(said - wanted) <= max(RELATIVE * abs(wanted), step) * (1 + 1e-9)


def _signs(said: Figure, reference: Figure) -> tuple[float, ...]:
    return (1.0, -1.0) if said.bracketed or reference.bracketed else (1.0,)


def _units(said: float | None, reference: float | None) -> list[tuple[float, float]]:
    """Give the factors by which both may be meant."""
    if said is not None and reference is not None:
        return [(said, reference)]
    return [(1.0, 1.0), (said or 1.0, reference or 1.0)]


def _figure(match: re.Match[str]) -> Figure:
    digits = match["digits"].replace(",", "")
    fraction = digits.partition(".")[2]
    negative = bool(match["minus"] or match["second"])
    unit = _unit(match)
    return Figure(
        value=-float(digits) if negative else float(digits),
        step=0.5 * 10.0 ** -len(fraction),
        unit=unit,
        bracketed=bool(match["open"] and match["close"]) and not negative,
        year=_is_year(match["digits"]) and unit is None and not match["currency"],
    )


def _unit(match: re.Match[str]) -> float | None:
    if match["percent"]:
        return 0.01
    return _SCALES[match["scale"].lower()] if match["scale"] else None


def _is_year(digits: str) -> bool:
    return digits.isdigit() and 1900 <= int(digits) <= 2100
