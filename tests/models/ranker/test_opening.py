import json
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.domain.ports import Embedder, RankTask, Scorable
from headwater.models.ranker.adapter import adapter_digest, read_adapter
from headwater.models.ranker.opening import (
    BUILTIN,
    BUILTIN_ENGLISH,
    SIMILARITY,
    open_adapter_ranker,
    open_ranker,
    open_scorer,
    open_shipped_ranker,
)
from headwater.models.ranker.ranker import CrossEncoderRanker
from headwater.models.ranker.shipped import ShippedAdapter, own_folder
from headwater.models.ranker.torch_scorer import open_torch_scorer
from headwater.models.rerankers.ranker import PairRanker
from headwater.models.similarity_ranker import SimilarityRanker
from headwater.models.weights import MINILM, find_weights
from tests.models.ranker.made_adapter import write_adapter
from tests.models.ranker.test_ranker import combination_of
from tests.models.rerankers.tiny import bert
from tests.sources.stand_ins import HashingEmbedder

QUESTION = "Which seal fits the X-200 pump?"
PASSAGES = [
    Scorable("The X-200 pump takes seal S-7.", "X-200"),
    Scorable("Employees get 28 days of holiday a year.", "Holiday"),
    Scorable(""),
]
SCORES = combination_of(logit=0.05, similarity=0.3, lexical=0.2).as_data()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def folder(cache: Path) -> Path:
    return write_adapter(cache / "mine", scores=SCORES)


async def test_a_folder_with_an_adapter_serves(
    folder: Path, embedder: Embedder, cache: Path
) -> None:
    ranker = open_ranker(str(folder), embedder, device="cpu", cache=cache)

    [scores] = await ranker.score([RankTask(QUESTION, PASSAGES)])

    assert isinstance(ranker, CrossEncoderRanker)
    assert (ranker.name, ranker.device, ranker.threshold) == ("mine", "cpu", 0.7)
    assert 4.0 >= scores[0] > scores[1] > scores[2] == 0.0


@pytest.mark.parametrize("name", [BUILTIN, SIMILARITY])
def test_what_is_built_in_serves_at_once(name: str) -> None:
    assert isinstance(open_ranker(name, HashingEmbedder()), SimilarityRanker)


async def test_the_english_ranker_tells_what_answers_from_what_is_on_topic(
    embedder: Embedder,
) -> None:
    ranker = open_ranker(BUILTIN_ENGLISH, embedder, device="cpu")
    answers = Scorable("Seal S-7 fits the X-200 pump and is changed every 24 months.", "Seals")
    on_topic = Scorable("The X-200 pump has a seal. Never run the X-200 pump dry.", "X-200 pump")

    [scores] = await ranker.score([RankTask(QUESTION, [answers, on_topic, *PASSAGES[1:]])])

    assert ranker.name == "headwater-ranker-en"
    assert 4.0 >= scores[0] > scores[1] > scores[2] > scores[3] == 0.0
    assert scores[0] > ranker.threshold > scores[2]


def test_a_ranker_is_refused_beside_an_embedder_that_it_was_not_calibrated_for() -> None:
    with pytest.raises(ConfigurationError, match="calibrated for the embedder 'all-MiniLM"):
        open_ranker(BUILTIN_ENGLISH, HashingEmbedder(), device="cpu")


def test_a_folder_with_another_reranker_serves(tmp_path: Path) -> None:
    folder = bert(tmp_path / "other")

    ranker = open_ranker(str(folder), HashingEmbedder(), device="cpu")

    assert isinstance(ranker, PairRanker)


@pytest.mark.parametrize("name", ["simlarity", "./nowhere", "/nowhere/none"])
def test_a_ranker_that_is_nowhere_is_named_with_what_there_is(name: str) -> None:
    with pytest.raises(ConfigurationError, match="'builtin', 'builtin-english'") as caught:
        open_ranker(name, HashingEmbedder(), device="cpu")

    assert repr(name) in str(caught.value)


def test_a_folder_that_is_no_reranker_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"has no config\.json"):
        open_ranker(str(tmp_path), HashingEmbedder(), device="cpu")


def test_the_shipped_adapter_must_be_the_published_one(folder: Path, cache: Path) -> None:
    right = ShippedAdapter(folder=folder, sha256=adapter_digest(folder))
    ranker = open_shipped_ranker(right, HashingEmbedder(), device="cpu", cache=cache)
    assert ranker.name == "headwater-ranker-en"

    with pytest.raises(ConfigurationError, match="is not the one that was published"):
        open_shipped_ranker(replace(right, sha256="0"), HashingEmbedder(), cache=cache)


def test_the_adapters_of_this_package_lie_with_its_models() -> None:
    folder = own_folder("ranker-english")

    assert folder.parts[-3:] == ("models", "adapters", "ranker-english")
    assert (folder.parents[1] / "fitted").is_dir()


def test_an_adapter_for_other_weights_is_refused(tmp_path: Path, cache: Path) -> None:
    other = write_adapter(tmp_path / "other", base_sha256="f" * 64, scores=SCORES)

    with pytest.raises(ConfigurationError, match="is for other weights"):
        open_adapter_ranker(other, HashingEmbedder(), cache=cache)


def test_an_adapter_without_scores_is_not_served_but_has_logits(
    tmp_path: Path, cache: Path
) -> None:
    bare = write_adapter(tmp_path / "bare")

    with pytest.raises(ConfigurationError, match="is not calibrated"):
        open_adapter_ranker(bare, HashingEmbedder(), cache=cache)
    reader, scorer = open_scorer(read_adapter(bare), name="mine", device="cpu", cache=cache)
    [[pair], [other], []] = reader.pairs(QUESTION, PASSAGES)
    assert len(set(scorer.logits([pair, other]))) == 2


def test_damaged_scores_are_named(tmp_path: Path, cache: Path) -> None:
    folder = write_adapter(tmp_path / "damaged", scores=SCORES | {"threshold": 9.0})
    with pytest.raises(ConfigurationError, match="threshold"):
        open_adapter_ranker(folder, HashingEmbedder(), cache=cache)

    (folder / "scores.json").write_text(json.dumps([1]))
    with pytest.raises(ConfigurationError, match=r"scores\.json holds no object"):
        open_adapter_ranker(folder, HashingEmbedder(), cache=cache)


def test_an_unknown_device_is_refused(folder: Path, cache: Path) -> None:
    with pytest.raises(ConfigurationError, match="'quantum'"):
        open_ranker(str(folder), HashingEmbedder(), device="quantum", cache=cache)


def test_torch_gives_nearly_the_scores_of_the_processor(folder: Path, cache: Path) -> None:
    adapter = read_adapter(folder)
    reader, onnx = open_scorer(adapter, name="mine", device="cpu", cache=cache)
    whole = open_torch_scorer(adapter, find_weights(MINILM), device="cpu", name="mine")
    [[first], [second], []] = reader.pairs(QUESTION, PASSAGES)

    found, expected = onnx.logits([first, second]), whole.logits([first, second])

    apart = abs(expected[0] - expected[1])
    assert found == pytest.approx(expected, abs=0.2 * apart)
