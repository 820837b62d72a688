"""Which sources were asked, against those that hold the evidence; and how widely."""

from ..record import ResultRow
from .needs import ANSWERABLE, GOLD_SOURCES, RAN, ROUTED, Need, unmet

CHOSEN = Need(
    "no sources were chosen",
    lambda row: "federate" in row.layers or any(query.sources for query in row.sub_queries),
)
"""Plans that are judged alone go nowhere; a run that asked none of its sources has asked 0."""
_SEVERAL = Need("there is one source only", lambda row: row.sources_open != 1)


NEEDS: tuple[Need, ...] = (RAN, ROUTED, CHOSEN, _SEVERAL, ANSWERABLE, GOLD_SOURCES)
COUNT_NEEDS: tuple[Need, ...] = (RAN, ROUTED)
SOURCE_NEEDS: tuple[Need, ...] = (RAN, ROUTED, CHOSEN)


def source_precision(row: ResultRow) -> float | None:
    """Give the share of the sources asked in the first round that hold gold, in [0, 1].

    0 where none was asked. `None` without a run, where there is nothing to choose, for unanswerable
    questions, and where no gold source is known. Source: set precision, Manning, Raghavan and
    Schütze 2008, section 8.3.
    """
    if unmet(row, NEEDS):
        return None
    asked, gold = routed(row), set(row.gold_sources)
    return len(asked & gold) / len(asked) if asked else 0.0


def source_recall(row: ResultRow) -> float | None:
    """Give the share of the sources with gold that the first round asked, in [0, 1].

    `None` as for `source_precision`. Source: set recall, as there.
    """
    if unmet(row, NEEDS):
        return None
    gold = set(row.gold_sources)
    return len(routed(row) & gold) / len(gold)


def source_exact(row: ResultRow) -> float | None:
    """Give 1 where the first round asked the sources with gold and no other, else 0.

    `None` as for `source_precision`. Source: subset accuracy of multi-label classification.
    """
    if unmet(row, NEEDS):
        return None
    return float(routed(row) == set(row.gold_sources))


def sub_query_count(row: ResultRow) -> float | None:
    """Give the number of sub-queries of both rounds; `None` without a run.

    Origin: own definition.
    """
    return None if unmet(row, COUNT_NEEDS) else float(len(row.sub_queries))


def source_count(row: ResultRow) -> float | None:
    """Give the number of distinct sources asked in the first round; `None` where none was chosen.

    Origin: own definition.
    """
    return None if unmet(row, SOURCE_NEEDS) else float(len(routed(row)))


def routed(row: ResultRow) -> set[str]:
    """Give the sources to which some sub-query of the first round went."""
    return {source for query in row.sub_queries if query.round == 1 for source in query.sources}
