import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from headwater.domain.errors import ConfigurationError, ModelError, ModelOutputError
from headwater.domain.ports import Embedder, Vector
from headwater.models.embedder import open_embedder
from headwater.models.embedder_onnx import OnnxEncoder
from headwater.models.onnx_session import cores
from headwater.models.tokenizer import open_tokenizer
from headwater.models.weights import MINILM, find_weights

FOLDER = find_weights(MINILM).parent
TEXTS = ["The seal of the pump leaks.", "Holiday entitlement is 28 days.", "x", "A leaking gasket."]


def cosine(left: Vector, right: Vector) -> float:
    return float(np.dot(np.frombuffer(left, "f4"), np.frombuffer(right, "f4")))


async def test_gives_a_unit_vector_for_each_text_in_order(embedder: Embedder) -> None:
    vectors = await embedder.embed_passages(TEXTS)

    assert [len(vector) for vector in vectors] == [embedder.dimensions] * 4
    assert [cosine(vector, vector) for vector in vectors] == pytest.approx([1.0] * 4, abs=1e-5)
    assert cosine(vectors[0], vectors[3]) > cosine(vectors[0], vectors[1]) + 0.2


async def test_a_vector_does_not_depend_on_the_texts_beside_it(embedder: Embedder) -> None:
    together = await embedder.embed_passages([*TEXTS, "long " * 400])
    alone = [(await embedder.embed_passages([text]))[0] for text in TEXTS]

    assert together[:4] == alone


async def test_no_text_needs_no_model(embedder: Embedder) -> None:
    assert await embedder.embed_queries([]) == []


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "🙂", "中文", "a" * 100_000])
async def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    (vector,) = await embedder.embed_queries([text])

    assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-5)


async def test_text_after_256_tokens_is_not_read(embedder: Embedder) -> None:
    long = "pump " * 254

    first, second = await embedder.embed_passages([long, f"{long} and much more"])

    assert first == second


async def test_eight_bits_stay_near_the_full_model(embedder: Embedder) -> None:
    full = open_embedder(str(FOLDER), device="cpu")

    rounded, exact = await embedder.embed_passages(TEXTS), await full.embed_passages(TEXTS)

    assert min(map(cosine, rounded, exact)) > 0.97
    assert full.name != embedder.name


async def test_a_folder_gives_what_sentence_transformers_gives() -> None:
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(FOLDER), device="cpu").encode(
        TEXTS, normalize_embeddings=True, show_progress_bar=False
    )

    found = await open_embedder(str(FOLDER), device="cpu").embed_passages(TEXTS)

    assert np.array(found) == pytest.approx(reference, abs=1e-5)


def _open(cache: str) -> str:
    return open_embedder(cache=Path(cache), device="cpu").name


def test_two_processes_may_open_the_first_time_at_once(tmp_path: Path) -> None:
    with get_context("spawn").Pool(2) as pool:
        names = pool.map(_open, [str(tmp_path)] * 2)

    assert names == ["all-MiniLM-L6-v2-int8"] * 2
    assert sorted(f.suffix for f in tmp_path.iterdir()) == [".json", ".onnx"]


def test_a_damaged_graph_says_what_to_delete(tmp_path: Path) -> None:
    open_embedder(cache=tmp_path, device="cpu")
    (graph,) = tmp_path.glob("*.onnx")
    graph.write_bytes(graph.read_bytes()[:1000])

    with pytest.raises(ModelError, match="Delete this file"):
        open_embedder(cache=tmp_path, device="cpu")


@pytest.mark.parametrize(
    ("name", "device", "problem"),
    [
        ("builtin", "tpu", "'tpu' is not known"),
        ("builtin", "cuda", "'cuda' is not there"),
        ("./nowhere", "cpu", "does not exist"),
        ("nowhere", "cpu", "does not exist"),
    ],
)
def test_what_cannot_be_opened_says_why(name: str, device: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        open_embedder(name, device=device)


class _Broken:
    def __init__(self, value: float | Exception) -> None:
        self.value = value

    def run(self, outputs: list[str], inputs: dict[str, object]) -> list[object]:  # noqa: ARG002
        if isinstance(self.value, Exception):
            raise self.value
        return [np.full((1, 384), self.value, np.float32)]


@pytest.mark.parametrize(
    ("value", "error"),
    [(float("nan"), ModelOutputError), (float("inf"), ModelOutputError), (OSError(), ModelError)],
)
def test_a_result_that_is_no_vector_is_an_error(
    value: float | Exception, error: type[ModelError]
) -> None:
    encoder = OnnxEncoder(_Broken(value), open_tokenizer(FOLDER, 8), name="broken", workers=1)

    with pytest.raises(error, match="broken"):
        encoder.encode(["a"])
    with pytest.raises(error, match="broken"):
        encoder.encode(["a", "b"])


def test_importing_loads_no_runtime_and_opening_no_torch(tmp_path: Path) -> None:
    heavy = "[m for m in ('torch', 'transformers', 'onnxruntime') if m in sys.modules]"
    code = (
        f"import sys, headwater.models.embedder as e; print({heavy})\n"
        f"e.open_embedder(cache=__import__('pathlib').Path({str(tmp_path)!r}), device='cpu')\n"
        f"print({heavy})"
    )

    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.split("\n")[:2] == ["[]", "['onnxruntime']"]


def test_counts_at_least_one_core() -> None:
    assert cores() >= 1
