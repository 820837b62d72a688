import pytest

from headwater.domain.comparison import compares, sides


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "What is the difference between a permit and a licence?",
            ["What is a permit?", "What is a licence?"],
        ),
        ("How do pumps compare to fans in terms of noise?", ["pumps: noise", "fans: noise"]),
        (
            "Which is heavier, the X-200 or the X-300?",
            ["How heavy is the X-200?", "How heavy is the X-300?"],
        ),
        (
            "Who retired first, Ada Berg or Ole Lund?",
            ["Ada Berg: who retired first?", "Ole Lund: who retired first?"],
        ),
        ("X-200 vs X-300: price", ["X-200: price", "X-300: price"]),
        (
            "Quelle est la différence entre un CDD et un CDI ?",
            ["Qu'est-ce qu'un CDD ?", "Qu'est-ce qu'un CDI ?"],
        ),
        ("Comparez la X-2 et la X-3 pour le poids.", ["la X-2: le poids", "la X-3: le poids"]),
        ("比较X-200和X-300的重量", ["X-200的重量是什么？", "X-300的重量是什么？"]),
        ("X-200和X-300有什么区别？", ["X-200是什么？", "X-300是什么？"]),
        ("X-200还是X-300更重？", ["X-200有多重？", "X-300有多重？"]),
    ],
)  # fmt: skip
def test_each_side_is_asked_about(question: str, expected: list[str]) -> None:
    assert [side.replace("  ", " ") for side in sides(question)] == expected


@pytest.mark.parametrize(
    "question",
    [
        "How heavy is the X-200?",
        "Is there a link between heat and wear?",
        "Quelle est la différence entre chèque barré, certifié ou de banque ?",
        "完全不同意的人叫什么？",
    ],
)
def test_what_has_no_two_sides_is_not_split(question: str) -> None:
    assert sides(question) == []


def test_a_comparison_of_three_is_seen_although_it_is_not_split() -> None:
    assert compares("What are the differences between oil, water and air cooling?")
    assert not compares("How is the pump cooled?")


@pytest.mark.parametrize(
    "question",
    [
        "Differences between oil, water and air cooling or heating or both?",
        "Which differs more between them, oil or water?",
        "Case rates of the pump in very cold regions vs warm regions",
    ],
)
def test_sides_that_cannot_be_told_apart_are_left_together(question: str) -> None:
    assert sides(question) == []


def test_chinese_sides_of_nothing_are_no_sides() -> None:
    assert sides("比较 和X-300的区别") == []


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("Compare the weight of the X-180 and the X-200", "What is the weight of the X-200?"),
        (
            "Compare the weight of the X-180 with that of the X-200",
            "What is the weight of the X-200?",
        ),
        (
            "Compare the weight of the X-180 and the head of the X-200",
            "What is the head of the X-200?",
        ),
        ("Compare the University of Oslo and Harvard", "What is Harvard?"),
        (
            "Compare le poids de la X-180 et de la X-200",
            "Qu'est-ce que le poids de la X-200 ?",
        ),
    ],
)
def test_an_attribute_named_once_is_asked_of_both_sides(question: str, second: str) -> None:
    assert sides(question)[1] == second
