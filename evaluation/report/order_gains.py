"""What the ranker gains over other orders of the same candidates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import cast

from ..measures.orders import FIRST_STAGE, ORDERS
from ..measures.sets import MAIN_SETS
from ..statistics import Interval, Paired, holm, mean_of_means_ci, paired
from .collection import SEED
from .ranked import ALL_FOUND, NDCG, Ordered, Part

RANKER = "rank"
MEAN = "mean of sets"
OVER_BEST, OVER_OWN, OVER_SIMILARITY = (
    "best first stage",
    "each set's best",
    "similarity ranker",
)

Questions = Mapping[Part, Sequence[Ordered]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderGain:
    """One measure of L2 less that of another order of the same candidates."""

    label: str
    """A data set, or the mean of several: then every set counts the same."""
    measure: str
    over: str
    order: str
    """The order that it is compared with; for a mean, those of its sets."""
    before: float
    after: float
    difference: float
    low: float | None
    """Of the 95 % interval; `None` where there are too few questions."""
    high: float | None
    n: int
    """Questions."""
    p_value: float | None = None
    """Wilcoxon's, or McNemar's; a mean of means has none."""
    corrected: float | None = None
    """After Holm's correction over the data sets."""

    @property
    def ends(self) -> Interval | None:
        """Both ends of the interval."""
        if self.low is None or self.high is None:
            return None
        return Interval(self.low, self.high)


def main_parts(ordered: Questions) -> list[Part]:
    """Give the sets of the headline, their questions as they stand; all where none of them is."""
    plain = [part for part in ordered if not part.rewritten]
    main = [part for part in plain if part.dataset in MAIN_SETS]
    return sorted(main, key=lambda part: MAIN_SETS.index(part.dataset)) or plain


def mean_of(questions: Iterable[Ordered], measure: str, order: str) -> float:
    """Give the mean of a measure of one order over some questions."""
    return fmean(one.values[measure][order] for one in questions)


def mean_of_sets(ordered: Questions, parts: Sequence[Part], measure: str, *, order: str) -> float:
    """Give the mean over sets of the mean over their questions."""
    return fmean(mean_of(ordered[part], measure, order) for part in parts)


def best_of(value: Callable[[str], float]) -> str:
    """Give the first-stage order with the largest value; the earlier one wins a tie."""
    return max(FIRST_STAGE, key=value)


def order_gains(ordered: Questions) -> list[OrderGain]:
    """Give every gain of L2: measure by measure, other order by other order, set by set.

    The best order of a set is chosen on the very questions that are reported, so that it is a hard
    one to beat.
    """
    main = main_parts(ordered)
    return [
        gain
        for measure in (NDCG, ALL_FOUND)
        for over, choose in _choices(ordered, main, measure).items()
        for gain in _against(ordered, main, measure, over=over, choose=choose)
    ]


def _choices(
    ordered: Questions, main: Sequence[Part], measure: str
) -> dict[str, Callable[[Part], str]]:
    best = best_of(lambda order: mean_of_sets(ordered, main, measure, order=order))
    return {
        OVER_BEST: lambda _: best,
        OVER_OWN: lambda part: best_of(lambda order: mean_of(ordered[part], measure, order)),
        OVER_SIMILARITY: lambda _: "similarity",
    }


def _against(
    ordered: Questions,
    main: Sequence[Part],
    measure: str,
    *,
    over: str,
    choose: Callable[[Part], str],
) -> list[OrderGain]:
    others = [part for part in ordered if part not in main]
    chosen = {part: choose(part) for part in (*main, *others)}
    found = [
        _of_part(part.label, ordered[part], measure, over=over, order=chosen[part])
        for part in (*main, *others)
    ]
    corrected = holm([gain.p_value or 0.0 for gain in found])
    found = [replace(gain, corrected=p) for gain, p in zip(found, corrected, strict=True)]
    mean = mean_gain(MEAN, ordered, measure, over=over, chosen={p: chosen[p] for p in main})
    return [*found[: len(main)], mean, *found[len(main) :]]


def _of_part(
    label: str, questions: Sequence[Ordered], measure: str, *, over: str, order: str
) -> OrderGain:
    before = [one.values[measure][order] for one in questions]
    after = [one.values[measure][RANKER] for one in questions]
    # There is a part only where there are questions.
    result = cast("Paired", paired(before, after, seed=SEED))
    return OrderGain(
        label=label,
        measure=measure,
        over=over,
        order=ORDERS[order],
        before=fmean(before),
        after=fmean(after),
        difference=result.difference,
        low=result.interval.low if result.interval else None,
        high=result.interval.high if result.interval else None,
        n=result.n,
        p_value=result.p_value,
    )


def mean_gain(
    label: str, ordered: Questions, measure: str, *, over: str, chosen: Mapping[Part, str]
) -> OrderGain:
    """Give the mean over sets of the gain over the order chosen for each, every set the same.

    Its interval is bootstrapped within the sets.
    """
    changes = [
        [one.values[measure][RANKER] - one.values[measure][order] for one in ordered[part]]
        for part, order in chosen.items()
    ]
    interval = mean_of_means_ci(changes, seed=SEED)
    before = fmean(mean_of(ordered[part], measure, order) for part, order in chosen.items())
    after = fmean(mean_of(ordered[part], measure, RANKER) for part in chosen)
    return OrderGain(
        label=label,
        measure=measure,
        over=over,
        order=", ".join(dict.fromkeys(ORDERS[order] for order in chosen.values())),
        before=before,
        after=after,
        difference=after - before,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=sum(map(len, changes)),
    )


def gains_by_language(ordered: Questions) -> list[OrderGain]:
    """Give the gain of each language of questions over its best first stage, mean over its sets."""
    by_lang: dict[str, dict[Part, list[Ordered]]] = {}
    for part, questions in ordered.items():
        for one in questions if not part.rewritten else ():
            by_lang.setdefault(one.lang, {}).setdefault(part, []).append(one)
    found = []
    for lang, parts in sorted(by_lang.items()):
        choices = _choices(parts, list(parts), NDCG)
        chosen = {part: choices[OVER_BEST](part) for part in parts}
        found.append(mean_gain(lang, parts, NDCG, over=OVER_BEST, chosen=chosen))
    return found
