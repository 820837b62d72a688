from hypothesis import given
from hypothesis import strategies as st

from headwater.sources.index.query import KEEP, MAX_QUERY, MAX_TERMS, query_terms, rarest


def test_terms_come_once_and_in_order() -> None:
    assert query_terms("the pump seal of the pump") == ["pump", "seal"]


def test_a_query_of_any_size_is_cut_before_it_is_analysed() -> None:
    assert len(query_terms(" ".join(f"w{i}" for i in range(1_000)))) == MAX_TERMS
    assert query_terms("a" * 100_000 + " pump") == query_terms("a" * MAX_QUERY)


@given(st.text(st.characters(), max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    assert len(query_terms(text)) == len(set(query_terms(text)))


@given(st.text(alphabet=st.sampled_from(" .,;:!?*()[]{}\"'\\/|&~^\0\ud800🙂")))
def test_punctuation_emoji_and_broken_characters_name_no_term(text: str) -> None:
    assert query_terms(text) == []


def test_the_rarest_terms_are_kept_and_unknown_ones_dropped() -> None:
    frequency = {f"t{i:02}": 100 - i for i in range(20)}
    kept = rarest([*frequency, "unknown"], lambda term: frequency.get(term, 0))
    assert kept == [f"t{i:02}" for i in range(19, 19 - KEEP, -1)]
