"""A drawing that takes its colours from the page around it."""

import re
import sys
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from headwater.domain.errors import MissingDependencyError
from headwater.evaluation.report.plots.canvas import SERIES, draw, legend_above, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_XLINK = "{http://www.w3.org/1999/xlink}href"


def bars(_: "Figure", panels: list["Axes"]) -> None:
    panels[0].bar(["<b>$x$", "泵"], [1, 2], color=SERIES[0], hatch="//", label="<script>")
    panels[0].set_ylabel("time (ms)")
    legend_above(panels[0])


def test_it_is_one_svg_element_with_the_text_as_text() -> None:
    drawn = draw(bars, name="bars")

    root = ET.fromstring(drawn)
    words = {
        "".join(text.itertext()).strip() for text in root.iter("{http://www.w3.org/2000/svg}text")
    }
    assert drawn.startswith("<svg ")
    assert {"<b>$x$", "泵", "<script>", "time (ms)"} <= words


def test_colours_are_variables_of_the_page() -> None:
    drawn = draw(bars, name="bars")

    assert {"var(--s1)", "var(--ink)", "var(--grid)"} <= set(re.findall(r"var\(--\w+\)", drawn))
    assert not re.search(r"#0a0[12]\d\d", drawn)


def test_ids_are_its_own_and_every_link_finds_its_target() -> None:
    root = ET.fromstring(draw(bars, name="bars"))
    ids = {element.get("id") for element in root.iter()} - {None}
    links = {element.get(_XLINK) for element in root.iter()} - {None}
    links |= set(re.findall(r"url\((#[^)]+)\)", ET.tostring(root, "unicode")))

    assert links
    assert all(str(name).startswith("bars-") for name in ids)
    assert links <= {f"#{name}" for name in ids}


def test_it_shrinks_with_the_page_and_letters_of_all_drawings_are_of_one_size() -> None:
    narrow, wide = draw(bars, name="a", width=3.5), draw(bars, name="b", width=7)

    sizes = [re.search(r"^<svg [^>]*max-width: ([\d.]+)rem", svg) for svg in (narrow, wide)]
    first, second = (float(size[1]) for size in sizes if size)
    assert second == pytest.approx(2 * first, abs=0.1)
    assert not re.search(r"^<svg [^>]* (width|height)=", wide)


def test_it_does_not_style_the_page_around_it() -> None:
    assert "<style" not in draw(bars, name="bars")


def test_the_same_values_give_the_same_bytes() -> None:
    assert draw(bars, name="bars") == draw(bars, name="bars")


def test_where_nothing_has_a_name_there_is_no_legend() -> None:
    def unnamed(_: "Figure", panels: list["Axes"]) -> None:
        panels[0].plot([0, 1], [0, 1])
        legend_above(panels[0])

    # A warning would be an error here.
    assert "legend" not in draw(unnamed, name="plain")
    assert "legend" in draw(bars, name="bars")


def test_colours_repeat_after_the_last() -> None:
    assert series(len(SERIES)) == series(0)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(MissingDependencyError, match=r"headwater\[eval\]"):
        draw(bars, name="bars")
