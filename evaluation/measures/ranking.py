"""How well a step ranks the passages of a question: recall, nDCG, reciprocal rank, precision.

Rankings are of passages of the data set, over all sub-queries, as the row keeps them; gold are
the passages of grade 3 or 4. Translations of gold passages, neither right nor wrong, are in no
ranking. What was never judged counts as not relevant.
The measures that weigh ranks are computed by ir_measures (MacAvaney et al. 2022, "Streamlining
Evaluation with ir-measures", arXiv:2111.13466) over trec_eval.
"""

from collections.abc import Sequence

from ..extra import optional
from ..record import ResultRow
from .needs import ANSWERABLE, GOLD, RAN, Need, gold_of, has_layer, unmet

DEPTH = 10


def needs(layer: str) -> tuple[Need, ...]:
    """Give what a row must have for the measures of one layer.

    Where passages are given with their grades, `federate` is their order by similarity alone.
    """
    return (RAN, has_layer(layer), ANSWERABLE, GOLD)


def recall(row: ResultRow, layer: str, k: int) -> float | None:
    """Give the share of the gold passages among the first `k` of a layer, in [0, 1].

    Each gold passage counts, alternatives too. `None` without a run or that layer, for
    unanswerable questions and where no gold passage is known. Source: Manning, Raghavan and
    Schütze 2008, "Introduction to Information Retrieval", section 8.4.
    """
    if unmet(row, needs(layer)):
        return None
    wanted = {gold.doc for gold in gold_of(row)}
    return len(wanted.intersection(row.layers[layer][:k])) / len(wanted)


def all_found(row: ResultRow, layer: str, k: int) -> float | None:
    """Give 1 where every gold passage is among the first `k` of a layer, else 0.

    Alternatives count too, as for `recall`, and it is `None` as there. Source: all-recall@k of
    Gutiérrez et al. 2024, "HippoRAG", arXiv:2405.14831, section 4.
    """
    share = recall(row, layer, k)
    return None if share is None else float(share == 1.0)


def ndcg(rows: Sequence[ResultRow], layer: str, k: int = DEPTH) -> list[float | None]:
    """Give each row's normalised discounted cumulative gain of the first `k`, in [0, 1].

    The gain is the grade itself, the discount log2(1 + rank), the ideal the best order of the
    gold passages. `None` as for `recall`. Source: Järvelin and Kekäläinen 2002, "Cumulated
    gain-based evaluation of IR techniques", in trec_eval's form.
    """
    return _measured(rows, layer, f"nDCG@{k}")


def mrr(rows: Sequence[ResultRow], layer: str) -> list[float | None]:
    """Give each row's 1 / rank of the first gold passage, in [0, 1]; 0 where none is listed.

    `None` as for `recall`. Source: Voorhees 1999, "The TREC-8 Question Answering Track Report".
    """
    return _measured(rows, layer, "RR")


def average_precision(rows: Sequence[ResultRow], layer: str) -> list[float | None]:
    """Give each row's average precision, whose mean over questions is MAP, in [0, 1].

    The precision at the rank of each gold passage, 0 for one that is not listed, averaged over
    the gold passages. `None` as for `recall`. Source: Buckley and Voorhees 2000, "Evaluating
    evaluation measure stability".
    """
    return _measured(rows, layer, "AP")


def _measured(rows: Sequence[ResultRow], layer: str, name: str) -> list[float | None]:
    """Measure all rows in one go; a row's place is its query, since question ids repeat."""
    ir = optional("ir_measures")
    scored = {str(i): row for i, row in enumerate(rows) if not unmet(row, needs(layer))}
    judged = {
        query: {gold.doc: gold.grade for gold in gold_of(row)} for query, row in scored.items()
    }
    ranked = {query: _descending(row.layers[layer]) for query, row in scored.items()}
    if not scored:
        return [None] * len(rows)
    found = ir.iter_calc([ir.parse_measure(name)], judged, ranked)
    values = {metric.query_id: float(metric.value) for metric in found}
    return [values.get(str(i), 0.0) if str(i) in scored else None for i in range(len(rows))]


def _descending(docs: Sequence[str]) -> dict[str, float]:
    """Give scores that keep the order: trec_eval breaks ties by name, not by rank."""
    return {doc: float(len(docs) - rank) for rank, doc in enumerate(docs)}
