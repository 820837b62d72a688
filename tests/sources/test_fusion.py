import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.sources.fusion import FOREIGN_FACTOR, Fused, fuse, fuse_hybrid

RANKINGS = st.lists(
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), min_size=1, max_size=3
)
K = st.floats(0.5, 100.0)


def reference(rankings: list[list[str]], weights: list[float], k: float) -> dict[str, float]:
    """The sum over rankings, written as in the paper: over all documents, then all rankings."""
    documents = {d for ranking in rankings for d in ranking}
    return {
        d: sum(w / (k + r.index(d) + 1) for r, w in zip(rankings, weights, strict=True) if d in r)
        for d in documents
    }


@given(RANKINGS, K, st.data())
def test_scores_are_those_of_the_formula(
    rankings: list[list[str]], k: float, data: st.DataObject
) -> None:
    weights = [data.draw(st.floats(0.01, 2.0)) for _ in rankings]
    found = {f.id: f.score for f in fuse(rankings, weights, k)}
    assert found == pytest.approx(reference(rankings, weights, k))


@given(RANKINGS, K)
def test_order_is_by_score_then_id(rankings: list[list[str]], k: float) -> None:
    found = fuse(rankings, [1.0] * len(rankings), k)
    assert found == sorted(found, key=lambda f: (-f.score, f.id))


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), K)
def test_one_ranking_alone_keeps_its_order(ranking: list[str], k: float) -> None:
    assert [f.id for f in fuse([ranking], [1.0], k)] == ranking


def test_a_held_place_counts_for_those_behind_it() -> None:
    assert fuse([[None, "a"]], [1.0], 1.0) == [Fused("a", 1.0 / 3.0)]


def test_what_both_find_comes_before_what_one_finds_at_the_same_rank() -> None:
    found = fuse_hybrid(["a", "both"], ["b", "both"], query_language=None, languages={})
    assert found[0].id in ("b", "both")
    assert {f.id for f in found} == {"a", "b", "both"}
    assert next(f.score for f in found if f.id == "both") > next(
        f.score for f in found if f.id == "a"
    )


def test_a_passage_in_another_language_gains_less_from_its_words() -> None:
    languages = {"x": "fr"}
    same = fuse_hybrid(["x"], [], query_language="fr", languages=languages)
    unknown = fuse_hybrid(["x"], [], query_language=None, languages=languages)
    foreign = fuse_hybrid(["x"], [], query_language="en", languages=languages)
    assert same == unknown
    assert sum(f.score for f in foreign) == pytest.approx(FOREIGN_FACTOR * same[0].score)


def test_language_leaves_the_vector_side_alone() -> None:
    foreign = fuse_hybrid([], ["x"], query_language="en", languages={"x": "fr"})
    assert foreign == fuse_hybrid([], ["x"], query_language="fr", languages={"x": "fr"})
