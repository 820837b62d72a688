import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.doctor_routing import Described, routing_checks

EXAMPLE = Path(__file__).parents[2] / "examples" / "field-service" / "headwater.toml"
PUMPS = Described("pump_manuals", "Installation and repair of pumps: seals, torques, fault codes")
LEAVE = Described("leave_policies", "Holidays, sick leave and parental leave of the whole staff")


def texts(*sources: Described, similar: float | None = None) -> list[str]:
    pairs = {(sources[0].name, sources[1].name): similar} if similar is not None else None
    return [check.text for check in routing_checks(sources, pairs) if check.level != "ok"]


def test_sources_that_differ_are_fine() -> None:
    [check] = routing_checks([PUMPS, LEAVE], {(PUMPS.name, LEAVE.name): 0.3})

    assert check.level == "ok"


def test_the_example_passes() -> None:
    config = tomllib.loads(EXAMPLE.read_text("utf-8"))

    assert texts(*(Described(s["name"], s["description"]) for s in config["sources"])) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kb", "too short"),
        ("hr", "too short"),
        ("docs", "says nothing"),
        ("my_data_2", "says nothing"),
        ("misc-files", "says nothing"),
    ],
)
def test_a_poor_name_is_found(name: str, words: str) -> None:
    [text] = texts(Described(name, PUMPS.description))

    assert text.startswith(f"{name}: ")
    assert words in text


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("", "no description"),
        ("  ", "no description"),
        ("Various documents and other files", "only general words"),
        ("Pump manuals", "adds little"),
        ("The manuals of our pumps, for pumps", "adds little"),
    ],
)
def test_a_poor_description_is_found(description: str, words: str) -> None:
    [text] = texts(Described("pump_manuals", description))

    assert words in text


def test_names_that_are_nearly_alike_are_found() -> None:
    [text] = texts(PUMPS, Described("pumps_manual", LEAVE.description))

    assert "the names are nearly alike" in text


def test_descriptions_that_share_most_words_are_found() -> None:
    again = "Repair and installation of pumps with their seals, torques, codes of faults, old"

    [text] = texts(PUMPS, Described("archived_sheets", again))

    assert "of the description is shared" in text


def test_descriptions_that_mean_the_same_are_found_by_their_vectors() -> None:
    other = Described("service_books", "How machines that move water are mounted and mended")

    assert texts(PUMPS, other) == []
    [text] = texts(PUMPS, other, similar=0.93)
    assert "mean nearly the same (cosine 0.93)" in text


def test_more_than_ten_sources_are_too_many() -> None:
    topics = "anchors bolts cranes dams engines filters gaskets hoses inverters joints keys".split()
    sources = [Described(f"{t}_book", f"{t} {t[:3]}a {t[:3]}b {t[:3]}c {t[:3]}d") for t in topics]

    assert texts(*sources)[0].startswith("11 sources")
    assert not any("11 sources" in text for text in texts(*sources[:10]))


@given(st.lists(st.builds(Described, st.text(min_size=1), st.text()), max_size=5))
def test_any_names_and_descriptions_can_be_checked(sources: list[Described]) -> None:
    checks = routing_checks(sources)

    assert checks
    assert all(check.fix for check in checks if check.level != "ok")
