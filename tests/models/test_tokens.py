import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quicktok import get_encoding  # type: ignore[import-untyped]  # ships no types

from headwater.models.tokens import token_counter, well_formed

COUNT = token_counter()


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("hello world", 2), (" hello", 1), ("你好，世界", 3)]
)
def test_counts_what_the_published_vocabulary_gives(text: str, tokens: int) -> None:
    assert COUNT(text) == tokens


def test_says_which_vocabulary_it_counts_with() -> None:
    assert COUNT.name == "o200k_base"


def test_counts_the_name_of_a_special_token_as_plain_text() -> None:
    assert COUNT("<|endoftext|>") > 1


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "\x00", "a\x00\ud83d\x00b"])
def test_counts_text_that_cannot_be_encoded(text: str) -> None:
    assert COUNT(text) >= 1


def test_reads_two_halves_of_a_character_as_that_character() -> None:
    assert well_formed("a\ud83d\ude00") == "a😀"
    assert well_formed("\ud83d a") == "\ufffd a"


@given(st.text())
def test_the_counted_tokens_are_the_text(text: str) -> None:
    tokenizer = get_encoding("o200k_base")

    ids = tokenizer.encode_ordinary(well_formed(text))

    assert tokenizer.decode(ids) == well_formed(text)
    assert COUNT(text) == len(ids)
    assert (COUNT(text) == 0) == (text == "")


def test_importing_the_module_loads_no_vocabulary() -> None:
    code = "import sys, headwater.models.tokens; print('quicktok' in sys.modules)"

    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "False"
