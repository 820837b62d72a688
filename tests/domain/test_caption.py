import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.caption import (
    CAPTION_CHARS,
    TermWeights,
    caption,
    coverage,
    highlights,
    query_weights,
)
from headwater.domain.sentences import Span, sentences
from headwater.domain.words import akin, stem, terms
from tests.domain.texts import anything, prose

FILLER = "The workshop opens at nine and closes at five on all days of the week. "


def shown(query: str, text: str, limit: int = CAPTION_CHARS) -> str:
    return caption(query, text, TermWeights([text]), limit=limit).of(text)


@given(anything, anything, st.integers(1, 120))
def test_a_caption_is_verbatim_within_the_limit_and_trimmed(
    query: str, text: str, limit: int
) -> None:
    span = caption(query, text, TermWeights([text]), limit=limit)

    assert 0 <= span.start <= span.end <= len(text)
    assert span.end - span.start <= limit
    assert span.of(text) == span.of(text).strip()
    assert bool(span.of(text)) == bool(text.strip())


@given(prose, prose)
def test_a_caption_holds_a_sentence_that_covers_the_query_best(query: str, text: str) -> None:
    wanted = query_weights(query, TermWeights([text]))

    def covered(span: Span) -> float:
        held = set(map(stem, terms(span.of(text)))) & wanted.keys()
        return round(sum(wanted[found] for found in held), 9)

    span = caption(query, text, TermWeights([text]), limit=60)
    pieces = [s for s in sentences(text) if s.end - s.start <= 60]
    inside = [s for s in sentences(text) if span.start <= s.start and s.end <= span.end]

    assert max(map(covered, inside or [span])) >= max(map(covered, pieces), default=0.0)


def test_the_sentence_that_answers_is_shown() -> None:
    text = FILLER * 8 + "Replace the X-200 seal every 24 months. " + FILLER * 8

    assert "Replace the X-200 seal every 24 months." in shown(
        "How often replace the X200 seal?", text
    )


def test_a_heading_that_holds_all_terms_brings_what_follows() -> None:
    text = FILLER * 6 + "\n\nReplacing the seal\n\nClose valve B, wait for 5 minutes. " + FILLER * 6

    assert "Replacing the seal\n\nClose valve B" in shown("replacing seal", text)


def test_the_sentence_behind_the_one_that_matches_is_shown_with_it() -> None:
    text = "The hall is in grey. The corvo pump is new. It weighs 40 kg."

    assert shown("weight of the corvo pump", text, 45) == "The corvo pump is new. It weighs 40 kg."


def test_of_two_that_match_the_one_near_the_beginning_is_shown_though_less_fits_beside_it() -> None:
    early = "The seal is of rubber. It was made of leather until the year of the fire."
    late = "Stop it. The seal is of rubber. Go on. Look up. Clean it."

    assert shown("seal of rubber", f"{early}\n\n{FILLER * 4}\n\n{late}", 80) == early


def test_other_forms_of_the_words_count() -> None:
    text = FILLER * 8 + "Replacement takes an hour. " + FILLER * 8

    assert "Replacement takes an hour." in shown("replaced", text)


def test_at_the_end_of_the_text_it_grows_backwards() -> None:
    text = FILLER * 8 + "The seal is S-14."

    assert shown("seal", text) == (FILLER * 3 + "The seal is S-14.")


def test_without_a_common_term_it_is_the_beginning_as_far_as_it_fits() -> None:
    text = "The first sentence of all. " + FILLER * 8 + "No."

    assert shown("密封圈", text) == ("The first sentence of all. " + FILLER * 3).strip()
    assert shown("", text) == shown("密封圈", text)


def test_of_two_equal_sentences_the_earlier_is_shown() -> None:
    text = "The seal is old. " + FILLER + "The seal is new."

    assert shown("seal", text, 20) == "The seal is old."


def test_rare_terms_weigh_more_than_frequent_ones() -> None:
    rare, frequent = "The corvo unit is grey.", "The pump is grey and the pump is loud."
    text = f"{frequent} {FILLER * 6}{rare}"
    weights = TermWeights([text, *["pump"] * 9])

    assert "corvo" in caption("pump corvo", text, weights, limit=60).of(text)


