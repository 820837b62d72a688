import pytest

from headwater.domain.errors import FileRejectedError, LimitExceededError
from headwater.sources.document import Section
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.office import parse_html, parse_office
from tests.sources.hostile_files import docx, lying_bomb_docx, pptx, xlsx

LIMITS = ParseLimits()


def test_a_word_file_is_split_by_its_headings() -> None:
    raw = docx(
        ("Title", "Pump"), ("Normal", "Intro * of #1."), ("Heading 1", "Seals"), ("Normal", "Two.")
    )

    found = parse_office("a.docx", raw, "docx", LIMITS)

    assert [(section.heading[-1], section.text) for section in found.sections] == [
        ("Pump", "Intro * of #1."),
        ("Seals", "Two."),
    ]


def test_slides_are_pages_with_their_notes_at_the_end() -> None:
    raw = pptx(("Seals", "Replace yearly", "Ask the audience"), ("Motors", "Grease", ""))

    found = parse_office("a.pptx", raw, "pptx", LIMITS)

    assert found.sections == [
        Section("Replace yearly", ["Seals"], 1),
        Section("Ask the audience", ["Seals"], 1),
        Section("Grease", ["Motors"], 2),
    ]


def test_sheets_are_headings_and_empty_ones_are_left_out() -> None:
    raw = xlsx(Prices=[["part", "price"], ["seal", 12.5]], Empty=[], Stock=[["part"], ["pump"]])

    found = parse_office("my_prices.xlsx", raw, "xlsx", LIMITS)

    assert [section.heading for section in found.sections] == [["Prices"], ["Stock"]]
    assert "| seal | 12.5 |" in found.sections[0].text
    assert found.title == "my prices"


def test_a_web_page_loses_scripts_menus_and_addresses() -> None:
    page = (
        "<html lang=fr-FR><head><title>Joints &amp; pompes</title><script>steal()</script>"
        "<style>p{}</style></head><body><nav><a href=/>Accueil</a></nav><h1>Joints</h1>"
        "<p>Voir <a href='https://example.org/x'>la pompe</a> <img src=a.png alt=vue>.</p></body>"
    )

    found = parse_html("a.html", page, LIMITS)

    assert (found.title, found.language) == ("Joints & pompes", "fr")
    assert found.sections == [Section("Voir la pompe vue.", ["Joints"])]


def test_a_declared_encoding_does_not_spoil_what_is_text_already() -> None:
    page = "<head><meta charset=iso-8859-1></head><body><p>déjà 价格</p></body>"

    assert parse_html("a.html", page, LIMITS).sections[0].text == "déjà 价格"


@pytest.mark.parametrize("depth", [50_000])
def test_a_page_nested_without_end_is_parsed_or_rejected(depth: int) -> None:
    try:
        found = parse_html("a.html", "<div>" * depth + "text", LIMITS)
    except FileRejectedError as error:
        assert error.cause  # noqa: PT017 - either outcome is right, a crash is not
    else:
        assert "text" in found.sections[0].text


def test_a_page_without_text_is_rejected() -> None:
    with pytest.raises(FileRejectedError, match="no text"):
        parse_html("a.html", "<html><script>x</script></html>", LIMITS)


def test_an_archive_that_lies_about_its_sizes_unpacks_to_nothing_harmful() -> None:
    with pytest.raises(FileRejectedError):
        parse_office(
            "a.docx", lying_bomb_docx(30_000_000), "docx", ParseLimits(max_archive_bytes=1_000_000)
        )


def test_text_above_the_limit_is_refused() -> None:
    with pytest.raises(LimitExceededError, match="max_characters"):
        parse_office("a.docx", docx(("Normal", "long text")), "docx", ParseLimits(max_characters=4))


def test_slides_above_the_limit_are_refused() -> None:
    raw = pptx(("a", "b", ""), ("c", "d", ""))

    with pytest.raises(LimitExceededError, match="max_pages"):
        parse_office("a.pptx", raw, "pptx", ParseLimits(max_pages=1))
