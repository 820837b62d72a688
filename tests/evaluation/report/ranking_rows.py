"""Made-up rows of the experiment `ranking`, whose measures can be told by hand."""

from headwater.evaluation.measures.orders import ORDERS
from headwater.evaluation.record import ResultRow
from headwater.evaluation.report.ranked import Ranked
from tests.evaluation.rows import gold, piece, row


def retrieved(
    dataset: str, qid: str, places: dict[str, int], *, lang: str = "en", rewritten: bool = False
) -> ResultRow:
    """A question whose one gold passage stands at a place, from 1, in each order; elsewhere last.

    Each order has sixty passages.
    """
    layers = {}
    for order in ORDERS:
        docs = [f"x{n}" for n in range(59)]
        docs.insert(places.get(order, 60) - 1, "d1")
        layers[order] = docs
    return row(
        experiment="ranking",
        base=f"{dataset}-retrieved",
        setting="retrieved-rewritten" if rewritten else "retrieved",
        dataset=dataset,
        qid=qid,
        lang=lang,
        gold=[gold("d1", 4)],
        layers=layers,
        scores={},
        content=[],
    )


def graded(
    dataset: str,
    qid: str,
    passages: list[tuple[int, float]],
    *,
    lang: str = "en",
    split: str = "test",
    probability: bool = False,
) -> ResultRow:
    """A question whose passages have these grades and scores; P is a tenth of the score."""
    docs = sorted(range(len(passages)), key=lambda n: -passages[n][1])
    scores = [passages[n][1] for n in docs]
    stated = {"probability": [score / 10 for score in scores]} if probability else {}
    return row(
        experiment="ranking",
        base=dataset,
        setting="graded-pairs" if split == "test" else "graded-pairs-dev",
        split=split,
        dataset=dataset,
        qid=qid,
        lang=lang,
        gold=[gold(f"d{n}", grade) for n, (grade, _) in enumerate(passages)],
        layers={"rank": [f"d{n}" for n in docs]},
        scores={"rank": scores, **stated},
        content=[],
        ranker_threshold=1.0,
    )


def captioned(dataset: str, qid: str, *, caption: int, span: int, sentence: int) -> ResultRow:
    """A question with one gold passage; windows of ten characters start at these places."""
    return row(
        experiment="ranking",
        base=dataset,
        setting="graded-pairs",
        split="test",
        dataset=dataset,
        qid=qid,
        gold=[gold("d1", 4, [[span, span + 10]])],
        layers={"rank": ["d1"]},
        scores={"rank": [2.0]},
        content=[
            piece(
                "d1",
                start=0,
                end=900,
                caption=[caption, caption + 10],
                sentence=[sentence, sentence + 10],
            )
        ],
    )


def ranked_of(*rows: ResultRow) -> Ranked:
    """What these rows come to."""
    found = Ranked()
    for one in rows:
        found.add(one)
    return found
