from array import array
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.ports import Vector
from headwater.evaluation.data.vectors import RememberingEmbedder
from headwater.evaluation.errors import DataError


@dataclass
class CountingEmbedder:
    """Embeds a text as its length, and keeps what it was asked."""

    name: str = "counting"
    dimensions: int = 2
    asked: list[str] = field(default_factory=list)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        return [array("f", [len(text), -1.0]) for text in texts]

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        return [array("f", [len(text), 0.1]) for text in texts]


async def test_a_passage_is_embedded_once_also_after_reopening(tmp_path: Path) -> None:
    file = tmp_path / "new" / "vectors.sqlite"
    inner = CountingEmbedder()
    embedder = RememberingEmbedder(inner, file)
    first = await embedder.embed_passages(["one", "three", "one"])
    embedder.close()

    again = RememberingEmbedder(inner, file)
    second = await again.embed_passages(["three", "eleven", "one"])
    again.close()

    assert inner.asked == ["one", "three", "eleven"]
    assert second == [first[1], array("f", [6, 0.1]), first[0]]


async def test_questions_are_embedded_each_time(tmp_path: Path) -> None:
    inner = CountingEmbedder()
    embedder = RememberingEmbedder(inner, tmp_path / "vectors.sqlite")

    found = [await embedder.embed_queries(["why"]) for _ in range(2)]
    embedder.close()

    assert inner.asked == ["why", "why"]
    assert found[0] == [array("f", [3, -1])]


async def test_vectors_of_another_embedder_are_not_taken(tmp_path: Path) -> None:
    for name in ("one", "other"):
        inner = CountingEmbedder(name)
        embedder = RememberingEmbedder(inner, tmp_path / "vectors.sqlite")
        await embedder.embed_passages(["text"])
        assert (embedder.name, embedder.dimensions) == (name, 2)
        embedder.close()

        assert inner.asked == ["text"]


async def test_more_passages_than_one_query_takes_are_all_remembered(tmp_path: Path) -> None:
    inner = CountingEmbedder()
    embedder = RememberingEmbedder(inner, tmp_path / "vectors.sqlite")
    texts = ["x" * number for number in range(1_300)]

    first = await embedder.embed_passages(texts)
    second = await embedder.embed_passages(texts)
    embedder.close()

    assert len(inner.asked) == len(texts)
    assert first == second


def test_a_file_that_is_no_store_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    path.write_text("certainly no database, but long enough to look like one " * 20)

    with pytest.raises(DataError, match=r"cannot be used .*delete the file"):
        RememberingEmbedder(CountingEmbedder(), path)


async def test_a_full_disk_says_to_make_room(
    tmp_path: Path, full_disk: Callable[[int], AbstractContextManager[None]]
) -> None:
    embedder = RememberingEmbedder(CountingEmbedder(), tmp_path / "vectors.sqlite")
    texts = ["x" * number for number in range(2_000)]

    with full_disk(20_000), pytest.raises(DataError, match=r"cannot be used .*Make room"):
        await embedder.embed_passages(texts)

    assert len(await embedder.embed_passages(texts)) == 2_000
    embedder.close()


async def test_a_store_that_was_closed_meanwhile_is_named(tmp_path: Path) -> None:
    embedder = RememberingEmbedder(CountingEmbedder(), tmp_path / "vectors.sqlite")
    embedder.close()

    with pytest.raises(DataError, match=r"vectors\.sqlite: .*closed"):
        await embedder.embed_passages(["text"])


@given(st.lists(st.text(max_size=5), max_size=8))
async def test_it_gives_what_the_embedder_itself_gives(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    embedder = RememberingEmbedder(CountingEmbedder(), tmp_path_factory.mktemp("v") / "v.sqlite")

    found = await embedder.embed_passages(texts)
    embedder.close()

    assert found == await CountingEmbedder().embed_passages(texts)
