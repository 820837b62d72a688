import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from headwater.domain.ports import Scorable
from headwater.models.ranker.reading import MAX_WINDOWS, Pair, PairLayout, PairReader
from headwater.models.weights import MINILM, find_weights

START, END = 101, 102
FILLER = "The committee met on a Tuesday and nothing of note was said about it. "


def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(find_weights(MINILM).parent / "tokenizer.json"))


def reader_of(layout: PairLayout) -> PairReader:
    return PairReader(tokenizer(), layout, start=START, end=END)


READER = reader_of(PairLayout())
SMALL = reader_of(PairLayout(max_query=8, max_title=6, max_heading=6, max_passage=24))
PLAIN = tokenizer()
PLAIN.no_truncation()
PLAIN.no_padding()


def ids_of(text: str) -> list[int]:
    found: list[int] = PLAIN.encode(text, add_special_tokens=False).ids
    return found


def shown(pair: Pair) -> str:
    """What is read of the passage."""
    text: str = PLAIN.decode(pair.ids[pair.query : -1])
    return text


def one(reader: PairReader, query: str, passage: Scorable) -> Pair:
    [[pair]] = reader.pairs(query, [passage])
    return pair


def test_reads_a_query_then_title_heading_and_content() -> None:
    passage = Scorable("Press the red button.", "Manual", "Pump > Stop")

    pair = one(READER, "How do I stop the pump?", passage)

    query = [START, *ids_of("How do I stop the pump?"), END]
    assert pair.ids[: pair.query] == query
    assert pair.ids[pair.query :] == [*ids_of("Manual\nPump > Stop\nPress the red button."), END]


def test_a_heading_that_repeats_the_title_is_read_once() -> None:
    pair = one(READER, "pump", Scorable("Text.", "Manual", "Manual"))

    assert shown(pair) == "manual text."


@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b\u00ad"])
def test_a_passage_with_nothing_to_read_has_no_pair(text: str) -> None:
    assert READER.pairs("pump", [Scorable(text, "Manual")]) == [[]]


def test_no_passages_give_no_pairs() -> None:
    assert READER.pairs("pump", []) == []


def test_a_query_without_tokens_keeps_both_marks() -> None:
    assert one(READER, "\u200b", Scorable("Text.")).query == 2


def test_query_title_and_heading_are_cut_at_their_number_of_tokens() -> None:
    passage = Scorable("Text.", "one two three four five six seven", "a b c d e f g h")

    pair = one(SMALL, "1 2 3 4 5 6 7 8 9 10", passage)

    assert pair.query == 1 + 8 + 1
    assert shown(pair) == "one two three four five six a b c d e f text."


def test_a_long_title_and_heading_leave_half_the_room_to_the_content() -> None:
    passage = Scorable("a b c d e f g h i j k l m n o p", "1 2 3 4 5 6 7", "8 9 10 11 12 13 14")
    reader = reader_of(PairLayout(max_title=7, max_heading=7, max_passage=20))

    read = shown(one(reader, "q", passage))

    assert read.startswith("1 2 3 4 5 6 7 8 9 10 a b c")
    assert 18 <= len(read.split()) <= 20


def test_a_passage_that_fits_is_read_whole() -> None:
    content = "a b c d. e f g h. i j k l. m n o p. q r s t."

    pair = one(SMALL, "none of these", Scorable(content[:-2]))

    assert pair.ids[pair.query : -1] == ids_of(content[:-2])


def test_what_does_not_fit_is_condensed_to_the_sentences_about_the_query_in_text_order() -> None:
    text = (
        FILLER * 20 + "The valve opens at nine bar. " + FILLER * 20 + "Valves leak. " + FILLER * 9
    )

    read = shown(one(READER, "When does the valve open?", Scorable(text, "Manual")))

    assert read.startswith("manual the committee")
    assert read.index("the valve opens at nine bar.") < read.index("valves leak.")
    assert len(ids_of(read)) <= 256


