import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.decompose import LONGEST, decompose, fit
from headwater.domain.words import terms

WHOLE = [
    "What is a seal?",
    "Is a break required by law when I work over six hours?",
    "Who founded the firm that built the pump which leaks and which was sold in 1990?",
    "Which rules apply to food and drink in the workshop?",
    "When and where was Ada Lovelace born?",
    "What should I do if the pump leaks and what if it does not?",
    "When the Reds met the Blues in 1995, what was the top song?",
    "Does Johnson and Johnson make valves?",
    "How long is the notice for staff on sick leave, according to the contract?",
    "What happened on 6 October 1973 with Rivertown and Lakeside?",
    "Quel est le délai de préavis pour un salarié en CDI ?",
    "Quels sont les droits et obligations du locataire ?",
    "Qu'est-ce que le socle de connaissances, de compétences et de culture ?",
    "水泵的密封圈多久更换一次？",
    "有多少不同种类的水泵？",
    "在法律和合同中，员工每天工作超过六小时应该休息多久？",
]


@pytest.mark.parametrize("question", WHOLE)
def test_a_question_that_does_not_clearly_split_stays_whole(question: str) -> None:
    assert decompose(question) == [question]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What is the price of the filter? How long does the battery last?",
            ["What is the price of the filter?", "How long does the battery last?"],
        ),
        (
            "What is the service interval of the X-200 and which oil do valves need?",
            ["What is the service interval of the X-200?", "Which oil do valves need?"],
        ),
        (
            "What is the warranty period, how are claims filed, and who pays the freight?",
            ["What is the warranty period?", "How are claims filed?", "Who pays the freight?"],
        ),
        (
            "Quel est le prix du filtre et combien de temps dure la batterie ?",
            ["Quel est le prix du filtre?", "Combien de temps dure la batterie ?"],
        ),
        (
            "滤芯的价格是多少，电池能用多久？",
            ["滤芯的价格是多少？", "电池能用多久？"],
        ),
    ],
)
def test_questions_joined_to_one_are_separated(question: str, parts: list[str]) -> None:
    assert decompose(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "Answer both. (a) Who makes the filter? (b) What does the battery cost? Round it.",
        "Two things, please. First: Who makes the filter? Second: What does the battery cost? "
        "Round it.",
        "1. Who makes the filter?\n2. What does the battery cost? Round it.",
        "Tell me:\n- Who makes the filter?\n- What does the battery cost? Round it.",
    ],
)
def test_numbered_parts_are_separated_without_their_preamble(question: str) -> None:
    assert decompose(question) == [
        "Who makes the filter?",
        "What does the battery cost? Round it.",
    ]


def test_a_part_that_leans_on_an_earlier_one_carries_its_subject() -> None:
    parts = decompose("Which pumps were sold in Oslo, and who repaired them?")

    assert parts[0] == "Which pumps were sold in Oslo?"
    assert {"pump", "oslo", "repaired"} <= set(terms(parts[1]))


def test_a_part_without_a_verb_carries_the_subject() -> None:
    assert decompose("Do I lose the traffic? Any remedy?")[1] == "Any remedy? (lose traffic)"


def test_a_model_number_takes_the_place_of_it() -> None:
    assert decompose("I own an X-200. How do I bleed it? Which seal does it need?") == [
        "How do I bleed X-200?",
        "Which seal does X-200 need?",
    ]


def test_a_chinese_part_without_subject_carries_the_model_number() -> None:
    parts = decompose("X-200泵的密封型号是什么，多久更换一次？")

    assert len(parts) == 2
    assert "X-200" in parts[1]


def test_a_title_with_a_question_mark_does_not_split() -> None:
    question = "Which film is older, Who Is There? or Night Train?"

    assert not any(part.startswith("or ") for part in decompose(question))


def test_a_comparison_keeps_the_whole_question_first() -> None:
    question = "Compare the X-200 with the X-300 on weight."

    assert decompose(question) == [question, "the X-200: weight", "the X-300: weight"]


def test_nothing_to_search_for_gives_no_part() -> None:
    assert decompose(" \x00\ud800\n") == []


def test_a_document_is_not_split() -> None:
    assert len(decompose("What is this? How is that? " * LONGEST)) == 1


@pytest.mark.parametrize("piece", ["a", "a, ", "what is it, ", "the X1 and ", "(a) ", "是、", "? "])
def test_repetitive_text_costs_no_more_than_a_moment(piece: str) -> None:
    started = time.perf_counter()

    decompose(piece * (LONGEST // len(piece)))

    assert time.perf_counter() - started < 2


def test_what_does_not_fit_is_joined_to_the_last() -> None:
    assert fit(["a", "b", "c", "d"], 3) == ["a", "b", "c d"]
    assert fit(["a", "b"], 3) == ["a", "b"]


@given(st.lists(st.text("abc ", min_size=1), max_size=8), st.integers(1, 5))
def test_fitting_loses_no_word(parts: list[str], most: int) -> None:
    kept = fit(parts, most)

    assert len(kept) <= most
    assert " ".join(kept).split() == " ".join(parts).split()


WORDS = st.sampled_from(
    "what how which and or , ? compare A-1 B-2 with the of Oslo between 和 、 什么 ? (a) (b)"
    " First: et quel est ' \n".split(" ")
)


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join)))
def test_parts_are_distinct_lines_with_text(question: str) -> None:
    parts = decompose(question)

    assert len(set(parts)) == len(parts)
    assert all(part.strip() and "\n" not in part for part in parts)
