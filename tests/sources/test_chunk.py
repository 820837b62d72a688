import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.sources.chunk import chunk, joined_text
from headwater.sources.document import Chunk, Document, Section
from tests.fakes import count_words

PIECES = [
    "pump",
    "seal.",
    "X-200",
    " ",
    "\n",
    "\n\n",
    "- ",
    "密封件。",
    "更换",
    "a" * 40,
    "é!",
    "\t",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=120).map("".join)
HEADINGS = st.lists(st.sampled_from(["A", "B", "Seals"]), max_size=2)
SECTIONS = st.builds(Section, TEXTS, HEADINGS, st.none() | st.integers(1, 3))
DOCUMENTS = st.builds(Document, st.just("a.md"), st.just("A"), st.lists(SECTIONS, max_size=6))


def document(*sections: Section, **changes: Any) -> Document:
    return replace(Document("a.md", "A", list(sections)), **changes)


def chunks(of: Document, target: int = 20, overlap: int = 5) -> list[Chunk]:
    return list(chunk(of, count_words, target=target, overlap=overlap))


def numbered(sentences: int) -> str:
    return " ".join(f"Sentence number {n} is here." for n in range(sentences))


@given(DOCUMENTS, st.integers(4, 40), st.integers(0, 8))
def test_chunks_are_verbatim_small_unique_and_lose_nothing(
    of: Document, target: int, overlap: int
) -> None:
    text = joined_text(of)
    found = list(chunk(of, len, target=target, overlap=overlap))

    covered = [False] * len(text)
    for piece in found:
        end = piece.start + len(piece.text)
        assert text[piece.start : end] == piece.text
        assert 0 < len(piece.text) <= target
        covered[piece.start : end] = [True] * len(piece.text)
    assert len({piece.id for piece in found}) == len(found)
    start = 0
    for section in of.sections:
        start = text.index(section.text, start)
        lost = [n for n in range(start, start + len(section.text)) if not covered[n]]
        assert "".join(text[n] for n in lost).strip() == ""
        start += len(section.text)


@given(DOCUMENTS, st.integers(4, 40))
def test_every_chunk_goes_on_where_the_last_one_ended(of: Document, target: int) -> None:
    found = list(chunk(of, len, target=target, overlap=3))

    ends = [piece.start + len(piece.text) for piece in found]
    assert ends == sorted(set(ends))


def test_a_long_section_is_cut_between_sentences_with_one_repeated() -> None:
    found = chunks(document(Section(numbered(12), ["Seals"], 4)))

    assert len(found) > 1
    for before, after in pairwise(found):
        assert after.text.startswith("Sentence number")
        assert after.start < before.start + len(before.text)
    assert {(piece.page, *piece.heading) for piece in found} == {(4, "Seals")}


def test_parts_of_a_section_are_about_equal() -> None:
    sizes = [count_words(c.text) for c in chunks(document(Section(numbered(9))), 40, 0)]

    assert sizes == [25, 20]


def test_tiny_neighbours_share_a_chunk_with_their_headings() -> None:
    sections = [Section(f"{n} Nm.", ["Torque", f"Bolt {n}"], 2) for n in (1, 2, 3)]

    (found,) = chunks(document(*sections))

    assert found.heading == ["Torque"]
    assert found.page == 2
    assert found.text == "Bolt 1\n\n1 Nm.\n\nBolt 2\n\n2 Nm.\n\nBolt 3\n\n3 Nm."


def test_text_and_notes_under_one_heading_keep_it_out_of_the_text() -> None:
    (found,) = chunks(document(Section("Body.", ["Slide"], 1), Section("Notes.", ["Slide"], 1)))

    assert (found.heading, found.text) == (["Slide"], "Body.\n\nNotes.")


@pytest.mark.parametrize(
    "other",
    [
        Section("Two.", ["Torque", "Bolt"], 3),
        Section("Two.", ["Seals", "Bolt"], 2),
        Section("Two.", [], 2),
        Section(numbered(20), ["Torque", "Nut"], 2),
    ],
)
def test_other_pages_other_parents_and_long_sections_stay_apart(other: Section) -> None:
    found = chunks(document(Section("One.", ["Torque", "Bolt"], 2), other), target=200)

    assert [piece.text for piece in found] == ["One.", other.text]


def test_a_heading_that_begins_its_text_is_not_written_twice() -> None:
    assert joined_text(document(Section("1 Seals\nReplace.", ["1 Seals"]))) == "1 Seals\nReplace."


def test_ids_stay_the_same_and_differ_by_path_and_record() -> None:
    section = Section("One. Two.")
    ids = [
        chunks(of)[0].id
        for of in (
            document(section),
            document(section),
            document(section, path="b.md"),
            document(section, record="7"),
        )
    ]

    assert ids[0] == ids[1]
    assert len(set(ids)) == 3
    assert all(re.fullmatch(r"[a-z2-7]{12}-0", name) for name in ids)


def test_a_chunk_carries_what_its_document_knows() -> None:
    of = document(
        Section("Text."),
        url="https://example.org/a",
        language="en",
        access=["group:hr"],
        metadata={"year": "2020"},
    )

    (found,) = chunks(of)

    assert (found.title, found.url, found.language) == ("A", "https://example.org/a", "en")
    assert (found.access, found.metadata) == (["group:hr"], {"year": "2020"})


def test_chinese_without_line_ends_is_cut_after_its_full_stops() -> None:
    text = "更换密封件之前，请先关闭水泵并排空管道中的剩余液体。" * 200

    found = list(chunk(document(Section(text)), len, target=200, overlap=30))

    assert all(piece.text.endswith("。") and piece.text.startswith("更") for piece in found)
    assert min(len(piece.text) for piece in found) >= 100


def test_ten_megabytes_in_one_line_without_a_full_stop_are_cut() -> None:
    text = "word " * 2_000_000

    found = list(chunk(document(Section(text)), lambda t: len(t) // 4, target=2_000, overlap=0))

    assert sum(len(piece.text.split()) for piece in found) == 2_000_000


def test_blank_sections_give_no_chunks() -> None:
    assert chunks(document(Section(" \n "), Section(""))) == []


@pytest.mark.parametrize("gap", [" ", "\t"])
def test_gaps_of_a_thousand_lengths_are_no_trap(gap: str) -> None:
    text = "".join("w" + gap * length for length in range(1, 1_200))

    found = list(chunk(document(Section(text)), len, target=300, overlap=30))

    assert {piece.text[0] for piece in found} == {"w"}
    assert found[-1].start + len(found[-1].text) == len(text.rstrip())


def test_a_very_long_word_is_cut_anywhere() -> None:
    found = list(chunk(document(Section("x" * 50_000)), len, target=1_000, overlap=0))

    assert sum(len(piece.text) for piece in found) == 50_000


def test_a_document_without_a_url_is_found_by_its_path_and_record() -> None:
    sections = [Section("One sentence.")]
    file = Document("a/b.md", "B", sections)
    record = Document("tickets.jsonl", "T", sections, record="FS-1")
    own = Document("c.md", "C", sections, url="https://example.org/c")

    urls = [next(chunk(document, count_words)).url for document in (file, record, own)]
    assert urls == ["a/b.md", "tickets.jsonl#FS-1", "https://example.org/c"]
