from array import array
from collections.abc import Sequence

import pytest

from headwater.domain.ports import Scorable, Vector
from headwater.models.similarities import cosine, embedded_text, fill_similarities


class LetterEmbedder:
    """Points along one of two axes: the one for texts with an x, or the other."""

    name = "letters"
    dimensions = 2

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.passages: list[str] = []

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        self.queries += texts
        return [array("f", [1, 0]) if "x" in text else array("f", [0, 1]) for text in texts]

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.passages += texts
        return [array("f", [1, 0]) if "x" in text else array("f", [0, 1]) for text in texts]


async def test_embeds_each_text_once_and_keeps_the_order() -> None:
    embedder = LetterEmbedder()
    asked = [("x", [Scorable("x"), Scorable("y")]), ("y", [Scorable("y"), Scorable("x")])]

    assert await fill_similarities(embedder, asked) == [[1.0, 0.0], [1.0, 0.0]]
    assert (embedder.queries, embedder.passages) == (["x", "y"], ["x", "y"])


async def test_what_a_source_measured_is_not_measured_again() -> None:
    embedder = LetterEmbedder()

    found = await fill_similarities(embedder, [("x", [Scorable("y", similarity=0.25)])])

    assert found == [[0.25]]
    assert embedder.queries == []


async def test_empty_text_is_similar_to_nothing() -> None:
    asked = [("x", [Scorable(" ", title="x"), Scorable("x")])]

    assert await fill_similarities(LetterEmbedder(), asked) == [[0.0, 1.0]]


async def test_a_passage_is_embedded_below_its_title() -> None:
    embedder = LetterEmbedder()

    assert await fill_similarities(embedder, [("x", [Scorable("y", title="x")])]) == [[1.0]]
    assert embedder.passages == ["x\ny"]


def test_a_heading_that_repeats_the_title_counts_once() -> None:
    assert embedded_text(Scorable("t", title="A", heading="A")) == "A\nt"
    assert embedded_text(Scorable("t", title="", heading="B")) == "B\nt"


def test_rounding_never_leaves_the_scale() -> None:
    assert cosine(array("f", [1.001, 0]), array("f", [1, 0])) == 1.0
    assert cosine(array("f", [-1.001, 0]), array("f", [1, 0])) == -1.0
    assert cosine(array("f", [0.6, 0.8]), array("f", [0.8, 0.6])) == pytest.approx(0.96)
