from pathlib import Path

import pytest

from headwater.domain.ports import Scorable
from headwater.models.training.ranking.keywords import Keywords
from headwater.models.training.ranking.negatives import Candidate, candidates, negatives
from headwater.models.training.ranking.sets import LabelledSet, read_sets
from tests.models.training.ranking.made import WordEmbedder, asked, labelled, write_parts


async def test_mining_finds_only_passages_that_training_may_use(tmp_path: Path) -> None:
    (found,) = read_sets(write_parts(tmp_path), "train", seed=1)

    mined = await candidates(found, WordEmbedder(), tmp_path)

    names = {one.id for row in mined for one in row}
    assert names <= set(found.passages)
    assert not any(name.startswith(("5", "6", "7")) for name in names)
    assert len(mined) == len(found.queries)


async def test_the_passages_of_the_question_come_first(tmp_path: Path) -> None:
    (found,) = read_sets(write_parts(tmp_path), "train", seed=1)

    mined = await candidates(found, WordEmbedder(), tmp_path)

    for query, row in zip(found.queries, mined, strict=True):
        assert {one.id for one in row[:2]} == {f"{query.id[1]}a", f"{query.id[1]}b"}


async def test_a_second_mining_embeds_nothing(tmp_path: Path) -> None:
    (found,) = read_sets(write_parts(tmp_path), "train", seed=1)
    first = await candidates(found, WordEmbedder(), tmp_path)
    again = WordEmbedder()

    second = await candidates(found, again, tmp_path)

    assert again.embedded == 0
    assert [[one.id for one in row] for row in second] == [[one.id for one in r] for r in first]


async def test_other_passages_are_mined_anew(tmp_path: Path) -> None:
    first = labelled({"a": "green tea", "b": "coal"}, asked("What is tea?", {"a": 4}))
    second = labelled({"a": "green tea", "b": "black tea"}, asked("What is tea?", {"a": 4}))

    await candidates(first, WordEmbedder(), tmp_path)
    (row,) = await candidates(second, WordEmbedder(), tmp_path)

    assert {one.id for one in row} == {"a", "b"}


async def test_a_query_is_asked_of_passages_in_its_language(tmp_path: Path) -> None:
    query = asked("tea", {"e": 4})
    passages = {"e": Scorable("tea", language="en"), "f": Scorable("tea", language="fr")}

    (row,) = await candidates(LabelledSet("s", passages, [query]), WordEmbedder(), tmp_path)

    assert [one.id for one in row] == ["e"]


def test_what_probably_answers_is_no_negative() -> None:
    passages = {
        "gold": Scorable("It weighs 340 kg."),
        "copy": Scorable("It weighs 340 kg."),
        "holds": Scorable("Elsewhere: 340 KG as well."),
        "near": Scorable("Nearly the question itself."),
        "hard": Scorable("It weighs less."),
    }
    cosines = {"gold": 0.6, "copy": 0.6, "holds": 0.5, "near": 0.7, "hard": 0.64}
    query = asked("What does it weigh?", {"gold": 4}, answers=["340 kg"])

    found = negatives(query, [Candidate(i, c) for i, c in cosines.items()], passages)

    assert found == ["hard"]


def test_what_a_person_judged_not_to_answer_is_a_negative_all_the_same() -> None:
    passages = {"gold": Scorable("340 kg"), "judged": Scorable("340 kg of coal")}
    query = asked("What?", {"gold": 4, "judged": 2}, answers=["340 kg"])

    found = negatives(query, [Candidate("judged", 0.99), Candidate("gold", 0.1)], passages)

    assert found == ["judged"]


@pytest.mark.parametrize("answer", ["yes", "tea"])
def test_short_answers_and_those_in_the_question_tell_nothing(answer: str) -> None:
    passages = {"gold": Scorable("x"), "other": Scorable(f"{answer} and more")}
    query = asked("Is this tea?", {"gold": 4}, answers=[answer])

    assert negatives(query, [Candidate("other", 0.1)], passages) == ["other"]


def test_keywords_prefer_rare_words_and_short_texts() -> None:
    texts = ["the pump seal", "the pump", "the pump and much more of other things", "the valve"]

    scores = Keywords(texts).scores("pump seal")

    assert scores[0] > scores[1] > scores[2] > scores[3] == 0.0


def test_one_word_is_scored_as_the_formula_says() -> None:
    scores = Keywords(["pump pump", "valve hose"]).scores("pump")

    # idf = ln(1 + (2 - 1 + .5) / (1 + .5)); both texts have the mean length
    assert scores[0] == pytest.approx(0.6931472 * 2 * 2.2 / (2 + 1.2))
