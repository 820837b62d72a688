"""Where a run stopped looking, and whether it should have."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from ..record import ResultRow, SubQueryRow
from .calibration import Observation, Reliability, reliability_of
from .needs import ANSWERABLE, GOLD, RAN, SEARCHED, Need, gold_of, unmet
from .support import evidence_needed, full_support, share_of, supported_by

By = Literal["base", "setting", "dataset", "lang", "type", "source"]
Of = Literal["sufficient", "grade", "score"]

HIGHEST = 4.0
"""Of a grade and of a ranker score."""


def _first(row: ResultRow) -> list[SubQueryRow]:
    return [query for query in row.sub_queries if query.round == 1]


def _judged(row: ResultRow) -> bool:
    first = _first(row)
    return bool(first) and all(query.decision is not None for query in first)


def _exited(row: ResultRow) -> bool:
    return all(query.decision == "exit" for query in _first(row))


def _stated(row: ResultRow) -> bool:
    return bool(_first(row)) and all(q.probability is not None for q in _first(row))


JUDGED = Need("the classifier did not run", _judged)
EXITED = Need("the classifier did not let it exit", _exited)
STATED = Need("no probability was stated", _stated)
FREE = Need("a second round was not allowed", lambda row: row.max_rounds != 1)

NEEDS: tuple[Need, ...] = (RAN, JUDGED)
REFLECTION_NEEDS: tuple[Need, ...] = (RAN, JUDGED, FREE)
LACK_NEEDS: tuple[Need, ...] = (RAN, JUDGED, EXITED, SEARCHED, ANSWERABLE, GOLD)
SUFFICIENT_NEEDS: tuple[Need, ...] = (RAN, STATED, ANSWERABLE, GOLD)


def exited_by_classifier(row: ResultRow) -> float | None:
    """Give 1 where the classifier let every sub-query of the first round exit, else 0.

    `None` without a run and where the classifier did not judge every one of them, as at low and
    minimal effort. Origin: own definition.
    """
    return None if unmet(row, NEEDS) else float(_exited(row))


def exited_with_reflection(row: ResultRow) -> float | None:
    """Give 1 where no second round was needed, be it by the classifier or by reflection, else 0.

    Never below `exited_by_classifier` in a run that obeys its exits. `None` as there, and where
    the run was allowed one round only. Origin: own definition.
    """
    return None if unmet(row, REFLECTION_NEEDS) else float(row.rounds < 2)


def exit_lacked_evidence(row: ResultRow) -> float | None:
    """Give 1 where the classifier let the run exit though the content lacks evidence, else 0.

    Its mean is the share of exits that were wrong. The whole content counts, whatever its budget;
    evidence as in `full_support`. `None` where the classifier let nothing exit, without a run,
    for unanswerable questions and where no gold passage is known. Origin: the miss rate of
    selective prediction, Geifman and El-Yaniv 2017, arXiv:1705.08500.
    """
    if unmet(row, LACK_NEEDS):
        return None
    supported = full_support(row)
    return None if supported is None else 1.0 - supported


def sufficient(row: ResultRow) -> Observation | None:
    """Give what the classifier stated on the first round, and whether its evidence sufficed.

    The probability is the smallest of the first round's sub-queries, since a run exits only where
    all may. It came true where the pieces of the content that the first round brought hold all
    evidence, as in `full_support`. `None` without a run or a probability, for unanswerable
    questions and where no gold passage is known.
    """
    if unmet(row, SUFFICIENT_NEEDS):
        return None
    first = {query.id for query in _first(row)}
    pieces = [piece for piece in row.content if piece.sub_query in first]
    probability = min(q.probability for q in _first(row) if q.probability is not None)
    return Observation(probability, share_of(evidence_needed(row), supported_by(pieces)) == 1.0)


def exit_brier(row: ResultRow) -> float | None:
    """Give the squared distance of P(sufficient) and what came true, in [0, 1]; 0 is best.

    See `sufficient`; `None` as there. Source: Brier 1950.
    """
    observed = sufficient(row)
    return None if observed is None else (observed.probability - observed.outcome) ** 2


def reliability(rows: Sequence[ResultRow], by: By, *, of: Of = "sufficient") -> list[Reliability]:
    """Describe calibration by group: of P(sufficient), or of grades or scores in the content.

    A grade or ranker score over 4 is read as the probability that the passage is gold; passages
    that nobody judged count as not gold, so that such a share is a lower bound. `by` "source" is
    the source of the passage; for P(sufficient) that of the gold, or "several".
    """
    return reliability_of(observations(rows, by, of=of))


def observations(rows: Sequence[ResultRow], by: By, *, of: Of) -> Iterator[Observation]:
    """Give what `reliability` is computed from."""
    for row in rows:
        if of == "sufficient":
            observed = sufficient(row)
            if observed is not None:
                yield Observation(observed.probability, observed.outcome, _group(row, by))
        elif not unmet(row, (RAN, SEARCHED, ANSWERABLE, GOLD)):
            yield from _of_pieces(row, by, of)


def _of_pieces(row: ResultRow, by: By, of: Of) -> Iterator[Observation]:
    wanted = {gold.doc for gold in gold_of(row)}
    for piece in row.content:
        value = piece.grade if of == "grade" else piece.score
        if value is not None and piece.doc not in row.neutral:
            group = piece.source if by == "source" else _group(row, by)
            yield Observation(value / HIGHEST, piece.doc in wanted, group)


_GROUPS: dict[By, Callable[[ResultRow], str]] = {
    "base": lambda row: row.base,
    "setting": lambda row: row.setting,
    "dataset": lambda row: row.dataset,
    "lang": lambda row: row.lang,
    "type": lambda row: row.type,
    "source": lambda row: row.gold_sources[0] if len(set(row.gold_sources)) == 1 else "several",
}


def _group(row: ResultRow, by: By) -> str:
    return _GROUPS[by](row)
