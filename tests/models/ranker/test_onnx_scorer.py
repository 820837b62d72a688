from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.stats import spearmanr
from tokenizers import Tokenizer

from headwater.domain.errors import ModelError, ModelOutputError
from headwater.domain.ports import Scorable
from headwater.models.bert_graph import INPUT
from headwater.models.ranker.adapter import Adapter, merged, read_adapter
from headwater.models.ranker.graph import LOGIT, QUERY
from headwater.models.ranker.network import CrossEncoder
from headwater.models.ranker.onnx_scorer import OnnxScorer, open_onnx_scorer
from headwater.models.ranker.reading import Pair, PairLayout, PairReader
from headwater.models.weights import MINILM, find_weights
from tests.models.ranker.made_adapter import base_weights, write_adapter

QUESTION = "Which seal fits the X-200 pump?"
TEXTS = [
    "The X-200 pump takes seal S-7.",
    "The X-100 pump needs oil every month.",
    "Employees get 28 days of holiday a year.",
    "Seals are ordered from the spare parts desk.",
    "A pump moves water from a lower to a higher place.",
    "Der Dichtring S-7 passt zur Pumpe X-200.",
    "The minutes of the meeting were approved. " * 30,
    "Seal S-7 is made of rubber, and seal S-9 of steel.",
    "The canteen opens at noon.",
    "Seals live in cold water and eat fish.",
    "Which pump is the loudest? The X-300, by far.",
    "S-7",
    "To fit the seal, drain the pump, open its lid, and press the ring into the groove.",
    "Passwords expire after ninety days.",
    "The X-200 pump weighs nine kilograms and runs on mains.",
    "Visitors sign in at the front desk and get a badge.",
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def adapter(cache: Path) -> Adapter:
    return read_adapter(write_adapter(cache / "adapter"))


@pytest.fixture(scope="module")
def scorer(adapter: Adapter, cache: Path) -> OnnxScorer:
    return open_onnx_scorer(adapter, find_weights(MINILM), cache=cache, name="made")


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    tokenizer = Tokenizer.from_file(str(find_weights(MINILM).parent / "tokenizer.json"))
    reader = PairReader(tokenizer, PairLayout(), start=101, end=102)
    return [pair for [pair] in reader.pairs(QUESTION, [Scorable(text) for text in TEXTS])]


@pytest.fixture(scope="module")
def exact(adapter: Adapter, pairs: list[Pair], cache: Path) -> NDArray[np.float64]:
    """What the network in 32 bits makes of the pairs."""
    network = CrossEncoder.pretrained(cache).eval()
    network.load_encoder(merged(base_weights(), adapter))
    network.load_head(adapter.head)
    found = []
    for pair in pairs:
        ids = torch.tensor([pair.ids])
        with torch.inference_mode():
            found.append(network(ids, torch.ones_like(ids), torch.tensor([pair.query])).item())
    return np.array(found)


def test_eight_bits_keep_the_order_of_the_network(
    scorer: OnnxScorer, pairs: list[Pair], exact: NDArray[np.float64]
) -> None:
    found = np.array(scorer.logits(pairs))

    assert spearmanr(found, exact).statistic > 0.95
    assert np.abs(found - exact).max() < 0.1 * (exact.max() - exact.min())


def test_a_pair_gets_the_very_same_logit_whatever_its_neighbours(
    scorer: OnnxScorer, pairs: list[Pair]
) -> None:
    together = scorer.logits([*pairs, *reversed(pairs)])

    assert together == [*together[: len(pairs)], *reversed(together[: len(pairs)])]
    assert together[: len(pairs)] == [scorer.logits([pair])[0] for pair in pairs]


def test_no_pairs_need_no_model(scorer: OnnxScorer) -> None:
    assert scorer.logits([]) == []


@pytest.mark.parametrize("pair", [Pair([101, 102, 7, 102], 2), Pair([101, 7, 102, 102], 3)])
def test_a_side_without_tokens_has_a_logit(scorer: OnnxScorer, pair: Pair) -> None:
    (logit,) = scorer.logits([pair])

    assert np.isfinite(logit)


def test_the_graph_is_made_once_and_anew_for_another_adapter(
    adapter: Adapter, cache: Path, tmp_path: Path
) -> None:
    weights = find_weights(MINILM)
    made = sorted(path.stat().st_mtime_ns for path in cache.glob("made-*.onnx"))
    open_onnx_scorer(adapter, weights, cache=cache, name="made")
    assert sorted(path.stat().st_mtime_ns for path in cache.glob("made-*.onnx")) == made

    other = read_adapter(write_adapter(tmp_path / "other", seed=9))
    open_onnx_scorer(other, weights, cache=cache, name="made")

    assert len(list(cache.glob("made-*.onnx"))) == 2


def test_a_damaged_graph_is_named(adapter: Adapter, tmp_path: Path) -> None:
    digest = adapter.weights_digest[:12]
    (tmp_path / f"bad-{digest}-int8-2.onnx").write_bytes(b"nothing")

    with pytest.raises(ModelError, match="cannot be loaded"):
        open_onnx_scorer(adapter, find_weights(MINILM), cache=tmp_path, name="bad")


class Session:
    """Answers with one number, or fails."""

    def __init__(self, answer: float | None) -> None:
        self._answer = answer

    def run(self, outputs: list[str], inputs: dict[str, object]) -> list[object]:
        assert (outputs, set(inputs)) == ([LOGIT], {INPUT, QUERY})
        if self._answer is None:
            raise RuntimeError("no memory")
        return [np.array([[self._answer]], np.float32)]


@pytest.mark.parametrize("answer", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused(answer: float, pairs: list[Pair]) -> None:
    with pytest.raises(ModelOutputError, match="no finite number"):
        OnnxScorer(Session(answer), name="broken", workers=1).logits(pairs)


def test_a_failure_of_the_runtime_is_a_model_error(pairs: list[Pair]) -> None:
    with pytest.raises(ModelError, match="no memory"):
        OnnxScorer(Session(None), name="broken", workers=1).logits(pairs[:1])
