"""Every order of the candidates, and what the ranker gains over the others."""

from collections.abc import Sequence

from ...measures.orders import CANDIDATES, ORDERS
from ..cells import count, decimal, p_value, percent_interval, questions, word
from ..collection import Collection
from ..document import Cell, Column, Figure, Plot, Section, Table
from ..order_gains import (
    MEAN,
    OVER_BEST,
    OVER_SIMILARITY,
    OrderGain,
    gains_by_language,
    main_parts,
    mean_of,
    mean_of_sets,
    order_gains,
)
from ..plots.estimate import Effect, Estimate
from ..plots.gains import gains_plot
from ..ranked import NDCG, TITLES, Ranked

_SAME = (
    "L2 is the similarity ranker here: both put the candidates of every question in the same "
    "order, so that there is no gain over it to tell."
)

_GAINS = [
    Column("Measure"),
    Column("L2 over"),
    Column("Set"),
    Column("The other order"),
    Column("Before", numeric=True),
    Column("L2", numeric=True),
    Column("Points", numeric=True),
    Column("95 % interval", numeric=True),
    Column("p", numeric=True),
    Column("p (Holm)", numeric=True),
    Column("Questions", numeric=True),
]


def orders(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where no candidates were put in order."""
    ranked = collected.ranked
    if not ranked.ordered:
        return None
    gains = _told(ranked)
    mean = (
        f"“{MEAN}” is over the sets above it, each counting the same, its interval bootstrapped "
        "within the sets; the best first stage has the largest one. "
    )
    text = [
        f"The candidates of a question are the first {CANDIDATES} passages of the tuned fusion "
        "over the corpus of its data set. Keyword, vectors and the fusions are orders of their "
        f"own first {CANDIDATES}; the models put the candidates in order, each on its own. A "
        "passage that nobody judged counts as not relevant; translations of gold passages are "
        "taken out.",
        f"{mean if _total(ranked) == MEAN else ''}The best first stage of each set is chosen on "
        "the questions reported here, and is the harder one to beat. p values: Wilcoxon’s or "
        "McNemar’s test; Holm’s correction over the sets.",
        *([_SAME] if ranked.similarity_alone else []),
    ]
    return Section(
        name="orders",
        title="Orders of the candidates",
        text=text,
        parts=[
            *(_by_order(ranked, name) for name in TITLES),
            _plot([gain for gain in gains if _drawn(gain)], total=_total(ranked)),
            _gains(
                "order-gains",
                "What L2 gains over the best order of each set, and in all gold",
                [gain for gain in gains if not _drawn(gain)],
            ),
            _gains(
                "order-gains-language",
                "What L2 gains by language of the question, mean over its sets",
                gains_by_language(ranked.ordered),
            ),
        ],
    )


def order_figures(collected: Collection) -> list[Figure]:
    """Return the mean gain of L2 in nDCG@10 over each other order, as large numbers."""
    ranked = collected.ranked
    if not ranked.ordered:
        return []
    return [
        Figure(
            f"L2 over {gain.over}",
            f"{gain.difference * 100:+.1f}",
            f"points of {TITLES[NDCG]}, {_ends(gain)}{gain.label}, {questions(gain.n)}",
        )
        for gain in _told(ranked)
        if gain.label == _total(ranked) and gain.measure == NDCG
    ]


def _ends(gain: OrderGain) -> str:
    return f"{percent_interval(gain.ends).text}, " if gain.ends else ""


def _total(ranked: Ranked) -> str:
    """Name what stands for the whole: the mean of the sets, or the only one of them."""
    main = main_parts(ranked.ordered)
    return main[0].label if len(main) == 1 else MEAN


def _told(ranked: Ranked) -> list[OrderGain]:
    """Give the gains, without a mean that repeats one set and without those over L2 itself."""
    return [
        gain
        for gain in order_gains(ranked.ordered)
        if (gain.label != MEAN or _total(ranked) == MEAN)
        and not (gain.over == OVER_SIMILARITY and ranked.similarity_alone)
    ]


def _drawn(gain: OrderGain) -> bool:
    return gain.measure == NDCG and gain.over in (OVER_BEST, OVER_SIMILARITY)


def _by_order(ranked: Ranked, measure: str) -> Table:
    main = main_parts(ranked.ordered)
    others = [part for part in ranked.ordered if part not in main]
    rows = [
        _row(
            part.label,
            [mean_of(ranked.ordered[part], measure, order) for order in ORDERS],
            len(ranked.ordered[part]),
        )
        for part in (*main, *others)
    ]
    if len(main) > 1:
        means = [mean_of_sets(ranked.ordered, main, measure, order=order) for order in ORDERS]
        asked = sum(len(ranked.ordered[part]) for part in main)
        rows.insert(len(main), _row(MEAN, means, asked))
    return Table(
        name=f"orders-{measure.partition('@')[0].replace('_', '-')}",
        title=TITLES[measure],
        columns=[
            Column("Set"),
            *(Column(title, numeric=True) for title in ORDERS.values()),
            Column("Questions", numeric=True),
        ],
        rows=rows,
    )


def _row(label: str, values: Sequence[float], asked: int) -> list[Cell]:
    return [word(label), *(decimal(value) for value in values), count(asked)]


def _plot(shown: Sequence[OrderGain], *, total: str) -> Plot:
    effects = [
        Effect(gain.label, gain.over, Estimate(gain.difference, gain.ends, gain.n))
        for gain in shown
    ]
    means = {gain.over: gain.difference * 100 for gain in shown if gain.label == total}
    return Plot(
        name="order-gain-forest",
        title=f"Gain of L2 in {TITLES[NDCG]}",
        alt="Forest plot by data set. "
        + "; ".join(f"{total}, over {over}: {mean:+.1f} points" for over, mean in means.items()),
        svg=gains_plot(effects, name="order-gain-forest", first="the other order", total=MEAN),
        numbers=_gains("order-gain-forest-numbers", f"Gain in {TITLES[NDCG]}", shown),
    )


def _gains(name: str, title: str, gains: Sequence[OrderGain]) -> Table:
    return Table(name=name, title=title, columns=_GAINS, rows=[_gain(gain) for gain in gains])


def _gain(gain: OrderGain) -> list[Cell]:
    return [
        word(TITLES[gain.measure]),
        word(gain.over),
        word(gain.label),
        word(gain.order),
        decimal(gain.before),
        decimal(gain.after),
        Cell(f"{gain.difference * 100:+.1f}", gain.difference),
        percent_interval(gain.ends),
        p_value(gain.p_value),
        p_value(gain.corrected),
        count(gain.n),
    ]