def test_the_sentence_after_the_one_that_names_the_subject_is_read_too() -> None:
    text = FILLER * 30 + "The quorum is set by law. Nine are needed. " + FILLER * 30

    reader = reader_of(PairLayout(max_passage=40))

    assert "nine are needed." in shown(one(reader, "quorum?", Scorable(text)))


def test_other_forms_of_a_word_count_as_the_word() -> None:
    text = FILLER * 30 + "Replacement takes an hour. " + FILLER * 30

    assert "replacement takes" in shown(one(SMALL, "How is it replaced?", Scorable(text)))


def test_a_sentence_too_long_to_fit_is_read_in_part_where_it_matches() -> None:
    text = "word " * 400 + "the valve opens at nine bar " + "word " * 400

    assert "valve opens" in shown(one(READER, "valve", Scorable(text)))


def test_content_beyond_a_window_is_read_through_several_each_about_its_own_part() -> None:
    text = FILLER * 100 + "The valve opens. " + FILLER * 170 + "The valve shuts."

    [pairs] = READER.pairs("valve", [Scorable(text, "Manual")])

    assert len(pairs) == 3
    assert ["opens" in shown(pair) for pair in pairs] == [True, False, False]
    assert ["shuts" in shown(pair) for pair in pairs] == [False, False, True]
    assert all(len(pair.ids) <= 256 + pair.query + 1 for pair in pairs)


def test_of_too_many_windows_those_with_most_terms_are_read() -> None:
    text = FILLER * 600 + "The red valve opens." + FILLER * 100

    [pairs] = READER.pairs("the red valve", [Scorable(text)])

    assert len(pairs) == MAX_WINDOWS
    assert any("the red valve opens." in shown(pair) for pair in pairs)


def test_a_megabyte_is_read_where_it_matches_within_a_second_or_two() -> None:
    text = FILLER * 14_000 + "The valve opens at nine bar. " + FILLER * 300
    assert len(text) > 1_000_000

    started = time.process_time()
    [pairs] = READER.pairs("valve", [Scorable(text)])

    assert len(pairs) <= MAX_WINDOWS
    assert any("opens at nine bar" in shown(pair) for pair in pairs)
    assert time.process_time() - started < 5


def test_a_megabyte_without_any_blank_or_stop_is_read() -> None:
    [pairs] = READER.pairs("阀门", [Scorable("水" * 1_000_000)])

    assert 1 <= len(pairs) <= MAX_WINDOWS


def test_mixed_scripts_and_broken_characters_are_read() -> None:
    passage = Scorable("阀门在九巴打开。Le clapet s’ouvre.\ud83d Клапан \U0001f527", "Ventil ß")

    assert "clapet" in shown(one(READER, "valve \udc00", passage))


WORDS = st.lists(st.sampled_from("pump valve valves opens red . ! \n\n 水 阀门 。 x1".split(" ")))
TEXTS = st.one_of(WORDS.map(" ".join), st.text(max_size=80))
PASSAGES = st.builds(Scorable, TEXTS, TEXTS, TEXTS)


@settings(max_examples=60)
@given(TEXTS, st.lists(PASSAGES, max_size=4))
def test_a_pair_never_depends_on_the_other_passages(query: str, passages: list[Scorable]) -> None:
    together = SMALL.pairs(query, passages)

    assert together == [SMALL.pairs(query, [passage])[0] for passage in passages]


@settings(max_examples=60)
@given(TEXTS, PASSAGES)
def test_a_pair_is_never_longer_than_its_layout(query: str, passage: Scorable) -> None:
    for pair in SMALL.pairs(query, [passage])[0]:
        assert 2 <= pair.query <= 8 + 2
        assert pair.ids[0] == START
        assert pair.ids[pair.query - 1] == pair.ids[-1] == END
        assert len(pair.ids) <= pair.query + 24 + 1


def test_the_tokenizer_file_has_the_marks() -> None:
    assert tokenizer().token_to_id("[CLS]") == START
    assert tokenizer().token_to_id("[SEP]") == END
