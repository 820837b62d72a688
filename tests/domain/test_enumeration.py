import pytest

from headwater.domain.enumeration import each_item


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "What is the weight of Alto, Brio, and Corso in kilograms?",
            [
                "What is the weight of Alto in kilograms?",
                "What is the weight of Brio in kilograms?",
                "What is the weight of Corso in kilograms?",
            ],
        ),
        (
            "Which forms are needed for seals, filters and valves under warranty?",
            [
                "Which forms are needed for seals under warranty?",
                "Which forms are needed for filters under warranty?",
                "Which forms are needed for valves under warranty?",
            ],
        ),
        (
            "What torque do the X-200 and X-300 need?",
            ["What torque do the X-200 need?", "What torque do the X-300 need?"],
        ),
        (
            "Quelles aides pour les étudiants, les apprentis et les retraités ?",
            [
                "Quelles aides pour les étudiants?",
                "Quelles aides pour les apprentis?",
                "Quelles aides pour les retraités?",
            ],
        ),
        (
            "苹果、梨和桃的价格是多少？",
            ["苹果的价格是多少？", "梨的价格是多少？", "桃的价格是多少？"],
        ),
    ],
)
def test_the_question_is_asked_of_each_item(question: str, expected: list[str]) -> None:
    assert each_item(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How did sales change between FY2021 and FY2022?",
        "When did the pact between Alto, Brio and Corso end?",
        "Which rules apply to food and drink?",
        "Should I install stable, testing or the newest version when in doubt?",
        "What of Alto, Brio, and others?",
        "苹果、梨和桃之间的关系是什么？",
        "我想知道夏天苹果、梨和桃的价格是多少？",
    ],
)
def test_what_belongs_together_is_not_split(question: str) -> None:
    assert each_item(question) == []


def test_a_year_is_no_model_number() -> None:
    assert each_item("How do A-1 and 2021 differ?") == []


def test_an_item_may_not_begin_with_a_preposition() -> None:
    assert each_item("Qui parle de savoir, de compétences et de culture ?") == []


def test_an_item_of_many_words_is_no_item() -> None:
    question = "Who reports on seals, very old long cracked pipes and valves?"

    assert each_item(question) == []


def test_an_item_brings_no_second_article() -> None:
    assert each_item("How heavy are the X-180, the X-200 and the X-300?") == [
        "How heavy are the X-180?",
        "How heavy are the X-200?",
        "How heavy are the X-300?",
    ]
