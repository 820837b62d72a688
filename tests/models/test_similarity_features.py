import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.ports import Scorable
from headwater.models.similarity_features import (
    EXIT_FEATURES,
    PAIR_FEATURES,
    Evidence,
    exit_features,
    pair_features,
    weights_of,
)

SEAL = Scorable("The seal fits the X-200. Order it early.", title="Pumps", heading="Seals")
OTHER = Scorable("Holiday rules for all staff.", title="People")


def named(query: str, passage: Scorable, similarity: float = 0.5) -> dict[str, float]:
    values = pair_features(query, passage, similarity, weights_of([SEAL, OTHER]))
    return dict(zip(PAIR_FEATURES, values, strict=True))


def test_coverage_counts_title_heading_and_text() -> None:
    assert named("pump seal order", SEAL)["coverage"] == pytest.approx(1.0)
    assert named("pump seal order", OTHER)["coverage"] == 0.0
    assert 0.0 < named("pump seal order", SEAL)["title_coverage"] < 1.0


def test_the_best_sentence_holds_less_than_the_text() -> None:
    found = named("seal X-200 order", SEAL)

    assert 0.0 < found["best_sentence"] < found["coverage"]


def test_a_rare_term_tells_more_than_a_common_one() -> None:
    weights = weights_of([Scorable("pump seal"), Scorable("pump"), Scorable("pump")])

    rare = pair_features("pump seal", Scorable("seal"), 0.0, weights)
    common = pair_features("pump seal", Scorable("pump"), 0.0, weights)

    place = PAIR_FEATURES.index("coverage")
    assert rare[place] > common[place]


@pytest.mark.parametrize("query", ["", "?!", "the of", "\ud800", "水泵的密封"])
def test_every_query_has_features(query: str) -> None:
    found = named(query, SEAL)

    assert all(0.0 <= found[name] <= 1.0 for name in ("coverage", "best_sentence", "cjk"))


def evidence(captions: list[str], grades: list[float]) -> Evidence:
    return Evidence([SEAL] * len(grades), captions, grades, [0.4] * len(grades), 0.3)


def test_captions_cover_together_what_none_covers_alone() -> None:
    values = exit_features("seal holiday", evidence(["the seal", "a holiday"], [3.0, 1.0]))
    found = dict(zip(EXIT_FEATURES, values, strict=True))

    assert found["joined_coverage"] == pytest.approx(1.0)
    assert found["best_caption_coverage"] < 1.0
    assert (found["best_grade"], found["second_grade"], found["lead"]) == (3.0, 1.0, 2.0)


def test_one_passage_without_a_caption_is_enough_to_judge() -> None:
    found = dict(zip(EXIT_FEATURES, exit_features("seal", evidence([], [2.0])), strict=True))

    assert (found["joined_coverage"], found["second_grade"]) == (0.0, 0.0)


@given(st.permutations([3.0, 2.0, 1.0, 0.5]))
def test_the_order_of_the_passages_does_not_matter(grades: list[float]) -> None:
    assert exit_features("seal", evidence(["seal"], grades)) == exit_features(
        "seal", evidence(["seal"], sorted(grades))
    )
