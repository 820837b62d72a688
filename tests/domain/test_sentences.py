import time

import pytest
from hypothesis import given

from headwater.domain.sentences import Span, sentences
from tests.domain.texts import anything


def split(text: str) -> list[str]:
    return [span.of(text) for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("“Yes.” He left.", ["“Yes.”", "He left."]),
        ("Wait… Go.", ["Wait…", "Go."]),
        ("It is 3.5 bar. See v2.3.1 now.", ["It is 3.5 bar.", "See v2.3.1 now."]),
        ("Dr. Lee of Acme Inc. came, e.g. today.", ["Dr. Lee of Acme Inc. came, e.g. today."]),
        ("Nach z. B. Abs. 3 ja. Gut.", ["Nach z. B. Abs. 3 ja.", "Gut."]),
        ("Art. 5 applies, cf. p. 12.", ["Art. 5 applies, cf. p. 12."]),
        ("他说：“好。”然后走了。好！", ["他说：“好。”", "然后走了。", "好！"]),
        ("没有。。好", ["没有。。", "好"]),
        ("A title\n\nA text", ["A title", "A text"]),
        ("wrapped\nline", ["wrapped\nline"]),
        ("Parts:\n- one\n- two", ["Parts:", "- one", "- two"]),
        ("1. Close it.\n2. Open it.", ["1. Close it.", "2. Open it."]),
        ("| a | b |\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("Made by Acme Inc.\n\nNext", ["Made by Acme Inc.", "Next"]),
        ("bolts, etc.\n- one", ["bolts, etc.", "- one"]),
        ("  padded.  \n", ["padded."]),
        ("", []),
        (" \n\t ", []),
        ("...", ["..."]),
    ],
)
def test_splits(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(anything)
def test_spans_are_in_order_apart_trimmed_and_leave_out_white_space_only(text: str) -> None:
    spans = sentences(text)
    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]

    assert edges == sorted(edges)
    assert all(span.of(text) and span.of(text) == span.of(text).strip() for span in spans)
    assert not "".join(text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)).strip()


@given(anything)
def test_a_sentence_is_found_again_in_itself(text: str) -> None:
    for span in sentences(text):
        again = sentences(span.of(text))
        assert again[0].start == 0
        assert again[-1].end == span.end - span.start


@pytest.mark.parametrize(
    "text", ["\n" * 50_000, ". " * 50_000, "\n" + " " * 50_000, "a\n- " * 20_000]
)
def test_hostile_text_takes_no_longer_than_its_length_asks(text: str) -> None:
    started = time.process_time()

    sentences(text)

    assert time.process_time() - started < 1.0


def test_a_span_cuts_itself_out() -> None:
    assert Span(2, 4).of("abcdef") == "cd"


def test_a_field_of_a_record_stands_on_its_own_line() -> None:
    text = "The seal was replaced.\nid: FS-1001\ndate: 2025-05-20"

    pieces = [span.of(text) for span in sentences(text)]
    assert pieces == ["The seal was replaced.", "id: FS-1001", "date: 2025-05-20"]


def test_what_a_caller_does_to_its_list_leaves_the_next_one_alone() -> None:
    first = sentences("One. Two.")
    first.clear()

    assert [span.of("One. Two.") for span in sentences("One. Two.")] == ["One.", "Two."]
