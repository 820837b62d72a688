import random
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.ports import Scorable
from headwater.domain.request import Turn
from headwater.models.training.ranking.lists import (
    AnswerLists,
    TopicLists,
    draws,
    form,
    weights_of,
    without,
)
from tests.models.training.ranking.made import asked, labelled

TEXTS = {"gold": "gold"} | {f"n{i}": f"n{i}" for i in range(60)}
HARD = [f"n{i}" for i in range(60)]


def test_an_answer_list_is_one_answer_and_seven_hard_negatives() -> None:
    recipe = AnswerLists(labelled(TEXTS, asked("What?", {"gold": 3})), [HARD])

    found = recipe.make(0, random.Random(1))

    assert [item.grade for item in found.items] == [3] + [1] * 7
    assert found.items[0].passage.text == "gold"
    ranks = [int(item.passage.text[1:]) for item in found.items[1:]]
    assert sum(rank < 12 for rank in ranks) == 3
    assert all(rank < 40 for rank in ranks)
    assert len(set(ranks)) == 7


def test_labels_decide_the_grade_of_a_negative() -> None:
    grades = {"gold": 4, **dict.fromkeys(HARD[:12], 0), **dict.fromkeys(HARD[12:], 2)}
    recipe = AnswerLists(labelled(TEXTS, asked("What?", grades)), [HARD])

    found = recipe.make(0, random.Random(1))

    assert Counter(item.grade for item in found.items) == {4: 1, 0: 3, 2: 4}


def test_a_set_that_is_not_mined_gives_its_labelled_passages() -> None:
    grades = {"gold": 4, "n1": 1, "n2": 0}
    recipe = AnswerLists(labelled(TEXTS, asked("What?", grades)), [[]])

    found = recipe.make(0, random.Random(1))

    assert {item.passage.text for item in found.items} == {"gold", "n1", "n2"}


def test_queries_without_an_answer_start_no_answer_list() -> None:
    data = labelled(TEXTS, asked("No?", {"n1": 2}), asked("Yes?", {"gold": 4}))

    recipe = AnswerLists(data, [HARD, HARD])

    assert recipe.size == 1
    assert recipe.make(0, random.Random(3)).items[0].query.lower().startswith("yes")


def test_some_lists_hold_the_answer_without_its_sentence_as_on_topic() -> None:
    text = "A pump moves water. It weighs 3 kg. Nobody knows more about any pump than this."
    start = text.index("3 kg")
    query = asked("What is the weight?", {"gold": 4}, spans={"gold": [(start, start + 4)]})
    recipe = AnswerLists(labelled({**TEXTS, "gold": text}, query), [HARD])

    found = [recipe.make(0, random.Random(seed)).items for seed in range(40)]

    cut = [item for items in found for item in items if item.grade == 2]
    assert 2 <= len(cut) <= 20
    assert {item.passage.text for item in cut} == {
        "A pump moves water. Nobody knows more about any pump than this."
    }
    assert all(len(items) == 8 for items in found)


def test_nothing_is_cut_where_the_answer_is_most_of_the_passage() -> None:
    assert without(Scorable("It weighs 3 kg. Yes."), [(10, 14)]) is None


def test_a_topic_list_is_one_passage_with_queries_it_answers_and_others() -> None:
    answered = [asked(f"answered {i}", {"gold": 4}) for i in range(5)]
    missed = [asked(f"missed {i}", {"gold": 2}) for i in range(4)]
    apart = [asked(f"apart {i}", {"n1": 4}) for i in range(6)]
    recipe = TopicLists(labelled(TEXTS, *answered, *missed, *apart))

    found = recipe.make(0, random.Random(2))

    assert recipe.size == 1
    assert {item.passage.text for item in found.items} == {"gold"}
    words = [item.query.partition(" ")[0] for item in found.items]
    assert words == ["answered"] * 3 + ["missed"] * 3 + ["apart"] * 2
    assert [item.grade for item in found.items] == [4] * 3 + [2] * 3 + [0] * 2


def test_passages_without_both_kinds_of_query_start_no_topic_list() -> None:
    data = labelled(TEXTS, asked("a", {"gold": 4}), asked("b", {"n1": 2}))

    assert TopicLists(data).size == 0


def test_every_list_comes_once_before_any_comes_again() -> None:
    recipes = [AnswerLists(labelled(TEXTS, *_queries(n)), [HARD] * n) for n in (3, 5)]

    drawn = list(islice(draws(recipes, [1.0, 1.0], seed=4), 200))

    for number, size in enumerate((3, 5)):
        places = [place for recipe, place in drawn if recipe == number]
        for start in range(0, len(places) - size, size):
            assert sorted(places[start : start + size]) == list(range(size))
    assert drawn == list(islice(draws(recipes, [1.0, 1.0], seed=4), 200))
    assert drawn != list(islice(draws(recipes, [1.0, 1.0], seed=5), 200))


def test_recipes_are_drawn_by_their_weights() -> None:
    recipes = [AnswerLists(labelled(TEXTS, *_queries(2)), [HARD] * 2) for _ in range(2)]

    drawn = Counter(recipe for recipe, _ in islice(draws(recipes, [3.0, 1.0], seed=4), 4_000))

    assert drawn[0] / 4_000 == pytest.approx(0.75, abs=0.03)


def test_topics_get_their_share_and_large_sets_less_than_theirs() -> None:
    small = AnswerLists(labelled(TEXTS, *_queries(4)), [HARD] * 4)
    large = AnswerLists(labelled(TEXTS, *_queries(16)), [HARD] * 16)
    topics = TopicLists(labelled(TEXTS, asked("a", {"gold": 4}), asked("b", {"gold": 2})))

    weights = weights_of([small, large, topics], 0.25)

    assert weights[:2] == [2.0, 4.0]
    assert weights[2] / sum(weights) == pytest.approx(0.25)


def test_a_follow_up_comes_raw_and_standing_alone() -> None:
    said = [Turn(role="user", content="How heavy is the X-200 pump?")]
    query = asked("And how loud is it?", {"gold": 4}, history=said)

    found = {form(query, random.Random(seed)) for seed in range(60)}

    assert "And how loud is it?" in found
    assert any("X-200" in text for text in found)


@given(st.text(min_size=1).filter(str.strip), st.integers(0, 50))
def test_no_form_of_a_question_with_words_is_empty(question: str, seed: int) -> None:
    query = asked(question + " pump", {"gold": 4})

    assert form(query, random.Random(seed)).strip()


def _queries(n: int) -> list:  # type: ignore[type-arg]
    return [asked(f"query {i}", {"gold": 4}) for i in range(n)]
