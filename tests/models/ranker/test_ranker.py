import math
import time
from collections.abc import Sequence

import pytest
from tokenizers import Tokenizer

from headwater.domain.errors import ModelOutputError
from headwater.domain.ports import Embedder, RankTask, Scorable, Vector
from headwater.models.ranker.ranker import CrossEncoderRanker
from headwater.models.ranker.reading import Pair, PairLayout, PairReader
from headwater.models.ranker.scores import BINS, Combination, MonotoneMap
from headwater.models.weights import MINILM, find_weights
from tests.sources.stand_ins import HashingEmbedder

READER = PairReader(
    Tokenizer.from_file(str(find_weights(MINILM).parent / "tokenizer.json")),
    PairLayout(),
    start=101,
    end=102,
)


def combination_of(**coefficients: float) -> Combination:
    """A sum that is 0 at worst and 1 at best, as a score from 0 to 4."""
    return Combination(
        features=tuple(coefficients),
        coefficients=tuple(coefficients.values()),
        intercept=0.0,
        grade=MonotoneMap((0.0, 1.0), (0.0, 4.0)),
        chance=MonotoneMap((0.0, 1.0), (0.0, 1.0)),
        threshold=0.7,
        histogram=(1.0, *[0.0] * (BINS - 1)),
    )


class WordScorer:
    """Gives the share of the query's tokens that the passage has; counts its calls."""

    name = "words"
    device = "cpu"
    notes = ("out of memory at 8 texts",)

    def __init__(self, answer: float | None = None) -> None:
        self.calls: list[int] = []
        self._answer = answer

    def logits(self, pairs: Sequence[Pair]) -> list[float]:
        self.calls.append(len(pairs))
        if self._answer is not None:
            return [self._answer] * len(pairs)
        return [_share(pair) for pair in pairs]


def _share(pair: Pair) -> float:
    query, passage = set(pair.ids[1 : pair.query - 1]), set(pair.ids[pair.query : -1])
    return len(query & passage) / max(1, len(query))


class UnusedEmbedder(HashingEmbedder):
    """Fails where it is asked for anything."""

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        raise AssertionError(texts)


def ranker_of(
    scorer: WordScorer | None = None,
    combination: Combination | None = None,
    embedder: Embedder | None = None,
) -> CrossEncoderRanker:
    return CrossEncoderRanker(
        embedder or UnusedEmbedder(),
        READER,
        scorer or WordScorer(),
        combination or combination_of(logit=1.0),
        name="made",
    )


GOOD = Scorable("The red valve opens at nine bar.", "Valves")
NEAR = Scorable("The valve is green.", "Valves")
FAR = Scorable("Lunch is at noon.")


async def test_scores_every_passage_of_every_task_in_one_batch() -> None:
    scorer = WordScorer()
    tasks = [RankTask("red valve", [FAR, GOOD, NEAR]), RankTask("lunch", [FAR]), RankTask("x", [])]

    found = await ranker_of(scorer).score(tasks)

    assert found == [[0.0, 4.0, 2.0], [4.0], []]
    assert scorer.calls == [4]


async def test_tells_how_likely_a_passage_answers() -> None:
    [[scored]] = await ranker_of().scored([RankTask("red valve", [NEAR])])

    assert (scored.score, scored.likely) == (2.0, 0.5)


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\u00ad"])
async def test_text_with_nothing_to_read_scores_0(text: str) -> None:
    blank = Scorable(text, "red valve")

    [scores] = await ranker_of().score([RankTask("red valve", [blank, GOOD, blank])])
    [logits] = await ranker_of().logits([RankTask("red valve", [blank, GOOD, blank])])

    assert scores == [0.0, 4.0, 0.0]
    assert logits == [None, 1.0, None]


async def test_the_best_window_of_long_text_counts() -> None:
    filler = "Nothing of note was said about it, and the meeting went on. " * 250
    long = Scorable(filler + "The red valve opens. " + filler)

    [[score]] = await ranker_of().score([RankTask("red valve", [long])])

    assert score == 4.0


async def test_a_score_does_not_depend_on_the_passages_beside_it() -> None:
    ranker = ranker_of(combination=combination_of(logit=0.6, lexical=0.4))

    [together] = await ranker.score([RankTask("red valve", [GOOD, NEAR, FAR])])

    alone = [await ranker.score([RankTask("red valve", [each])]) for each in (GOOD, NEAR, FAR)]
    assert together == [score for [[score]] in alone]


async def test_a_similarity_is_filled_only_where_the_combination_needs_it() -> None:
    wanting = combination_of(logit=0.5, similarity=0.5)
    known = Scorable("Lunch is at noon.", similarity=1.0)
    ranker = ranker_of(combination=wanting, embedder=HashingEmbedder())

    [[filled, given]] = await ranker.score([RankTask("lunch", [FAR, known])])

    assert 2.0 < filled < given == 4.0
    assert await ranker_of(embedder=UnusedEmbedder()).score([RankTask("lunch", [FAR])]) == [[4.0]]


@pytest.mark.parametrize("answer", [math.nan])
async def test_a_number_that_is_none_never_becomes_a_score(answer: float) -> None:
    with pytest.raises(ModelOutputError, match="'logit' is no number"):
        await ranker_of(WordScorer(answer)).score([RankTask("valve", [GOOD])])


@pytest.mark.parametrize("answer", [math.inf, -math.inf, 1e30, -1e30])
async def test_scores_stay_on_the_scale(answer: float) -> None:
    [[score]] = await ranker_of(WordScorer(answer)).score([RankTask("valve", [GOOD])])

    assert score == (4.0 if answer > 0 else 0.0)


async def test_mixed_scripts_are_scored() -> None:
    passages = [Scorable("阀门 red 打开 valve Клапан \ud800"), Scorable("🔧"), Scorable("弁")]

    [scores] = await ranker_of().score([RankTask("red 阀门 valve", passages)])

    assert scores[0] == 4.0
    assert all(0.0 <= score <= 4.0 for score in scores)


async def test_ten_thousand_passages_are_scored_in_their_order() -> None:
    passages = [Scorable(f"Valve {i} is {'red' if i % 3 else 'green'}.") for i in range(10_000)]

    [scores] = await ranker_of().score([RankTask("red", passages)])

    assert scores == [4.0 if i % 3 else 0.0 for i in range(10_000)]


async def test_a_megabyte_costs_seconds_not_minutes() -> None:
    filler = "The committee met on a Tuesday and nothing of note was said about it. "
    huge = Scorable(filler * 14_500 + "The red valve opens.")

    started = time.process_time()
    [[score]] = await ranker_of().score([RankTask("red valve", [huge])])

    assert score == 4.0
    assert time.process_time() - started < 5


def test_brings_name_device_threshold_and_the_notes_of_its_device() -> None:
    ranker = ranker_of()

    assert ranker.notes == WordScorer.notes
    assert (ranker.name, ranker.device, ranker.threshold) == ("made", "cpu", 0.7)
