from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.report import (
    cited,
    place,
    print_report,
    readable_answer,
    references_block,
    sections,
)
from tests.cli.output import printed
from tests.cli.sample import RESULT, result


def report(explain: bool = False, **changes: Any) -> str:
    return printed(lambda screen: print_report(screen, result(**changes), explain=explain))


def test_citations_are_written_as_numbers() -> None:
    first = report().splitlines()[0]

    assert first == "The seal is S-14 [1]. It lasts 4,000 hours [1][2]."


@given(st.lists(st.integers(0, 999)))
def test_every_citation_survives_as_its_number(numbers: list[int]) -> None:
    answer = "".join(f"x [ref_id:{number}]" for number in numbers)

    assert readable_answer(answer) == "".join(f"x [{number}]" for number in numbers)


def test_strong_words_are_bold_on_a_terminal_and_bare_elsewhere() -> None:
    strong = result(answer="**Which seal?**\n\n2 ** 3 and a*b*")

    shown = printed(lambda screen: print_report(screen, strong), terminal=True)

    assert shown.startswith("\x1b[1mWhich seal?\x1b[0m\n\n2 ** 3 and a*b*")
    assert report(answer=strong.answer).startswith("Which seal?\n\n2 ** 3 and a*b*")


def test_brackets_of_the_answer_itself_are_no_markup() -> None:
    assert "[bold]not bold[/bold] :smile:" in report(answer="[bold]not bold[/bold] :smile:")


def test_a_reference_tells_number_title_source_place_and_scores() -> None:
    assert "  [1] X-200 · manuals · p. 3 · Parts > Seals · ranked 3.5, graded 4.0" in report()


def test_a_reference_without_title_is_called_by_its_id() -> None:
    assert "  [2] p#1 · policies\n" in report()


def test_a_place_leaves_out_what_is_not_known_or_said_by_the_title() -> None:
    assert [place(reference) for reference in RESULT.references[:2]] == ["p. 3 · Parts > Seals", ""]
    assert place(replace(RESULT.references[0], heading=["X-200", "Data"])) == "p. 3 · Data"


def test_a_long_caption_is_wrapped_and_set_in_without_trailing_blanks() -> None:
    reference = replace(RESULT.references[1], caption="every four thousand hours " * 9)

    lines = printed(
        lambda screen: screen.print(references_block(result(references=[reference]))), width=60
    ).splitlines()

    assert len(lines) > 3
    assert all(line.startswith("      ") for line in lines[1:])
    assert all(line == line.rstrip() and len(line) <= 60 for line in lines)


def test_only_cited_references_are_shown_and_the_rest_is_counted() -> None:
    shown = report()

    assert cited(RESULT) == {1, 2}
    assert "\n      Every 4,000 h.\n" in shown
    assert "[3]" not in shown
    assert "and 1 more that the answer does not cite" in shown


def test_all_references_show_with_explain_or_where_nothing_is_cited() -> None:
    assert "Not used." in report(explain=True)
    assert "Not used." in report(answer=None)


def test_highlights_stand_out_on_a_terminal() -> None:
    shown = printed(lambda screen: screen.print(references_block(RESULT)), terminal=True)

    assert "The \x1b[1;33mseal\x1b[0m is S-14." in shown


def test_the_sentence_that_answers_is_underlined_with_its_highlights() -> None:
    caption = "See page 3. The seal is S-14."
    reference = replace(
        RESULT.references[0], caption=caption, highlights=[[16, 20]], answer=[12, len(caption)]
    )

    shown = printed(
        lambda screen: screen.print(references_block(replace(RESULT, references=[reference]))),
        terminal=True,
    )

    assert "See page 3. \x1b[4mThe \x1b[0m\x1b[1;4;33mseal\x1b[0m\x1b[4m is S-14.\x1b[0m" in shown


def test_gaps_warnings_and_status_are_told() -> None:
    shown = report()

    assert "Not covered\n  - The price was not found." in shown
    assert "Warnings\n  - plan: the chat model was too slow" in shown
    assert "effort medium · 2 rounds · 1,234 ms · status partial" in shown


def test_sub_queries_are_told_with_where_they_went() -> None:
    assert "Asked\n  - q1: Which seal? → manuals\n  - q2: How long? → policies" in report()


def test_parts_without_content_are_left_out() -> None:
    titles = [part.title for part in sections(result(gaps=[], warnings=[], references=[]))]

    assert not {"References", "Not covered", "Warnings"} & set(titles)
    assert "Why it stopped" in titles


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"answer": None}, "No answer was composed; these passages were found."),
        ({"answer": None, "references": []}, "Nothing was found that answers this."),
    ],
)
def test_a_missing_answer_is_explained(changes: dict[str, Any], sentence: str) -> None:
    assert report(**changes).startswith(sentence)


def test_candidates_are_listed_with_explain_only() -> None:
    assert "manuals:x#9" not in report()
    row = next(line for line in report(explain=True).splitlines() if "manuals:x#9" in line)
    assert row.split() == ["q1", "manuals:x#9", "duplicate", "repeats", "manuals:x#1"]


def test_a_document_cannot_steer_the_terminal() -> None:
    hostile = "a\x1b]0;title\x07\x9b31m\rb\u202egnp"

    shown = report(answer=hostile, warnings=[hostile])

    assert not set(shown) & set("\x1b\x07\x9b\r\u202e")
