"""A report as one HTML file."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from headwater.evaluation.report.page import as_page
from tests.evaluation.report.documents import HOSTILE, report

_EMPTY = {"meta", "link", "br", "path"}


class Outline(HTMLParser):
    """The elements of a page, and whether each was closed in its place."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def outline() -> Outline:
    return Outline(as_page(report()))


def test_every_element_is_closed_in_its_place(outline: Outline) -> None:
    assert outline.open == []


def test_text_of_the_data_forms_no_element() -> None:
    hostile = Outline(as_page(report(HOSTILE)))

    assert len(hostile.all("script")) == 1
    assert [tag for tag, _ in hostile.elements] == [
        tag for tag, _ in Outline(as_page(report())).elements
    ]
    assert any('<script>alert("1")</script> &' in text for text in hostile.text)


def test_nothing_is_loaded_from_elsewhere(outline: Outline) -> None:
    addresses = [
        value
        for _, attributes in outline.elements
        for name, value in attributes.items()
        if name in {"src", "href", "action"}
    ]

    assert addresses
    assert all(str(address).startswith(("#", "data:")) for address in addresses)
    assert "@import" not in as_page(report())


def test_only_the_own_script_may_run(outline: Outline) -> None:
    page = as_page(report())
    found = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert found is not None
    digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()

    policy = next(m["content"] for m in outline.all("meta") if m.get("http-equiv"))

    assert policy is not None
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


def test_a_drawing_says_what_it_shows_and_its_numbers_stand_in_a_table(outline: Outline) -> None:
    assert outline.all("svg") == [{"role": "img", "aria-label": "plain", "viewbox": "0 0 1 1"}]
    assert {table["id"] for table in outline.all("table")} == {
        "support-table",
        "curve-numbers-table",
    }


def test_columns_are_sorted_by_buttons_that_a_keyboard_reaches(outline: Outline) -> None:
    heads = outline.all("th")

    assert len(heads) == 4
    assert all(head["scope"] == "col" and head["aria-sort"] == "none" for head in heads)
    assert len(outline.all("button")) == len(heads) + 1
    regions = [area for area in outline.all("div") if area.get("role") == "region"]
    assert all(area["tabindex"] == "0" and area["aria-label"] for area in regions)


def test_an_entry_that_is_not_known_has_nothing_to_be_sorted_by(outline: Outline) -> None:
    cells = outline.all("td")

    unknown = [cell for cell in cells if "none" in str(cell.get("class"))]
    assert len(unknown) == 2
    assert all("data-order" not in cell for cell in unknown)


def test_every_chapter_can_be_reached_from_the_top(outline: Outline) -> None:
    names = [f"#{section['id']}" for section in outline.all("section")]

    assert names == ["#first", "#conditions"]
    assert set(names) <= {link["href"] for link in outline.all("a")}


def test_no_id_is_used_twice(outline: Outline) -> None:
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]

    assert len(ids) == len(set(ids))
