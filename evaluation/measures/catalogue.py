"""Every measure of a question, in the order of a report."""

from collections.abc import Callable, Sequence
from functools import partial

from ..record import ResultRow
from . import answers, captions, citations, cost, exits, ranking, selection, support
from .measure import Measure
from .ranking import average_precision, mrr, ndcg, recall
from .support import full_support, support_share

_OWN = "own definition"
_SQUAD = "Rajpurkar et al. 2016, arXiv:1606.05250, section 5"
_ALCE = "after ALCE, Gao et al. 2023, arXiv:2305.14627, section 4"
_IR_BOOK = "Manning, Raghavan and Schütze 2008, sections 8.3 and 8.4"
_UNANSWERABLE = "after Rajpurkar, Jia and Liang 2018, arXiv:1806.03822"

_LAYERS = {"federate": "federation", "rank": "ranking (L2)", "classify": "classification (L3)"}
_CUTOFFS = (5, 10, 20, 50)

_Rows = Sequence[ResultRow]


def _support() -> list[Measure]:
    found = [
        Measure(
            name=f"full_support@{budget // 1_000}k",
            title=f"Full support at {budget:,} tokens",
            definition="Share of questions of which all needed gold passages are supported by "
            f"the first {budget:,} tokens of the content. Several passages that each answer on "
            "their own are alternatives.",
            source="all-recall@k of Gutiérrez et al. 2024, arXiv:2405.14831, at a token budget",
            per_row=partial(full_support, budget=budget),
            higher_is_better=True,
            needs=support.NEEDS,
        )
        for budget in support.BUDGETS
    ]
    return found + [
        Measure(
            name=f"support_share@{budget // 1_000}k",
            title=f"Share of the evidence at {budget:,} tokens",
            definition="Share of the needed gold passages of a question that the first "
            f"{budget:,} tokens of the content support.",
            source="recall at a token budget",
            per_row=partial(support_share, budget=budget),
            higher_is_better=True,
            needs=support.NEEDS,
        )
        for budget in support.BUDGETS
    ]


def _ranking(layer: str, after: str) -> list[Measure]:
    recalls = [
        Measure(
            name=f"recall@{k}.{layer}",
            title=f"Recall@{k} after {after}",
            definition=f"Share of the gold passages among the first {k} after {after}.",
            source=_IR_BOOK,
            per_row=partial(recall, layer=layer, k=k),
            higher_is_better=True,
            needs=ranking.needs(layer),
        )
        for k in _CUTOFFS
    ]
    return [
        *recalls,
        _ranked(
            f"ndcg@10.{layer}",
            f"nDCG@10 after {after}",
            definition="Discounted cumulative gain of the first 10 over the best; gain = grade.",
            source="Järvelin and Kekäläinen 2002, in trec_eval's form",
            layer=layer,
            batch=ndcg,
        ),
        _ranked(
            f"mrr.{layer}",
            f"MRR after {after}",
            definition="1 / rank of the first gold passage; 0 where none is listed.",
            source="Voorhees 1999",
            layer=layer,
            batch=mrr,
        ),
        _ranked(
            f"map.{layer}",
            f"MAP after {after}",
            definition="Precision at the rank of each gold passage, averaged over all of them.",
            source="Buckley and Voorhees 2000",
            layer=layer,
            batch=average_precision,
        ),
    ]


def _ranked(
    name: str,
    title: str,
    *,
    definition: str,
    source: str,
    layer: str,
    batch: Callable[[_Rows, str], list[float | None]],
) -> Measure:
    return Measure(
        name=name,
        title=title,
        definition=definition,
        source=source,
        per_row=lambda row: batch([row], layer)[0],
        batch=lambda rows: batch(rows, layer),
        higher_is_better=True,
        needs=ranking.needs(layer),
    )


_ANSWERS = [
    Measure(
        name="containment",
        title="Answer holds the reference",
        definition="Share of answers that hold a reference answer, token by token; figures of "
        "financial reports with a tolerance of 1 %. Left out where it is only yes or no.",
        source="after Mallen et al. 2023, arXiv:2212.10511, section 3",
        per_row=answers.containment,
        higher_is_better=True,
        needs=answers.CONTAINMENT_NEEDS,
    ),
    Measure(
        name="content_containment",
        title="Content holds the reference",
        definition="Share of questions whose content holds a reference answer: what a reader of "
        "the content can reach at most.",
        source="after Mallen et al. 2023, arXiv:2212.10511, section 3",
        per_row=answers.content_containment,
        higher_is_better=True,
        needs=answers.CONTENT_NEEDS,
    ),
    Measure(
        name="exact_match",
        title="Exact match",
        definition="Share of answers that are a reference answer after SQuAD normalisation; "
        "figures of financial reports with a tolerance of 1 %.",
        source=_SQUAD,
        per_row=answers.exact_match,
        higher_is_better=True,
        needs=answers.NEEDS,
    ),
    Measure(
        name="token_f1",
        title="Token F1",
        definition="Harmonic mean of token precision and recall with the nearest reference, by "
        "characters in Chinese.",
        source=f"{_SQUAD}; MLQA, arXiv:1910.07475, for other languages",
        per_row=answers.token_f1,
        higher_is_better=True,
        needs=answers.NEEDS,
    ),
    Measure(
        name="caption_hit",
        title="Caption hit",
        definition="Share of the gold passages in the content whose caption meets a gold span.",
        source=_OWN,
        per_row=captions.caption_hit,
        higher_is_better=True,
        needs=captions.NEEDS,
    ),
]

