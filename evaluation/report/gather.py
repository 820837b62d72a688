"""From rows to the numbers that a report holds, in one pass."""

from collections.abc import Iterable, Sequence

from ..measures.exits import (
    Of,
    exit_lacked_evidence,
    exited_by_classifier,
    exited_with_reflection,
    observations,
)
from ..measures.orders import GRADED_DEV
from ..measures.support import BUDGETS, full_support
from ..record import ResultRow
from ..summary import MEASURES
from .asked import Asked
from .collection import COMPARED, FORECASTS, LAYERS, UNJUDGED, Collection

_COMPARED = [measure for measure in MEASURES if measure.name in COMPARED]


def gather(rows: Iterable[ResultRow], *, settings: Sequence[str] = ()) -> Collection:
    """Return what a report needs of `rows`; settings are ordered as in `settings`, then as read."""
    collected = Collection()
    for row in rows:
        collected.asked.append(asked(row))
        _add_scores(collected, row)
        collected.ranked.add(row)
        for of in FORECASTS:
            _add_forecasts(collected, row, of)
    found = dict.fromkeys(one.setting for one in collected.asked)
    named = [setting for setting in settings if setting in found]
    collected.settings = [*named, *(setting for setting in found if setting not in named)]
    return collected


def asked(row: ResultRow) -> Asked:
    """Return the numbers of one row."""
    return Asked(
        base=row.base,
        dataset=row.dataset,
        setting=row.setting,
        qid=row.qid,
        effort=row.effort,
        lang=row.lang,
        type=row.type,
        hops=row.hops,
        sources_needed=len(set(row.gold_sources)),
        support={budget: full_support(row, budget) for budget in BUDGETS},
        values={measure.name: measure.per_row(row) for measure in _COMPARED},
        exit_classifier=exited_by_classifier(row),
        exit_reflection=exited_with_reflection(row),
        exit_lacked=exit_lacked_evidence(row),
        content_tokens=sum(piece.tokens for piece in row.content),
        sub_queries=len(row.sub_queries),
        rounds=row.rounds,
        elapsed_ms=row.elapsed_ms,
        step_ms=row.step_ms,
        tokens={model: (read, written) for model, (read, written) in row.tokens.items()},
        calls=row.calls,
        error=row.error,
    )


def _add_scores(collected: Collection, row: ResultRow) -> None:
    if row.setting == GRADED_DEV:
        return  # a threshold is chosen there; the splits do not mix
    grades = {gold.doc: str(gold.grade) for gold in row.gold}
    for layer in LAYERS if grades else ():
        pairs = zip(row.layers.get(layer, []), row.scores.get(layer, []), strict=False)
        for doc, score in pairs:
            collected.scores[layer, grades.get(doc, UNJUDGED)].append(score)


def _add_forecasts(collected: Collection, row: ResultRow, of: Of) -> None:
    collected.forecasts[of].extend(observations([row], "lang", of=of))
    collected.by_source[of].extend(observations([row], "source", of=of))
