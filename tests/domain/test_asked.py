import pytest

from headwater.domain.asked import asked


@pytest.mark.parametrize(
    ("question", "fitting", "other"),
    [
        ("How much does it weigh?", "| mass | 46 kg |", "It has 12 screws."),
        ("How deep may it be?", "最大深度为 60 米。", "It takes 60 kg."),
        ("How often is it oiled?", "It is oiled daily.", "It is oiled by X-200."),
        ("How long does it last?", "It lasts half a year.", "It lasts."),
        ("When was it sold?", "It was sold on 3 May 2021.", "It was sold 40 seals."),
        ("In which year did it open?", "It opened in 1994.", "It opened 24 months later."),
        ("How many pumps are there?", "There are three of them.", "There is the X-200."),
        ("Combien de pompes ?", "Il y a douze ou 12 pompes.", "Il y a des pompes."),
        ("有多少台泵？", "共有三台泵。", "有泵。"),
    ],
)
def test_a_value_of_the_kind_asked_for_fits_and_another_does_not(
    question: str, fitting: str, other: str
) -> None:
    wanted = asked(question)

    assert wanted is not None
    assert wanted.value.search(fitting)
    assert not wanted.value.search(other)


@pytest.mark.parametrize(
    "question", ["Who built the pump?", "What happens when it runs dry?", "Which seal fits?", ""]
)
def test_a_question_that_asks_for_no_value_is_left_alone(question: str) -> None:
    assert asked(question) is None


def test_the_words_that_stand_for_the_value_are_told_with_its_names() -> None:
    heavy = asked("How heavy is the pump?")

    assert heavy is not None
    assert ("heavy" in heavy.stems, "weight" in heavy.names) == (True, True)
