import pytest

from headwater.domain.errors import FileRejectedError, LimitExceededError
from headwater.sources.document import Section
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.pdf import parse_pdf
from tests.sources.hostile_files import encrypted_pdf, pdf

LIMITS = ParseLimits()
LONG = "\n".join(f"Line {n} about the installation of pumps." for n in range(4))


def test_each_page_is_a_section_with_its_number() -> None:
    found = parse_pdf("a.pdf", pdf(["First page", "Second page"], title="Manual"), LIMITS)

    assert found.title == "Manual"
    assert found.sections == [Section("First page", [], 1), Section("Second page", [], 2)]
    assert found.warnings == []


def test_the_outline_gives_headings_and_parts_pages() -> None:
    raw = pdf(
        [f"{LONG}\n1 Seals\n{LONG}", LONG, f"Page 3\nMotors\n{LONG}"],
        outline=[("Seals", 0), ("Motors", 2)],
    )

    found = parse_pdf("a.pdf", raw, LIMITS)

    assert [(s.page, s.heading, s.text[:7]) for s in found.sections] == [
        (1, [], "Line 0 "),
        (1, ["Seals"], "1 Seals"),
        (2, ["Seals"], "Line 0 "),
        (3, ["Motors"], "Page 3\n"),
    ]


def test_pages_without_text_are_named() -> None:
    found = parse_pdf("a.pdf", pdf(["text", "", "text", ""]), LIMITS)

    assert found.warnings == ["2 page(s) without text, probably scans: 2, 4."]
    assert [section.page for section in found.sections] == [1, 3]


@pytest.mark.parametrize(
    ("raw", "cause"),
    [
        (encrypted_pdf(), "encrypted"),
        (pdf(["text"])[:120], "broken or cut off"),
        (b"%PDF-1.7\n", "broken or cut off"),
        (b"no pdf at all", "broken or cut off"),
        (pdf(["", ""]), "No page holds text"),
    ],
)
def test_what_cannot_be_read_is_rejected_with_its_cause(raw: bytes, cause: str) -> None:
    with pytest.raises(FileRejectedError, match=cause):
        parse_pdf("a.pdf", raw, LIMITS)


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (ParseLimits(max_pages=1), "max_pages is 2, allowed are 1"),
        (ParseLimits(max_characters=5), "max_characters"),
    ],
)
def test_limits_are_named(limits: ParseLimits, limit: str) -> None:
    with pytest.raises(LimitExceededError, match=limit):
        parse_pdf("a.pdf", pdf(["some text", "more"]), limits)
