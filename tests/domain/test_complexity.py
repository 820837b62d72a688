import pytest

from headwater.domain.complexity import is_complex, needs_planning
from headwater.domain.request import Turn

EARLIER = [Turn(role="user", content="Where is the X-200 made?")]


@pytest.mark.parametrize(
    "question",
    [
        "Where was the director of the film Night Train born?",
        "Who is the founder of the company that makes the X-200?",
        "Which is heavier, the X-200 or the X-300?",
        "What do the seal and the filter have in common?",
        "How many more pumps were sold in 2020 than in 2019?",
        "Where does the supplier whose seal failed have its seat?",
        "What is the price of the filter? How long does the battery last?",
        "Quel est le nom du fabricant de la pompe qui fuit ?",
        "Quelle est la différence entre un CDD et un CDI ?",
        "X-200的制造商的总部在哪里？",
        "X-200和X-300分别重多少？",
    ],
)
def test_signs_of_several_passages_make_a_question_complex(question: str) -> None:
    assert is_complex(question)
    assert needs_planning(question, [])


@pytest.mark.parametrize(
    "question",
    [
        "Which seal does the X-200 need?",
        "How many days of leave does a new employee have?",
        "Quel est le délai de préavis ?",
        "水泵的密封圈多久更换一次？",
        "",
        "?!",
    ],
)
def test_a_plain_question_needs_no_plan(question: str) -> None:
    assert not is_complex(question)
    assert not needs_planning(question, [])


@pytest.mark.parametrize("question", ["And for the X-300?", "How heavy is it?", "emergency kit"])
def test_a_follow_up_needs_a_plan_only_where_there_is_something_before(question: str) -> None:
    assert needs_planning(question, EARLIER)
    assert not needs_planning(question, [])
    assert not needs_planning(question, [Turn(role="assistant", content="Hello.")])


def test_a_very_long_question_needs_a_plan() -> None:
    assert needs_planning("pump " * 100, [])
