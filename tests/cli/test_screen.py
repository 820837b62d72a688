import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.screen import clean, one_line, styled
from tests.cli.output import printed

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@given(ANY_TEXT)
def test_clean_text_holds_no_control_character_and_can_be_encoded(text: str) -> None:
    shown = clean(text)

    assert all(unicodedata.category(c) != "Cc" for c in shown if c not in "\t\n")
    shown.encode()


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(ANY_TEXT, st.integers(1, 50))
def test_one_line_is_one_line_and_never_longer_than_asked(text: str, limit: int) -> None:
    line = one_line(text, limit)

    assert len(line) <= limit
    assert len(line.splitlines()) <= 1 or "\u2028" in text or "\u2029" in text


def test_text_in_other_scripts_stays_as_it_is() -> None:
    assert clean("深度 60 米, préférence 🙂") == "深度 60 米, préférence 🙂"


@pytest.mark.parametrize("text", ["[red]x[/red]", ":warning:", "https://a.b", "12 'x'"])
def test_what_looks_like_markup_is_printed_as_it_is(text: str) -> None:
    assert printed(lambda screen: screen.print(styled(text)), terminal=True) == f"{text}\n"
