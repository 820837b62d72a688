import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.entities import Anchor, bridges, codes, names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The pump uses seal S-14, made by Marlow Dynamics.", ["S-14", "Marlow Dynamics"]),
        ("It was led by the Bank of England in Leeds.", ["Bank of England", "Leeds"]),
        ("Le film « Les Choristes » de Christophe.", ["Les Choristes", "Christophe"]),
        (
            "这款泵由「海川」公司制造，使用 Viton 密封件。参见《维护手册》。",
            ["海川", "Viton", "维护手册"],
        ),
        ("このモーターはセリーズ型です", ["モーター", "セリーズ"]),
        ("See the [Seal catalogue](seals.md) for parts.", ["Seal catalogue"]),
        ("Everything is fine. However it rains.", []),
    ],
)
def test_finds_names_of_several_kinds_and_scripts(text: str, expected: list[str]) -> None:
    assert [name.text for name in names(text)] == expected


def test_codes_need_a_capital_and_a_digit() -> None:
    assert codes("The X-200 and C7 run at 24 V with x-ray and USB.") == ["X-200", "C7"]


@given(st.text(max_size=200))
def test_a_name_is_verbatim_and_names_do_not_overlap(text: str) -> None:
    found = names(text)

    assert all(name.span.of(text) == name.text for name in found)
    assert all(a.span.end <= b.span.start for a, b in itertools.pairwise(found))


def test_the_bridge_is_the_name_beside_the_words_of_the_question() -> None:
    anchor = Anchor(
        "King of the Sierras is a film directed by Chano Urueta. It was shown in Lisbon.", 0.8
    )

    found = bridges("When was the director of King of the Sierras born?", [anchor], top=2)

    assert found[0].name == "Chano Urueta"
    assert 0 < found[0].probability <= 0.8


def test_a_likelier_passage_gives_a_likelier_bridge() -> None:
    text = "The X-200 pump is sealed by {}."
    anchors = [Anchor(text.format("Boreal"), 0.9), Anchor(text.format("Cirrus"), 0.2)]

    found = bridges("Who makes the seal of the X-200 pump?", anchors, top=2)

    assert [bridge.name for bridge in found] == ["Boreal", "Cirrus"]


def test_a_title_that_the_question_lacks_can_be_the_bridge() -> None:
    anchor = Anchor("The pump in the north hall moves slurry.", 0.9, title="X-300 manual (2nd ed.)")

    assert bridges("Which pump is in the north hall?", [anchor], top=1)[0].name == "X-300 manual"


def test_a_name_of_every_passage_counts_less_than_a_rare_one() -> None:
    anchors = [
        Anchor("Ternbrook sells the pump with Boreal inside.", 0.5),
        Anchor("Ternbrook sells another pump.", 0.5),
        Anchor("Ternbrook sells a third pump.", 0.5),
    ]

    found = bridges("Which seal does the pump have?", anchors, top=2)

    assert next(bridge.name for bridge in found) == "Boreal"


def test_names_that_the_question_has_lead_nowhere() -> None:
    anchor = Anchor("The Boreal pump is made by Boreal.", 0.9, title="Boreal")

    assert bridges("Who makes the Boreal pump?", [anchor], top=2) == []


def test_two_forms_of_one_name_are_one_bridge() -> None:
    anchor = Anchor("The pump is by Marlow Dynamics. For this pump Marlow gives a guarantee.", 0.9)

    assert len(bridges("Who makes the pump?", [anchor], top=2)) == 1


@given(st.lists(st.text("AbC pump X-1.«»《》", max_size=60), max_size=4), st.floats(0, 1))
def test_bridges_are_probable_ordered_and_few(texts: list[str], probability: float) -> None:
    found = bridges("pump bC", [Anchor(text, probability, text[:9]) for text in texts], top=2)

    assert len(found) <= 2
    assert all(0 < bridge.probability <= probability + 1e-9 for bridge in found)
    assert found == sorted(found, key=lambda b: -b.probability)


def test_a_question_without_terms_has_no_bridge() -> None:
    assert bridges("Who is it?", [Anchor("Made by Boreal.", 0.9, title="Cirrus")], top=2) == []


def test_a_quoted_word_that_says_nothing_is_not_followed() -> None:
    anchor = Anchor('The band "The" plays the hall of Utrecht.', 1.0)

    found = bridges("Where does the band play?", [anchor], top=3)

    assert [bridge.name for bridge in found] == ["Utrecht"]
