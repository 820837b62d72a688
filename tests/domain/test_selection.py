import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.ports import SourceProfile, Vector
from headwater.domain.selection import (
    DEFAULT_BELIEF,
    Candidate,
    Query,
    Signs,
    Weights,
    by_promise,
    cori,
    within,
)


def profile(passages: int = 100, sample: list[Vector] | None = None, **df: int) -> SourceProfile:
    return SourceProfile(passages, 20.0, df, sample or [])


def vector(angle: float) -> Vector:
    return array("f", [math.cos(angle), math.sin(angle)])


def test_cori_agrees_with_the_published_formula() -> None:
    small, large = profile(100, seal=30), profile(300, seal=30, valve=10)

    belief, _ = cori(["seal", "valve"], [small, large])

    t = 30 / (30 + 50 + 150 * (2_000 / 4_000))
    seal = 0.4 + 0.6 * t * math.log(2.5 / 2) / math.log(3)
    assert belief == pytest.approx((seal + 0.4) / 2)


def test_a_term_of_few_sources_and_many_passages_counts_most() -> None:
    beliefs = cori(["seal"], [profile(seal=40), profile(seal=4), profile()])

    assert beliefs == sorted(beliefs, key=lambda b: -(b or 0))
    assert beliefs[2] == DEFAULT_BELIEF


def test_cori_knows_nothing_without_statistics_or_known_terms() -> None:
    assert cori(["seal"], [None, profile(seal=1)])[0] is None
    assert cori(["unheard"], [profile(), profile()]) == [None, None]
    assert cori([], []) == []


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), min_size=1, max_size=6),
)
def test_a_belief_stays_within_its_bounds(rows: list[tuple[int, int]]) -> None:
    profiles = [profile(max(df, n), None, **({"seal": df} if df else {})) for df, n in rows]

    for belief in cori(["seal"], profiles):
        assert belief is None or DEFAULT_BELIEF <= belief <= 1


def test_a_source_with_fitting_passages_goes_first() -> None:
    near = Candidate("near", profile=profile(sample=[vector(0.1)] * 3 + [vector(3)] * 9))
    far = Candidate("far", profile=profile(sample=[vector(1.5)] * 12))

    assert by_promise(Query.of("?", vector(0)), [far, near]) == ["near", "far"]


def test_a_source_without_statistics_competes_by_name_and_description() -> None:
    candidates = [Candidate("tickets"), Candidate("repair_manuals", "How to mend valves")]

    assert by_promise(Query.of("manual for a valve"), candidates)[0] == "repair_manuals"


def test_a_described_topic_is_recognised_by_its_vector() -> None:
    candidates = [Candidate("a", described=vector(2)), Candidate("b", described=vector(0.2))]

    assert by_promise(Query.of("?", vector(0)), candidates) == ["b", "a"]


def test_sources_that_nothing_tells_apart_keep_their_order() -> None:
    names = ["zeta", "alpha", "mid"]

    assert by_promise(Query.of("valves"), [Candidate(name) for name in names]) == names


def test_a_vector_that_is_not_a_number_tells_nothing() -> None:
    candidates = [Candidate("a", described=array("f", [math.nan, 0])), Candidate("b", "valves")]

    assert by_promise(Query.of("valves", vector(0)), candidates)[0] == "b"


def test_a_sign_that_weighs_nothing_changes_nothing() -> None:
    signs = Signs(cori=[1, -1], sample=[0, 0], words=[-3, 3], description=[0, 0])

    assert signs.order(Weights(cori=1, words=0)) == [0, 1]
    assert signs.order(Weights(cori=1, words=1)) == [1, 0]


def test_the_limit_holds_and_required_sources_count_towards_it() -> None:
    ranked = ["a", "b", "c", "d"]

    assert within(ranked, most=2, always=[]) == ["a", "b"]
    assert within(ranked, most=2, always=["d"]) == ["a", "d"]
    assert within(ranked, most=1, always=["c", "d"]) == ["c", "d"]


NAMES = st.lists(st.sampled_from("abcdef"), unique=True)


@given(NAMES, st.integers(1, 6), NAMES)
def test_within_keeps_order_bound_and_required_sources(
    ranked: list[str], most: int, always: list[str]
) -> None:
    always = [name for name in always if name in ranked]
    chosen = within(ranked, most=most, always=always)

    assert [name for name in ranked if name in chosen] == chosen
    assert set(always) <= set(chosen)
    assert len(chosen) == min(len(ranked), max(most, len(always)))
