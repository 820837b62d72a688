import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.wording import (
    SUBJECT_CHARS,
    clean,
    distinct,
    names_in,
    one_line,
    shorten,
    subject_of,
    topic_words,
)


@given(st.text(st.characters(), max_size=300), st.integers(60, 400))
def test_shortened_text_is_one_printable_line_within_the_limit(text: str, limit: int) -> None:
    short = shorten(text, limit)

    assert len(short) <= limit
    assert short == one_line(short)
    short.encode("utf-8")


def test_short_text_is_only_put_on_one_line() -> None:
    assert shorten(" How\n\n are  you? ") == "How are you?"


def test_long_text_keeps_its_beginning_its_end_and_its_rarest_words() -> None:
    filler = "the log says that the pump is running as it did before and nothing else. " * 300
    text = f"My plant has a problem. {filler} Error E-417 came. {filler} Which part is broken?"

    short = shorten(text)

    assert short.startswith("My plant has a problem.")
    assert short.endswith("Which part is broken?")
    assert "E-417" in short


def test_long_text_is_cut_between_words() -> None:
    words = [f"word{number}" for number in range(2_000)]

    assert set(shorten(" ".join(words)).split()) <= set(words)


def test_text_without_spaces_is_cut_anywhere() -> None:
    assert 0 < len(shorten("水" * 5_000, 100)) <= 100


def test_what_cannot_be_stored_becomes_a_space() -> None:
    assert clean("a\x00b\ud800c\nd") == "a b c\nd"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Compare X-200 with the Brio Mark pump", ["X-200", "Brio Mark"]),
        ("Who was Ole Lund's teacher?", ["Ole Lund"]),
        ("X-200泵的密封型号是什么", ["X-200"]),
        ("Where is water pumped?", []),
    ],
)
def test_names_leave_out_opening_verbs_and_possessives(text: str, names: list[str]) -> None:
    assert names_in(text) == names


def test_topic_words_are_written_as_they_stand() -> None:
    assert topic_words("What is the difference between Valves and the valve, l'huile?") == [
        "Valves",
        "huile",
    ]


def test_a_long_text_is_about_its_names() -> None:
    text = (
        "In cold places engineers worked with pumps, pipes, valves and filters every winter "
        "and trusted the Brio Mark"
    )

    assert subject_of(text) == "Brio Mark"


def test_a_chinese_question_is_about_what_precedes_its_question_word() -> None:
    assert subject_of("水泵的价格是多少？") == "水泵"


@given(st.text(max_size=500))
def test_a_subject_is_short(text: str) -> None:
    assert len(subject_of(text)) <= SUBJECT_CHARS


def test_repeats_that_differ_in_case_or_accents_are_dropped() -> None:
    assert distinct(["Élan  vital", "elan VITAL", " ", "other"]) == ["Élan vital", "other"]


def test_a_subject_ends_before_the_name_that_is_too_long() -> None:
    names = [f"“{letter * 50}”" for letter in "ab"]

    assert subject_of(f"水泵 {names[0]} {names[1]}") == "a" * 50