def test_a_sentence_longer_than_the_limit_is_cut_at_white_space() -> None:
    text = "alpha beta\tgamma delta\nepsilon zeta eta theta iota"

    assert [shown(word, text, 12) for word in ("alpha", "delta", "iota")] == [
        "alpha beta",
        "gamma delta",
        "theta iota",
    ]


def test_where_there_is_no_white_space_it_is_cut_anywhere() -> None:
    assert shown("b", "a" * 25, limit=10) == "a" * 10


@pytest.mark.parametrize("text", ["", " \n "])
def test_empty_text_has_an_empty_caption(text: str) -> None:
    assert caption("seal", text, TermWeights([])) == Span(0, 0)


def test_a_list_of_a_thousand_tiny_items_is_captioned_quickly() -> None:
    text = "\n".join(f"- pump {i}" for i in range(1_000))
    started = time.process_time()

    assert "- pump 999" in shown("pump 999", text)
    assert time.process_time() - started < 0.5


@given(anything, anything)
def test_highlights_lie_inside_the_caption_apart_and_hold_query_terms(
    query: str, text: str
) -> None:
    span = caption(query, text, TermWeights([text]), limit=80)
    marks = highlights(query, text, span)

    edges = [span.start, *(edge for mark in marks for edge in (mark.start, mark.end)), span.end]
    assert edges == sorted(edges)
    for mark in marks:
        assert any(akin(one, other) for one in terms(mark.of(text)) for other in terms(query))
    if set(terms(query)) & set(terms(span.of(text))):
        assert marks


def test_neighbouring_words_are_marked_as_one() -> None:
    text = "The seal kit, and the X-200 seal."

    marks = highlights("seal kit x200", text, Span(0, len(text)))

    assert [mark.of(text) for mark in marks] == ["seal kit", "X-200 seal"]


def test_a_phrase_of_the_query_is_marked_with_its_function_words() -> None:
    text = "The seal of the pump and a pump of the seal; seal for the pump."

    marks = highlights("Where is the seal of the pump?", text, Span(0, len(text)))

    assert [mark.of(text) for mark in marks] == [
        "seal of the pump",
        "pump",
        "seal",
        "seal",
        "pump",
    ]


def test_a_phrase_with_a_code_is_marked_as_one() -> None:
    text = "Order the seal for the X-200 today."

    marks = highlights("seal for the x200", text, Span(0, len(text)))

    assert [mark.of(text) for mark in marks] == ["seal for the X-200"]


def test_other_forms_of_a_word_are_marked_but_not_words_that_only_begin_alike() -> None:
    text = "Replacement under contract; by contrast, replacing costs more."

    marks = highlights("replace contract", text, Span(0, len(text)))

    assert [mark.of(text) for mark in marks] == ["Replacement", "contract", "replacing"]


def test_highlights_count_from_the_beginning_of_the_text() -> None:
    assert highlights("seal", "seal. A seal.", Span(6, 13)) == [Span(8, 12)]


@given(anything, anything)
def test_coverage_is_a_share_and_whole_for_the_query_itself(query: str, text: str) -> None:
    weights = TermWeights([text])

    assert 0.0 <= coverage(query, text, weights) <= 1.0
    assert coverage(query, query, weights) == pytest.approx(1.0 if terms(query) else 0.0)


@given(st.lists(prose, max_size=6), st.sampled_from(["pump", "seal", "nowhere"]))
def test_weights_are_positive_and_fall_with_frequency(texts: list[str], term: str) -> None:
    before, after = TermWeights(texts), TermWeights([*texts, term])

    assert before(term) > 0
    assert after(term) > 0
    assert TermWeights([*texts, "other"])(term) >= after(term)


def test_weights_follow_the_formula() -> None:
    weights = TermWeights(["pump seal", "pump"])

    assert weights("pump") == pytest.approx(0.182322, abs=1e-6)
    assert weights("seal") == pytest.approx(0.693147, abs=1e-6)
