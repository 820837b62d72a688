import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)

from headwater.domain.ports import RankTask, Scorable
from headwater.models.rerankers.forms import Encoded, MarkedPairs
from headwater.models.rerankers.opening import Precision, open_reranker
from headwater.models.rerankers.ranker import PairRanker, relevance
from headwater.models.rerankers.reading import PassageReader
from tests.models.rerankers import tiny

QUERY = "Which pump has a worn seal?"
PASSAGES = [*map(Scorable, tiny.TEXTS), Scorable("The shaft.", title="Pump", heading="Service")]
CLASSIFIERS = [tiny.bert, tiny.modern, tiny.xlm_roberta]
Make = Callable[..., Path]


def plain_text(passage: Scorable) -> str:
    return "\n".join(part for part in (passage.title, passage.heading, passage.text) if part)


def plain_classifier(folder: Path) -> list[float]:
    """One pair at a time, as transformers documents it: the probability that it is relevant."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).train(False)
    found = []
    for passage in PASSAGES:
        inputs = tokenizer(QUERY, plain_text(passage), return_tensors="pt")
        with torch.inference_mode():
            logits = model(**inputs).logits[0]
        both = logits if len(logits) == 2 else torch.stack([torch.zeros(()), logits[0]])
        found.append(float(both.softmax(dim=0)[1]))
    return found


def plain_causal(folder: Path) -> list[float]:
    """One pair at a time, as the card of Qwen3-Reranker has it: the probability of yes."""
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(folder).train(False)
    prefix = (
        "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query "
        'and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n'
        "<|im_start|>user\n"
    )
    suffix = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    task = "Given a web search query, retrieve relevant passages that answer the query"
    answers = tokenizer.convert_tokens_to_ids(["no", "yes"])
    found = []
    for passage in PASSAGES:
        body = f"<Instruct>: {task}\n<Query>: {QUERY}\n<Document>: {plain_text(passage)}"
        parts = (prefix, body, suffix)
        ids = [id_ for part in parts for id_ in tokenizer.encode(part, add_special_tokens=False)]
        with torch.inference_mode():
            last = model(input_ids=torch.tensor([ids])).logits[0, -1]
        found.append(float(last[answers].softmax(dim=0)[1]))
    return found


@pytest.mark.parametrize("labels", [1, 2])
@pytest.mark.parametrize("make", CLASSIFIERS)
async def test_scores_as_the_plain_computation_of_a_cross_encoder(
    tmp_path: Path, make: Make, labels: int
) -> None:
    folder = make(tmp_path, labels=labels)
    expected = plain_classifier(folder)

    (found,) = await open_reranker(str(folder), device="cpu").score([RankTask(QUERY, PASSAGES)])

    assert found == pytest.approx([4 * p for p in expected], abs=1e-4)
    assert order(found) == order(expected)
    assert max(found) - min(found) > 0.05  # or the order would say nothing


async def test_scores_as_the_plain_computation_of_a_yes_or_no_model(tmp_path: Path) -> None:
    folder = tiny.qwen(tmp_path)
    expected = plain_causal(folder)

    (found,) = await open_reranker(str(folder), device="cpu").score([RankTask(QUERY, PASSAGES)])

    assert found == pytest.approx([4 * p for p in expected], abs=1e-4)
    assert order(found) == order(expected)
    assert max(found) - min(found) > 0.05


def order(scores: list[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: -scores[i])


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("make", [*CLASSIFIERS, tiny.qwen])
async def test_a_score_does_not_depend_on_the_passages_beside_it(
    tmp_path: Path, make: Make, precision: Precision
) -> None:
    ranker = open_reranker(str(make(tmp_path)), device="cpu", precision=precision)
    passages = [*PASSAGES, Scorable("bearing " * 30 + tiny.TEXTS[0]), Scorable("seal")]

    (together,) = await ranker.score([RankTask(QUERY, passages)])
    alone = await ranker.score([RankTask(QUERY, [passage]) for passage in reversed(passages)])
    single = [(await ranker.score([RankTask(QUERY, [each])]))[0][0] for each in passages]

    assert [row[0] for row in reversed(alone)] == pytest.approx(together, abs=1e-3)
    assert single == pytest.approx(together, abs=1e-3)


async def test_the_best_window_of_a_long_passage_counts(tmp_path: Path) -> None:
    ranker = open_reranker(str(tiny.bert(tmp_path)), device="cpu")
    part = "A motor that hums but does not turn. "

    ((short, long),) = await ranker.score(
        [RankTask(QUERY, [Scorable(part), Scorable(f"{part} " + "bearing 2,000 hours " * 60)])]
    )
    windows = ranker._reader.pairs(QUERY, [Scorable(f"{part} " + "bearing 2,000 hours " * 60)])[0]

    assert len(windows) > 1
    assert long == max(map(relevance, ranker._scorer.logits(windows)))
    assert short != long


async def test_blank_text_scores_0_whatever_its_title(tmp_path: Path) -> None:
    ranker = open_reranker(str(tiny.bert(tmp_path)), device="cpu")

    found = await ranker.score(
        [
            RankTask(QUERY, [Scorable(""), Scorable("The seal."), Scorable(" \n", title="Pump")]),
            RankTask(QUERY, []),
        ]
    )

    assert found[0][0] == found[0][2] == 0.0
    assert found[0][1] > 0.0
    assert found[1] == []


class LengthScorer:
    """Gives the length of each sequence as its logit."""

    name, device, notes = "length", "cpu", ()

    def logits(self, sequences: Sequence[Encoded]) -> list[float]:
        return [len(sequence.ids) / 10 for sequence in sequences]


async def test_ten_thousand_passages_keep_their_places(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_file(str(tiny.bert(tmp_path) / "tokenizer.json"))
    ranker = PairRanker(PassageReader(tokenizer, MarkedPairs(tokenizer, 64)), LengthScorer())
    passages = [Scorable("pump " * (i % 40)) for i in range(10_000)]

    (found,) = await ranker.score([RankTask("seal", passages)])

    assert found[:40] == sorted(found[:40])
    assert found == found[:40] * 250
    assert found[0] == 0.0 < found[1]


async def test_an_empty_query_is_scored_too(tmp_path: Path) -> None:
    ((score,),) = await open_reranker(str(tiny.bert(tmp_path)), device="cpu").score(
        [RankTask("", [Scorable("The seal.")])]
    )

    assert 0.0 <= score <= 4.0


def test_drops_nothing_unless_asked_to(tmp_path: Path) -> None:
    ranker = open_reranker(str(tiny.bert(tmp_path / "my-reranker")), device="cpu")

    assert (ranker.name, ranker.device, ranker.threshold) == ("my-reranker", "cpu", 0.0)


@given(st.lists(st.floats(-1e9, 1e9), min_size=2))
def test_any_logit_becomes_a_score_on_the_scale_in_the_same_order(logits: list[float]) -> None:
    found = [relevance(logit) for logit in sorted(logits)]

    assert found == sorted(found)
    assert all(0.0 <= score <= 4.0 for score in found)


def test_a_score_is_four_times_the_probability() -> None:
    assert relevance(0.0) == 2.0
    assert relevance(1.5) == pytest.approx(4 / (1 + math.exp(-1.5)))
