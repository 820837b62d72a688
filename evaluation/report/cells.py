"""Numbers as cells of a table; what is not known is a dash, never a zero."""

from ..statistics import Interval
from .document import MISSING, Cell
from .plots.estimate import Estimate


def word(text: str | None) -> Cell:
    """A name, sorted without regard to case."""
    return Cell(text, text.casefold()) if text else Cell(MISSING)


def count(number: float | None) -> Cell:
    """A whole number with thousands separated."""
    return Cell(MISSING) if number is None else Cell(f"{number:,.0f}", number)


def questions(number: int) -> str:
    """So many questions, in words."""
    return f"{number:,} question{'' if number == 1 else 's'}"


def decimal(number: float | None, digits: int = 3) -> Cell:
    """A number with `digits` decimals."""
    return Cell(MISSING) if number is None else Cell(f"{number:,.{digits}f}", number)


def percent(share: float | None) -> Cell:
    """A share in [0, 1] as percent with one decimal."""
    return Cell(MISSING) if share is None else Cell(f"{share * 100:.1f} %", share)


def interval(ends: Interval | None, *, scale: float = 1, digits: int = 3) -> Cell:
    """Both ends of an interval; sorted by its middle."""
    if ends is None:
        return Cell(MISSING)
    shown = f"[{ends.low * scale:.{digits}f}, {ends.high * scale:.{digits}f}]"
    return Cell(shown, (ends.low + ends.high) / 2)


def percent_interval(ends: Interval | None) -> Cell:
    """An interval of shares, in percent."""
    return interval(ends, scale=100, digits=1)


def mean_percent(found: Estimate | None) -> Cell:
    """The mean of shares as percent."""
    return percent(None if found is None else found.mean)


def mean_interval(found: Estimate | None) -> Cell:
    """The interval of the mean of shares, in percent."""
    return percent_interval(None if found is None else found.ends)


def points(difference: float | None) -> Cell:
    """A difference of two shares, in percentage points, always signed."""
    return Cell(MISSING) if difference is None else Cell(f"{difference * 100:+.1f}", difference)


def relative(difference: float | None, *, base: float | None) -> Cell:
    """A difference in percent of `base`; not defined from a base of nothing."""
    if difference is None or not base:
        return Cell(MISSING)
    return Cell(f"{difference / base * 100:+.1f} %", difference / base)


def p_value(probability: float | None) -> Cell:
    """A p value; below 0.001 only the bound is shown."""
    if probability is None:
        return Cell(MISSING)
    shown = "< 0.001" if probability < 0.001 else f"{probability:.3f}"
    return Cell(shown, probability)
