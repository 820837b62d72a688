"""What a question costs: milliseconds by step, tokens and calls by model."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from ...domain.activity import STEPS
from ..record import ResultRow
from .needs import RAN, SEARCHED, Need, unmet

Quantity = Literal["ms", "input_tokens", "output_tokens", "calls"]

_QUANTITIES: tuple[Quantity, ...] = ("ms", "calls", "input_tokens", "output_tokens")
_STEPS: dict[str, int] = {step: place for place, step in enumerate(STEPS)}

TIMED = Need("the time was not taken", lambda row: row.elapsed_ms is not None)
COUNTED = Need("no tokens were counted", lambda row: bool(row.tokens))
CALLED = Need("no calls were counted", lambda row: bool(row.calls))
IN_CONTENT: tuple[Need, ...] = (RAN, SEARCHED)
TIME_NEEDS: tuple[Need, ...] = (RAN, TIMED)
TOKEN_NEEDS: tuple[Need, ...] = (RAN, COUNTED)
CALL_NEEDS: tuple[Need, ...] = (RAN, CALLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One quantity of one step or model, over the `n` questions in which it was used."""

    name: str
    """A step or a model."""
    quantity: Quantity
    n: int
    mean: float
    median: float


def elapsed_ms(row: ResultRow) -> float | None:
    """Give the milliseconds from the question to the result; `None` where nobody took them.

    Origin: own definition.
    """
    return None if unmet(row, TIME_NEEDS) else row.elapsed_ms


def content_tokens(row: ResultRow) -> float | None:
    """Give the tokens of the content; 0 where it is empty, `None` where nothing was searched.

    Origin: own definition.
    """
    return None if unmet(row, IN_CONTENT) else float(sum(piece.tokens for piece in row.content))


def model_tokens(row: ResultRow) -> float | None:
    """Give the tokens that went into and came out of all models; `None` where none counted.

    Origin: own definition.
    """
    return None if unmet(row, TOKEN_NEEDS) else float(sum(map(sum, row.tokens.values())))


def model_calls(row: ResultRow) -> float | None:
    """Give the calls of all models; `None` where nobody counted. Origin: own definition."""
    return None if unmet(row, CALL_NEEDS) else float(sum(row.calls.values()))


class CostTally:
    """Quantities of steps and models while rows stream by; only the numbers are kept."""

    def __init__(self) -> None:
        self._found: dict[tuple[Quantity, str], list[float]] = defaultdict(list)

    def add(self, rows: Sequence[ResultRow]) -> None:
        """Take in rows; runs that ended with an error have no cost."""
        for row in rows:
            if not unmet(row, (RAN,)):
                for quantity, name, value in _quantities(row):
                    self._found[quantity, name].append(value)

    def lines(self) -> list[Cost]:
        """Give mean and median of each quantity: steps in the order of a run, then models.

        A step that did not run in a question is not a step of 0 ms: that question is left out of
        its mean, and `n` says how many are in.
        """
        return [_cost(*key, self._found[key]) for key in sorted(self._found, key=_place)]


def costs(rows: Sequence[ResultRow]) -> list[Cost]:
    """Give what steps and models cost in these rows, see `CostTally.lines`."""
    tally = CostTally()
    tally.add(rows)
    return tally.lines()


def _place(key: tuple[Quantity, str]) -> tuple[int, str, int]:
    quantity, name = key
    if quantity == "ms":
        return (_STEPS.get(name, len(_STEPS)), name, 0)
    return (len(_STEPS) + 1, name, _QUANTITIES.index(quantity))


def _quantities(row: ResultRow) -> Iterator[tuple[Quantity, str, float]]:
    for step, elapsed in row.step_ms.items():
        yield "ms", step, elapsed
    for model, (given, written) in row.tokens.items():
        yield "input_tokens", model, float(given)
        yield "output_tokens", model, float(written)
    for model, calls in row.calls.items():
        yield "calls", model, float(calls)


def _cost(quantity: Quantity, name: str, values: list[float]) -> Cost:
    mean, middle = fmean(sorted(values)), median(values)
    return Cost(name=name, quantity=quantity, n=len(values), mean=mean, median=middle)
