"""Which chapters a report has, and what stands above them."""

from collections.abc import Callable, Mapping
from typing import Any

from ..summary import Summary
from .chapters.calibration import calibration
from .chapters.changes import changes
from .chapters.cost import cost
from .chapters.exits import exits
from .chapters.facets import facets
from .chapters.failures import failure_notice, failures
from .chapters.gains import gains
from .chapters.graded import graded
from .chapters.headline import headline, headline_figures
from .chapters.measures import definitions, excluded, measures
from .chapters.orders import order_figures, orders
from .chapters.scores import scores
from .chapters.windows import windows
from .collection import Collection
from .conditions import conditions, mixed_notice, not_asked, problem_notice
from .document import Report, Section

_COLLECTED: tuple[Callable[[Collection], Section | None], ...] = (
    orders,
    graded,
    windows,
    headline,
    gains,
    changes,
    facets,
    exits,
    calibration,
    scores,
    cost,
)


def contents(
    collected: Collection, summary: Summary, *, run: Mapping[str, Any], notices: list[str]
) -> Report:
    """Return the report: a chapter whose data do not exist is left out."""
    chapters = [
        *(chapter(collected) for chapter in _COLLECTED),
        measures(summary, collected.settings),
        failures(collected),
        excluded(summary, not_asked=not_asked(run)),
        definitions(summary),
    ]
    title = str(run.get("title") or run.get("experiment") or "Evaluation")
    return Report(
        title=title[:1].upper() + title[1:],
        question=str(run.get("question") or "How good are the answers, and what do they cost?"),
        conditions=conditions(run),
        notices=[
            *notices,
            *mixed_notice(run),
            *problem_notice(run),
            *failure_notice(collected),
        ],
        figures=order_figures(collected) or headline_figures(collected),
        sections=[chapter for chapter in chapters if chapter is not None],
    )
