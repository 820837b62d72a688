from array import array
from collections.abc import Sequence

import pytest

from headwater.cli.doctor_cosines import NARROW, PROBES, cosine_check, unrelated_cosine
from headwater.domain.ports import Embedder, Vector
from headwater.models.embedder import BUILTIN, BUILTIN_MULTILINGUAL, open_embedder


class Cone:
    """Every question and its answer on an axis of their own, tilted towards a common one."""

    name = "cone"
    dimensions = len(PROBES) + 1

    def __init__(self, common: float) -> None:
        self.common = common

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        rest = (1 - self.common) ** 0.5
        places = range(len(texts))
        return [
            array("f", [self.common**0.5, *(rest * (i == place) for i in range(len(PROBES)))])
            for place in places
        ]

    embed_passages = embed_queries


@pytest.mark.parametrize("common", [0.0, 0.3, 0.8])
async def test_the_cosine_of_unrelated_pairs_is_found(common: float) -> None:
    assert await unrelated_cosine(Cone(common)) == pytest.approx(common, abs=1e-6)


async def test_an_embedder_with_a_narrow_cone_is_a_warning_that_says_what_to_do() -> None:
    found = await cosine_check("intfloat/e5-large", Cone(0.78))

    assert found is not None
    assert found.level == "warning"
    assert "cosine of 0.78 under the embedder 'intfloat/e5-large'" in found.text
    assert "`ranker_threshold`" in found.fix


async def test_an_embedder_like_the_built_in_ones_is_no_finding() -> None:
    assert await cosine_check("someone/model", Cone(NARROW - 0.01)) is None


async def test_the_built_in_ones_are_not_tried() -> None:
    assert await cosine_check(BUILTIN, Cone(0.9)) is None
    assert await cosine_check(BUILTIN_MULTILINGUAL, Cone(0.9)) is None


async def test_the_built_in_ones_tell_unrelated_texts_apart(embedder: Embedder) -> None:
    multilingual = open_embedder(BUILTIN_MULTILINGUAL, device="cpu")

    for one in (embedder, multilingual):
        assert await unrelated_cosine(one) < 0.25
