import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.printable import printable

every_character = st.text(st.characters(exclude_categories=[]))


@given(every_character)
def test_what_comes_out_can_always_be_stored(text: str) -> None:
    clean = printable(text)

    assert clean.encode("utf-8").decode("utf-8") == clean
    assert {c for c in clean if unicodedata.category(c) == "Cc"} <= set("\t\n\r")


@given(every_character)
def test_cleaning_twice_changes_nothing_and_places_stay(text: str) -> None:
    clean = printable(text)

    assert printable(clean) == clean
    assert len(clean) == len(text)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\x00b", "a b"),
        ("\x1b[31mred", " [31mred"),
        ("\x9b31m", " 31m"),
        ("\x7f", " "),
        ("lone \ud800 end", "lone \ufffd end"),
        ("tab\tline\r\n", "tab\tline\r\n"),
        ("déjà 密封 😀", "déjà 密封 😀"),
    ],
)
def test_characters_that_break_something_are_replaced(text: str, clean: str) -> None:
    assert printable(text) == clean
