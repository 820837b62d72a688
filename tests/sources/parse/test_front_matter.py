import pytest

from headwater.domain.errors import FileRejectedError
from headwater.sources.parse.front_matter import MAX_CHARACTERS, language_code, split_front_matter


def test_fields_go_where_they_belong() -> None:
    text = (
        "---\nTitle: Pump seals\nurl: https://example.org/a\nlanguage: no\n"
        "access: [hr, user:ada]\ntags: [a, b]\nversion: 1.10\nnested: {x: 1}\n---\n# Body\n"
    )

    front = split_front_matter("a.md", text)

    assert (front.title, front.url, front.language) == ("Pump seals", "https://example.org/a", "no")
    assert front.access == ["group:hr", "user:ada"]
    assert front.metadata == {"tags": "a, b", "version": "1.10"}
    assert front.body == "# Body\n"


def test_toml_between_plus_signs_counts() -> None:
    front = split_front_matter(
        "a.md", '+++\ntitle = "Seals"\naccess = ["hr"]\ndraft = false\n+++\nx'
    )

    assert (front.title, front.access, front.body) == ("Seals", ["group:hr"], "x")
    assert front.metadata == {"draft": "False"}


def test_blank_lines_above_do_not_make_it_public() -> None:
    assert split_front_matter("a.md", "\n\n---\naccess: hr\n---\nx").access == ["group:hr"]


def test_no_list_is_everybody_and_an_empty_list_is_nobody() -> None:
    assert split_front_matter("a.md", "---\ntitle: A\n---\nx").access is None
    assert split_front_matter("a.md", "---\naccess: []\n---\nx").access == []


@pytest.mark.parametrize(
    "text",
    [
        "---\naccess: [hr\n---\nsecret",
        "---\naccess:\n---\nsecret",
        "---\naccess: {group: hr}\n---\nsecret",
        "---\naccess: role:boss\n---\nsecret",
        "---\naccess: hr\nsecret without an end",
        "---\ntitle: a: b: c\n---\nsecret",
        "---\n- access: hr\n---\nsecret",
        "+++\naccess = [hr\n+++\nsecret",
        "---\na: &a [x]\nb: *a\n---\nsecret",
        "---\na: " + "[" * 5_000 + "\n---\nsecret",
        "---\na: " + "x" * MAX_CHARACTERS + "\n---\nsecret",
    ],
)
def test_what_cannot_be_understood_rejects_the_file(text: str) -> None:
    with pytest.raises(FileRejectedError, match=r"a\.md: The front matter cannot be understood"):
        split_front_matter("a.md", text)


@pytest.mark.parametrize(
    "text",
    ["plain", "---\nprose between rules\n---\nmore", "---\n\nonly a rule above", "--- no rule"],
)
def test_prose_that_begins_with_a_rule_is_kept_whole(text: str) -> None:
    front = split_front_matter("a.md", text)

    assert (front.body, front.access, front.metadata) == (text, None, {})


def test_a_language_tag_gives_its_two_letters() -> None:
    assert [language_code(tag) for tag in ("fr-CA", "EN", "zh_Hans", "french", "")] == [
        "fr",
        "en",
        "zh",
        None,
        None,
    ]
