from hypothesis import given

from headwater.domain.content import Fingerprint, rendered, repeated_by
from tests.domain.texts import anything

TEXT = "Close valve B, drain the housing, pull the worn seal out and press the new one in by hand."


def repeats(text: str, other: str, *, title: str = "", other_title: str = "") -> bool:
    return Fingerprint.of(title, text).repeats(Fingerprint.of(other_title, other))


def test_a_passage_is_rendered_with_its_title_where_it_has_one() -> None:
    assert rendered("Seals", "Text.") == "Seals\nText."
    assert rendered("", "Text.") == "Text."


@given(anything)
def test_every_text_repeats_itself(text: str) -> None:
    assert repeats(text, text)


@given(anything)
def test_a_text_repeats_one_that_holds_it(text: str) -> None:
    assert repeats(TEXT, f"{text}\n{TEXT}")


def test_small_changes_of_wording_are_still_a_repeat() -> None:
    assert repeats(TEXT, TEXT.replace("Close valve B", "First close valve B").upper())


def test_another_text_is_none() -> None:
    assert not repeats(TEXT, "The warranty of a pump lasts two years from delivery.")


def test_the_longer_text_does_not_repeat_its_part() -> None:
    assert not repeats(f"{TEXT} The warranty of a pump lasts two years from delivery.", TEXT)


def test_a_changed_figure_keeps_both() -> None:
    old, new = f"{TEXT} Use 12 bar.", f"{TEXT} Use 14 bar."

    assert not repeats(old, new)
    assert not repeats(new, old)


def test_a_changed_figure_in_the_title_keeps_both() -> None:
    assert not repeats(TEXT, TEXT, title="X-200 manual", other_title="X-300 manual")
    assert repeats(TEXT, TEXT, title="X-200 manual", other_title="Manual of the X-200")


def test_texts_without_terms_repeat_only_their_like() -> None:
    assert repeats("😀", "😀 ")
    assert not repeats("😀", "☕")
    assert not repeats("😀", TEXT)
    assert repeats("", "")
    assert not repeats("", TEXT)


def test_the_first_kept_passage_that_says_it_is_named() -> None:
    kept = [
        ("a:1", Fingerprint.of("", "Another text on pumps.")),
        ("a:2", Fingerprint.of("", f"{TEXT} And more.")),
        ("a:3", Fingerprint.of("", TEXT)),
    ]

    assert repeated_by(Fingerprint.of("", TEXT), kept) == "a:2"
    assert repeated_by(Fingerprint.of("", "New."), kept) is None
