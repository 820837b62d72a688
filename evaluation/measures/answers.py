"""Whether the answer, or at least the content, says what the reference answer says."""

from collections.abc import Sequence
from functools import lru_cache

from ...domain.citation import UNVERIFIED
from ...domain.markers import claims_of
from ..record import ResultRow
from .figures import is_figure, is_only, states
from .needs import (
    ANSWER_ASKED,
    ANSWERABLE,
    ANSWERED,
    CONTENT_READ,
    RAN,
    REFERENCE,
    SEARCHED,
    WORDED,
    Need,
    unmet,
)
from .squad import contains, exact, f1

FIGURE_SETS = frozenset({"financebench", "financebench_composed"})
"""Data sets whose reference answers were computed or rounded: figures meet with a tolerance."""

NEEDS: tuple[Need, ...] = (RAN, ANSWER_ASKED, ANSWERABLE, REFERENCE, ANSWERED)
CONTAINMENT_NEEDS: tuple[Need, ...] = (RAN, ANSWER_ASKED, ANSWERABLE, REFERENCE, WORDED, ANSWERED)
CONTENT_NEEDS: tuple[Need, ...] = (RAN, SEARCHED, ANSWERABLE, REFERENCE, WORDED, CONTENT_READ)


def containment(row: ResultRow) -> float | None:
    """Give 1 where the answer holds a reference answer, else 0.

    Normalised tokens side by side, see `contains_answer`. `None` without a run, an answer or a
    reference, for unanswerable questions, and where the reference is only yes or no, which any
    text may hold. Source: the accuracy of Mallen et al. 2023, "When Not to Trust Language
    Models", arXiv:2212.10511, section 3, by tokens.
    """
    if unmet(row, CONTAINMENT_NEEDS):
        return None
    return contains_answer(_said(row), row.answers, lang=row.lang, dataset=row.dataset)


def content_containment(row: ResultRow) -> float | None:
    """Give 1 where the content holds a reference answer, else 0: what a reader can reach at most.

    As `containment`; `None` also where the row does not say, but not for lack of an answer.
    Source as for `containment`.
    """
    if unmet(row, CONTENT_NEEDS):
        return None
    return float(bool(row.contains_answer))


def contains_answer(text: str, references: Sequence[str], *, lang: str, dataset: str) -> float:
    """Give 1 where `text` holds one of the references after SQuAD normalisation, else 0.

    In the sets of `FIGURE_SETS` a reference that is one figure is held by any figure that meets
    it, see `figures`.
    """
    figured = [r for r in references if _by_figure(r, dataset)]
    worded = [r for r in references if not _by_figure(r, dataset)]
    return float(any(states(text, r) for r in figured) or bool(contains(text, worded, lang)))


def exact_match(row: ResultRow) -> float | None:
    """Give 1 where the answer, without its citations, is a reference answer, else 0.

    After SQuAD normalisation; in the sets of `FIGURE_SETS` a figure is met with a tolerance. A
    sentence around the right words is no match. `None` without a run, an answer or a reference,
    and for unanswerable questions. Source: Rajpurkar et al. 2016, arXiv:1606.05250, section 5.
    """
    if unmet(row, NEEDS):
        return None
    said = _said(row)
    met = any(is_only(said, r) for r in row.answers if _by_figure(r, row.dataset))
    return float(met or bool(exact(said, row.answers, row.lang)))


def token_f1(row: ResultRow) -> float | None:
    """Give the token F1 of the answer with the nearest reference, in [0, 1].

    After SQuAD normalisation, by characters in Chinese. In the sets of `FIGURE_SETS` a reference
    figure that is met with the tolerance counts as its token being there. `None` as for
    `exact_match`. Source: as there; for other languages Lewis et al. 2020, "MLQA",
    arXiv:1910.07475, section 3.3.
    """
    if unmet(row, NEEDS):
        return None
    said = _said(row)
    if exact_match(row) == 1.0:
        return 1.0
    met = [f"{said} {r}" for r in row.answers if _by_figure(r, row.dataset) and states(said, r)]
    return max(f1(text, row.answers, row.lang) for text in (said, *met))


def _by_figure(reference: str, dataset: str) -> bool:
    return dataset in FIGURE_SETS and is_figure(reference)


def _said(row: ResultRow) -> str:
    return _bare(row.answer or "")


@lru_cache(maxsize=1_024)
def _bare(answer: str) -> str:
    """Give the answer as a text without citations and marks of the check."""
    claims = [claim.text for line in claims_of(answer) for claim in line]
    return " ".join(claims).replace(UNVERIFIED, " ")
