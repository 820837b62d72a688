"""The report as a reader's browser shows it."""

import io
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from headwater.evaluation.report.write import write_reports
from tests.evaluation.report.browser import CHROMIUM, Tab, opened_tab
from tests.evaluation.report.documents import HOSTILE
from tests.evaluation.report.sample import sample_rows, write_run

PLOTS = [
    "full-support",
    "gain-forest",
    "exit-difficulty",
    "sufficient-reliability",
    "score-reliability",
    "grade-reliability",
    "score-grades",
    "step-times",
]
_TABLE = "document.querySelector('#gains-all-table')"
_GAINS = f"[...{_TABLE}.tBodies[0].rows].map(row => row.cells[5].dataset.order)"
_HEAD = f"{_TABLE}.tHead.rows[0].cells[5]"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = sample_rows(12)
    rows[0] = replace(rows[0], lang=HOSTILE)
    folder = write_run(tmp_path_factory.mktemp("run"), rows)
    write_reports(folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    if CHROMIUM is None:
        reason = "Chromium is not installed: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason} (in CI it must be there)")
        pytest.skip(reason)
    with opened_tab(tmp_path_factory.mktemp("browser")) as tab:
        yield tab


@pytest.fixture
def tab(browser: Tab, page: Path) -> Tab:
    browser.prefer("light")
    browser.open(page)
    return browser


def picture(tab: Tab, selector: str) -> Image.Image:
    """What is seen of the first element that `selector` finds."""
    box = tab.value(
        f"(() => {{ const b = document.querySelector('{selector}').getBoundingClientRect();"
        " return {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}; })()"
    )
    return Image.open(io.BytesIO(tab.picture(box))).convert("RGB")


def colours(image: Image.Image) -> int:
    """How many colours cover at least 20 pixels each."""
    return sum(number >= 20 for number, _ in image.getcolors(1 << 24) or [])


def test_the_console_stays_empty_and_nothing_else_is_asked_for(tab: Tab, page: Path) -> None:
    assert tab.errors() == []
    assert {url for url in tab.requests() if not url.startswith("data:")} <= {page.as_uri()}


def test_an_error_on_a_page_would_be_found(tab: Tab, tmp_path: Path) -> None:
    broken = tmp_path / "broken.html"
    broken.write_text("<script>console.error('one'); undefinedName()</script>")
    before = len(tab.errors())

    tab.open(broken)
    found = tab.errors()[before:]
    del tab.events[:]

    assert len(found) == 2


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_drawn(tab: Tab, name: str) -> None:
    drawn = picture(tab, f"#{name} > svg")

    assert min(drawn.size) > 100
    assert colours(drawn) > 4


def test_a_planted_script_does_not_run(tab: Tab) -> None:
    assert tab.value("document.scripts.length") == 1
    assert tab.value("document.body.innerText.includes('<script>alert')")


def test_every_link_inside_a_drawing_finds_its_target(tab: Tab) -> None:
    lost = tab.value(
        "[...document.querySelectorAll('svg use')].filter(use =>"
        " !document.querySelector(use.getAttribute('xlink:href'))).length"
    )
    ids = tab.value("[...document.querySelectorAll('[id]')].map(element => element.id)")

    assert lost == 0
    assert len(ids) == len(set(ids))


def test_a_click_sorts_a_column_up_then_down(tab: Tab) -> None:
    up = [tab.value(f"{_HEAD}.querySelector('button').click()"), tab.value(_GAINS)][1]
    said_up = tab.value(f"{_HEAD}.ariaSort")
    down = [tab.value(f"{_HEAD}.querySelector('button').click()"), tab.value(_GAINS)][1]

    numbers = [float(entry) for entry in up]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) > 1
    assert [float(entry) for entry in down] == sorted(numbers, reverse=True)
    assert (said_up, tab.value(f"{_HEAD}.ariaSort")) == ("ascending", "descending")


def test_entries_that_are_not_known_stay_last_in_either_direction(tab: Tab) -> None:
    head = f"{_TABLE}.tHead.rows[0].cells[9].querySelector('button')"
    unknown = f"[...{_TABLE}.tBodies[0].rows].map(row => row.cells[9].dataset.order === undefined)"

    for _ in range(2):
        tab.value(f"{head}.click()")
        order = tab.value(unknown)
        assert any(order)
        assert order == sorted(order)


def test_a_column_is_sorted_by_the_keyboard_as_well(tab: Tab) -> None:
    tab.value(f"{_HEAD}.querySelector('button').focus()")

    tab.press("Enter", 13)

    assert tab.value(f"{_HEAD}.ariaSort") == "ascending"


def test_the_head_of_a_table_stays_in_sight(tab: Tab) -> None:
    moved = tab.value(
        f"(() => {{ const area = {_TABLE}.parentElement, head = {_HEAD};"
        " const top = () => head.getBoundingClientRect().top, before = top();"
        " area.scrollTop = 200; return [top() - before, area.scrollTop]; })()"
    )

    assert moved[1] == 200
    assert abs(moved[0]) < 1


def test_a_dark_system_gets_a_dark_page(tab: Tab) -> None:
    light = picture(tab, "#full-support").getpixel((3, 3))

    tab.prefer("dark")
    dark = picture(tab, "#full-support").getpixel((3, 3))

    assert isinstance(light, tuple)
    assert isinstance(dark, tuple)
    assert sum(light) > 600
    assert sum(dark) < 200


def test_the_button_turns_the_page_dark(tab: Tab) -> None:
    tab.value("document.getElementById('theme').click()")

    assert tab.value("document.documentElement.dataset.theme") == "dark"
    assert tab.value("getComputedStyle(document.body).backgroundColor") == "rgb(18, 23, 29)"


def test_text_has_enough_contrast_in_both_themes(tab: Tab) -> None:
    for scheme in ("light", "dark"):
        tab.prefer(scheme)
        for name in ("ink", "muted", "accent", *(f"s{number}" for number in range(1, 9))):
            needed = 3.0 if name.startswith("s") else 4.5  # WCAG 2.2: graphics, text
            assert contrast(tab, name, "raised") >= needed, (scheme, name)


def contrast(tab: Tab, one: str, other: str) -> float:
    """Contrast of two of the page's colours, from 1 to 21, as WCAG 2.2 defines it."""
    first, second = sorted((luminance(tab, one), luminance(tab, other)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def luminance(tab: Tab, name: str) -> float:
    """Relative luminance of a colour of the page, in [0, 1]."""
    text = tab.value(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')")
    parts = [int(text.strip()[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_narrow_screen_does_not_scroll_sideways(tab: Tab) -> None:
    narrow = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    tab.call("Emulation.setDeviceMetricsOverride", **narrow)

    width = tab.value("document.documentElement.scrollWidth")
    tab.call("Emulation.clearDeviceMetricsOverride")

    assert width <= 390
