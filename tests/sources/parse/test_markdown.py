import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.sources.parse.markdown import split_markdown

LINES = ["# A", "## B", "text", "", "```", "~~~", "===", "---", "- item", "| a | b |", "#x", "#"]
TEXTS = st.lists(st.sampled_from(LINES), max_size=30).map("\n".join)


def outline(text: str) -> list[tuple[list[str], str]]:
    return [(section.heading, section.text) for section in split_markdown(text)]


def test_sections_carry_the_path_of_their_headings() -> None:
    text = "intro\n# Pump\none\n## Seals ##\ntwo\n### Deep\nthree\n# Motor\nfour"

    assert outline(text) == [
        ([], "intro"),
        (["Pump"], "one"),
        (["Pump", "Seals"], "two"),
        (["Pump", "Seals", "Deep"], "three"),
        (["Motor"], "four"),
    ]


def test_underlined_headings_count() -> None:
    assert outline("Pump\n====\none\n\nSeals\n---\ntwo") == [
        (["Pump"], "one"),
        (["Pump", "Seals"], "two"),
    ]


def test_fenced_code_stays_whole() -> None:
    code = "```sh\n# no heading\n\n~~~\nend\n```"

    assert outline(f"# Run\n{code}") == [(["Run"], code)]


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    assert outline("# Run\n~~~~\n# a\n~~~\n# b") == [(["Run"], "~~~~\n# a\n~~~\n# b")]


@pytest.mark.parametrize(
    "text",
    [
        "#hashtag",
        "####### seven",
        "    # code",
        "- item\n---",
        "a\nb\n---",
        "\n---\n",
        "| a |\n---",
    ],
)
def test_what_only_looks_like_a_heading_is_text(text: str) -> None:
    assert [heading for heading, _ in outline(text)] == [[]]


def test_markup_in_a_heading_is_dropped() -> None:
    text = "## The [seal](https://example.org) of **X** `200` {#seal}\ntext"

    assert outline(text) == [(["The seal of X 200"], "text")]


def test_a_heading_with_nothing_below_keeps_its_words() -> None:
    assert outline("# Pump\n## Seals\n## Motor\ntext") == [
        (["Pump", "Seals"], "Seals"),
        (["Pump", "Motor"], "text"),
    ]


def test_a_skipped_level_does_not_invent_one() -> None:
    assert outline("# A\n### C\nx\n## B\ny") == [(["A", "C"], "x"), (["A", "B"], "y")]


def test_an_endless_line_of_blanks_is_no_trap() -> None:
    assert outline("# " + " " * 1_000_000 + "x")[0][0] == []


@given(TEXTS)
def test_no_word_is_lost(text: str) -> None:
    kept = " ".join(" ".join([*section.heading, section.text]) for section in split_markdown(text))

    for word in ("text", "- item", "| a | b |", "#x"):
        assert (word in kept) == (word in text)