_SELECTION = [
    Measure(
        name="source_precision",
        title="Source precision",
        definition="Share of the sources asked in the first round that hold gold.",
        source=_IR_BOOK,
        per_row=selection.source_precision,
        higher_is_better=True,
        needs=selection.NEEDS,
    ),
    Measure(
        name="source_recall",
        title="Source recall",
        definition="Share of the sources with gold that were asked in the first round.",
        source=_IR_BOOK,
        per_row=selection.source_recall,
        higher_is_better=True,
        needs=selection.NEEDS,
    ),
    Measure(
        name="source_exact",
        title="Exact set of sources",
        definition="Share of questions where exactly the sources with gold were asked first.",
        source="subset accuracy",
        per_row=selection.source_exact,
        higher_is_better=True,
        needs=selection.NEEDS,
    ),
    Measure(
        name="sub_queries",
        title="Sub-queries",
        definition="Sub-queries of a question, over both rounds.",
        source=_OWN,
        per_row=selection.sub_query_count,
        higher_is_better=None,
        needs=selection.COUNT_NEEDS,
        unit="count",
    ),
    Measure(
        name="sources_asked",
        title="Sources asked",
        definition="Distinct sources asked in the first round.",
        source=_OWN,
        per_row=selection.source_count,
        higher_is_better=None,
        needs=selection.SOURCE_NEEDS,
        unit="count",
    ),
]

_EXITS = [
    Measure(
        name="exited_by_classifier",
        title="Exit by the classifier alone",
        definition="Share of questions where the classifier let every sub-query exit at once.",
        source=_OWN,
        per_row=exits.exited_by_classifier,
        higher_is_better=None,
        needs=exits.NEEDS,
    ),
    Measure(
        name="exited_with_reflection",
        title="Exit with reflection",
        definition="Share of questions that needed no second round, where they might have had one.",
        source=_OWN,
        per_row=exits.exited_with_reflection,
        higher_is_better=None,
        needs=exits.REFLECTION_NEEDS,
    ),
    Measure(
        name="exit_lacked_evidence",
        title="Exits that lacked evidence",
        definition="Of the questions that the classifier let exit, the share whose content lacks "
        "needed evidence.",
        source="the risk of selective prediction, Geifman and El-Yaniv 2017, arXiv:1705.08500",
        per_row=exits.exit_lacked_evidence,
        higher_is_better=False,
        needs=exits.LACK_NEEDS,
    ),
    Measure(
        name="exit_brier",
        title="Brier score of P(sufficient)",
        definition="Squared distance of the smallest probability of the first round and whether "
        "its evidence sufficed.",
        source="Brier 1950",
        per_row=exits.exit_brier,
        higher_is_better=False,
        needs=exits.SUFFICIENT_NEEDS,
    ),
]

_CITATIONS = [
    Measure(
        name="citation_validity",
        title="Citations that exist",
        definition="Share of the citations of an answer whose reference is in the content.",
        source=_ALCE,
        per_row=citations.citation_validity,
        higher_is_better=True,
        needs=citations.VALIDITY_NEEDS,
    ),
    Measure(
        name="citation_precision",
        title="Citation precision",
        definition="Share of the citations of an answer whose passage is gold.",
        source=_ALCE,
        per_row=citations.citation_precision,
        higher_is_better=True,
        needs=citations.PRECISION_NEEDS,
    ),
    Measure(
        name="citation_recall",
        title="Citation recall",
        definition="Share of the needed gold passages that the answer cites.",
        source=_ALCE,
        per_row=citations.citation_recall,
        higher_is_better=True,
        needs=citations.RECALL_NEEDS,
    ),
    Measure(
        name="abstained",
        title="Answers withheld",
        definition="Share of questions to which no answer was given, or only that none was found.",
        source=_OWN,
        per_row=citations.abstained,
        higher_is_better=None,
        needs=citations.ABSTAINED_NEEDS,
    ),
    Measure(
        name="abstention_precision",
        title="Abstention precision",
        definition="Of the answers withheld, the share whose question is unanswerable.",
        source=_UNANSWERABLE,
        per_row=citations.abstention_precision,
        higher_is_better=True,
        needs=citations.ABSTENTION_PRECISION_NEEDS,
    ),
    Measure(
        name="abstention_recall",
        title="Abstention recall",
        definition="Of the unanswerable questions, the share whose answer was withheld.",
        source=_UNANSWERABLE,
        per_row=citations.abstention_recall,
        higher_is_better=True,
        needs=citations.ABSTENTION_RECALL_NEEDS,
    ),
]

_COST = [
    Measure(
        name="elapsed_ms",
        title="Milliseconds",
        definition="From the question to the result.",
        source=_OWN,
        per_row=cost.elapsed_ms,
        higher_is_better=False,
        needs=cost.TIME_NEEDS,
        unit="ms",
    ),
    Measure(
        name="content_tokens",
        title="Tokens of content",
        definition="Tokens of the merged content.",
        source=_OWN,
        per_row=cost.content_tokens,
        higher_is_better=None,
        needs=cost.IN_CONTENT,
        unit="tokens",
    ),
    Measure(
        name="model_tokens",
        title="Tokens of models",
        definition="Tokens into and out of all models that count them.",
        source=_OWN,
        per_row=cost.model_tokens,
        higher_is_better=False,
        needs=cost.TOKEN_NEEDS,
        unit="tokens",
    ),
    Measure(
        name="model_calls",
        title="Calls of models",
        definition="Calls of all models.",
        source=_OWN,
        per_row=cost.model_calls,
        higher_is_better=False,
        needs=cost.CALL_NEEDS,
        unit="count",
    ),
]

MEASURES: list[Measure] = [
    *_support(),
    *(measure for layer, after in _LAYERS.items() for measure in _ranking(layer, after)),
    *_ANSWERS,
    *_SELECTION,
    *_EXITS,
    *_CITATIONS,
    *_COST,
]
