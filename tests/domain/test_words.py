import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.domain.words import (
    MAX_TERM,
    akin,
    fold,
    is_cjk,
    is_stop_word,
    located_terms,
    located_words,
    singular,
    stem,
    term_places,
    terms,
)
from tests.domain.texts import anything, prose


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("X-200", "x200"),
        ("Wi-Fi", "WiFi"),
        ("max_tokens", "maxTokens"),
        ("1,200", "1200"),
        ("1\u202f200", "1200"),
        ("1'200", "1200"),
        ("1,234,567.5", "1234567.5"),
        ("1.234,5", "1234.5"),
        ("3,5", "3.5"),
        ("１２００", "1200"),
        ("Straße", "STRASSE"),
        ("Müller", "muller"),
        ("Łódź", "lodz"),
        ("cœur", "coeur"),
        ("pre\u0301fe\u0301rence", "préférence"),
        ("Dicht\u00adung", "Dichtung"),
        ("ＡＢＣ", "abc"),
        ("l'eau", "eau"),
        ("l’eau", "eau"),
        ("jusqu'demain", "demain"),
        ("company's", "company"),
        ("O'Brien", "O’Brien"),
        ("boxes", "box"),
        ("batches", "batch"),
        ("addresses", "address"),
        ("adresses", "adresse"),
        ("caches", "cache"),
        ("companies", "company"),
        ("animaux", "animal"),
        ("niveaux", "niveau"),
    ],
)
def test_what_is_written_in_the_right_way_is_found_by_the_left_one(left: str, right: str) -> None:
    assert set(terms(left)) >= set(terms(right)) != set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X-200", ["x200", "200"]),
        ("RFC 2616", ["rfc", "2616"]),
        ("RFC2616", ["rfc2616"]),
        ("v2.3.1", ["v2.3.1", "2.3.1"]),
        ("240V at 3.5mm", ["240v", "240", "3.5mm", "3.5"]),
        ("2024-03-01", ["2024-03-01", "2024", "03", "01"]),
        ("snake_case_name", ["snakecasename", "snake", "case", "name"]),
        ("follow-up", ["followup", "follow"]),
        ("https://example.org/a?b=1", ["http", "example.org", "example", "org", "1"]),
        ("ada@example.org", ["ada", "example.org", "example", "org"]),
        ("O'Brien", ["obrien", "brien"]),
        ("1.200", ["1.200"]),
        ("1,2,3", ["1", "2", "3"]),
        ("价格1,200元", ["价格", "1200", "元"]),
        ("密封圈", ["密封", "封圈"]),
        ("泵", ["泵"]),
        ("人々", ["人々"]),
        ("ドア・パネル", ["ドア", "パネ", "ネル"]),
        ("펌프의 씰", ["펌프", "프의", "씰"]),
        ("X-200泵", ["x200", "200", "泵"]),
        ("हिन्दी में", ["हिनदी", "में"]),
        ("is it what the", []),
        ("don't can't won't it's c'est", []),
        ("e.g. i.e.", []),
        ("什么是的", []),
        ("👩‍🔧 ☕ ❤️ …!?", []),
        ("", []),
    ],
)
def test_terms_of(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize("word", ["bus", "class", "gas", "news2", "taux", "shoes", "trees"])
def test_words_that_only_look_plural_keep_their_ending_or_lose_one_letter(word: str) -> None:
    assert word.startswith(singular(word))
    assert len(word) - len(singular(word)) <= 1


def test_a_short_word_and_a_code_have_no_plural() -> None:
    assert [singular(word) for word in ("gas", "x200s", "bus")] == ["gas", "x200s", "bus"]


@given(st.text(alphabet="aàâbcçdéèêhijlmnoöpqrstuüvwxyzœß -'", max_size=30))
@example("a-ß")
@example("d'ß")
def test_case_does_not_matter(text: str) -> None:
    assert terms(text) == terms(text.upper()) == terms(text.lower())


@given(prose.map(lambda text: text.replace("펌프", "Pumpe")))
def test_the_encoding_of_accents_does_not_matter(text: str) -> None:
    assert terms(text) == terms(unicodedata.normalize("NFD", text))


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(anything)
def test_terms_are_located_where_they_stand(text: str) -> None:
    places = list(located_terms(text))

    assert [term for term, _, _ in places] == terms(text)
    for term, start, end in places:
        assert 0 <= start < end <= len(text)
        assert term in terms(text[start:end])


@given(anything)
def test_every_term_is_a_word_that_is_no_stop_word(text: str) -> None:
    words = {singular(w) for w, _, _ in located_words(text) if not is_stop_word(w)}

    assert set(terms(text)) == words


@given(anything, anything)
def test_term_places_are_the_wanted_located_terms(query: str, text: str) -> None:
    wanted = set(terms(query))

    expected = [(term, start) for term, start, _ in located_terms(text) if term in wanted]

    assert term_places(wanted, text) == expected


def test_the_caller_may_change_the_list_it_gets() -> None:
    terms("pump seal").clear()

    assert terms("pump seal") == ["pump", "seal"]


@pytest.mark.parametrize(
    "text", ["x" * 10_000, "ﷺ" * 100, "ab-" * 5_000, "1," * 5_000, "é" * 9_000]
)
def test_a_run_of_data_gives_short_terms_quickly(text: str) -> None:
    started = time.process_time()

    found = terms(text)

    assert found
    assert max(map(len, found)) <= MAX_TERM
    assert time.process_time() - started < 0.5


def test_a_long_word_is_located_as_a_whole() -> None:
    word = "x" * 100

    assert list(located_terms(f"a {word} b")) == [("x" * MAX_TERM, 2, 102)]


@pytest.mark.parametrize("text", ["密封", "ひらがな", "カタカナ", "펌프", "a 泵", "𠀀"])
def test_chinese_japanese_and_korean_are_told(text: str) -> None:
    assert is_cjk(text)


@pytest.mark.parametrize("text", ["", "pump", "déjà", "насос", "😀", "・"])
def test_other_scripts_are_not_cjk(text: str) -> None:
    assert not is_cjk(text)


def test_single_letters_are_stop_words_and_single_digits_are_not() -> None:
    assert [is_stop_word(word) for word in ("x", "7", "的", "泵")] == [True, False, True, False]


def test_stems_join_the_forms_of_a_word() -> None:
    assert stem("replaced") == stem("replacement") == stem("replacing")
    assert stem("密封") == "密封"
    assert stem("x200") == "x200"


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("replaced", "replacement", True),
        ("organised", "organisation", True),
        ("contract", "contrast", False),
        ("internal", "international", False),
        ("密封", "密封", True),
        ("密封", "密闭", False),
        ("x200", "x201", False),
    ],
)
def test_forms_of_a_word_are_akin_and_other_words_are_not(
    left: str, right: str, same: bool
) -> None:
    assert akin(left, right) is same
    assert akin(right, left) is same
