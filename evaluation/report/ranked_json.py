"""What the experiment `ranking` adds to `summary.json`."""

from dataclasses import asdict
from statistics import fmean
from typing import Any

from ..measures.orders import ORDERS
from ..statistics import mean_of_means_ci
from .chapters.windows import caption_gains
from .collection import SEED
from .graded_lines import calibrated_lines, left_out_lines, on_topic_lines
from .order_gains import MEAN, gains_by_language, main_parts, mean_of, mean_of_sets, order_gains
from .ranked import OURS, TITLES, WINDOWS, Ranked


def ranked_json(ranked: Ranked) -> dict[str, Any] | None:
    """Give the numbers of the chapters on orders, scores and captions; `None` where there are none.

    Shares in [0, 1]; a number that is not known is null.
    """
    if not ranked.ordered and not ranked.graded:
        return None
    sets = ranked.graded_sets()
    return {
        "orders": _orders(ranked) if ranked.ordered else [],
        "gains": [asdict(gain) for gain in order_gains(ranked.ordered)] if ranked.ordered else [],
        "gains_by_language": [asdict(gain) for gain in gains_by_language(ranked.ordered)],
        "on_topic": [asdict(line) for line in on_topic_lines(sets)],
        "probability_stated": all(one.stated for one in sets.values()),
        "calibration": [asdict(line) for line in calibrated_lines(ranked)],
        "thresholds": [asdict(line) for line in left_out_lines(ranked)],
        "captions": _captions(ranked),
    }


def _orders(ranked: Ranked) -> list[dict[str, Any]]:
    main = main_parts(ranked.ordered)
    found: list[dict[str, Any]] = [
        {
            "set": part.label,
            "questions": len(questions),
            **{m: {o: mean_of(questions, m, o) for o in ORDERS} for m in TITLES},
        }
        for part, questions in ranked.ordered.items()
    ]
    mean = {m: {o: mean_of_sets(ranked.ordered, main, m, order=o) for o in ORDERS} for m in TITLES}
    return [{"set": MEAN, "questions": sum(len(ranked.ordered[p]) for p in main), **mean}, *found]


def _captions(ranked: Ranked) -> list[dict[str, Any]]:
    """Give the mean over sets of each window, and what the caption gains over it."""
    found = []
    for name in WINDOWS if ranked.captions else ():
        changes = caption_gains(ranked.captions, name)
        means = [fmean(one[name] for one in questions) for questions in ranked.captions.values()]
        ends = mean_of_means_ci(changes, seed=SEED)
        line: dict[str, Any] = {"window": name, "hit": fmean(means)}
        if name != OURS:
            line["caption_gains"] = fmean(map(fmean, changes))
            line["ci"] = ends and [ends.low, ends.high]
        found.append(line)
    return found
