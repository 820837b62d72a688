import pytest

from headwater.domain.conversation import is_elliptic, leans, standalone, with_subject
from headwater.domain.request import Turn


def asked(*questions: str) -> list[Turn]:
    turns = []
    for question in questions:
        turns += [Turn(role="user", content=question), Turn(role="assistant", content="Yes.")]
    return turns


@pytest.mark.parametrize(
    "question",
    [
        "And for the X-300?",
        "What about unbinding?",
        "How often must it be replaced?",
        "Is there a limit for these?",
        "Why is that?",
        "Et pour la X-300 ?",
        "Comment le calculer ?",
        "Est-elle obligatoire ?",
        "那X-300呢？",
        "它的密封圈是什么？",
    ],
)
def test_a_question_that_points_back_leans(question: str) -> None:
    assert leans(question)


@pytest.mark.parametrize(
    "question",
    [
        "Does a pump need oil when it is new?",
        "Which seal does the X-200 need?",
        "Faut-il un permis de construire ?",
        "Y a-t-il une aide pour les étudiants ?",
        "员工应该休息多久？",
        "其他水泵的价格是多少？",
    ],
)
def test_a_question_that_stands_alone_does_not_lean(question: str) -> None:
    assert not leans(question)


def test_a_follow_up_of_two_words_is_elliptic_but_one_with_a_name_is_not() -> None:
    assert is_elliptic("emergency kit.")
    assert not is_elliptic("Where is Oslo Harbour?")


def test_the_earlier_question_is_asked_about_the_new_name() -> None:
    history = asked("What is the service interval of the X-200?")

    assert standalone("And for the X-300?", history) == "What is the service interval of the X-300?"


def test_another_kind_of_name_does_not_replace_the_old_one() -> None:
    carried = standalone("And in Oslo?", asked("Who repairs the X-200?"))

    assert "X-200" in carried
    assert "Oslo" in carried


def test_it_gives_way_to_the_one_model_number() -> None:
    history = asked("Where is the X-200 made?")

    assert standalone("How often is it serviced?", history) == "How often is X-200 serviced?"
    assert standalone("What is its weight?", history) == "What is X-200's weight?"


def test_a_person_is_named_behind_the_question() -> None:
    carried = standalone("Was he an engineer?", asked("Who was Ole Lund?"))

    assert carried == "Was he an engineer? (Ole Lund)"


def test_the_subject_comes_from_the_last_turn_that_has_one() -> None:
    history = asked("How do I descale the boiler?", "And why is that?")

    assert "boiler" in standalone("How long does it take?", history)


def test_an_assistant_turn_gives_no_subject() -> None:
    history = [Turn(role="assistant", content="The Brio needs oil.")]

    assert standalone("Why is that?", history) == "Why is that?"


def test_a_question_that_stands_alone_is_left_as_it_is() -> None:
    question = "Which documents are needed to register a new company in Oslo?"

    assert standalone(question, asked("Where is the X-200 made?")) == question


def test_a_subject_already_named_is_not_repeated() -> None:
    assert with_subject("Is the Boiler new?", "boiler") == "Is the Boiler new?"
