import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.citation import UNVERIFIED, CheckedAnswer, Evidence, check, support
from headwater.domain.markers import has_marker, mark
from headwater.domain.sentences import sentences

WARRANTY = Evidence(
    1, "The warranty of the pump is 24 months. It covers seals and bearings.", "X-200 manual"
)
COMPRESSOR = Evidence(
    2,
    "The X-300 compressor carries a warranty of 36 months. Change its oil every 1,000 hours.",
    "X-300 manual",
)
FRENCH = Evidence(3, "La garantie de la pompe est de 24 mois et elle ne couvre pas les joints.")
ALL = [WARRANTY, COMPRESSOR, FRENCH]


def test_a_supported_paraphrase_keeps_its_citation() -> None:
    checked = check("The X-200 pump is under warranty for 24 months [ref_id:1].", ALL)

    assert checked == CheckedAnswer(
        text="The X-200 pump is under warranty for 24 months. [ref_id:1]",
        cited=1,
        refs=frozenset([1]),
    )
    assert checked.warning is None


def test_a_misattributed_sentence_is_moved_to_the_passage_that_says_it() -> None:
    checked = check("The compressor needs an oil change every 1000 hours [ref_id:1].", ALL)

    assert checked.text.endswith("hours. [ref_id:2]")
    assert checked.repointed == 1
    assert "moved" in (checked.warning or "")


def test_a_sentence_that_two_passages_support_equally_is_not_moved_by_guess() -> None:
    twin = Evidence(4, WARRANTY.text, "X-200 manual")

    checked = check("It covers seals and bearings [ref_id:2].", [*ALL[:2], twin])

    assert checked.repointed == 0
    assert checked.text == f"It covers seals and bearings. {UNVERIFIED}"


@pytest.mark.parametrize("cited", ["[ref_id:1]", "[ref_id:2]", "[ref_id:1,2]"])
def test_a_sentence_stitched_from_two_passages_is_caught(cited: str) -> None:
    checked = check(f"The X-200 pump has a warranty of 36 months {cited}.", ALL[:2])

    assert checked.unverified == 1
    assert checked.text == f"The X-200 pump has a warranty of 36 months. {UNVERIFIED}"


@pytest.mark.parametrize(
    "absent",
    [
        "The pump warranty was extended to 60 months [ref_id:1].",
        "The pump warranty is handled by Acme Services [ref_id:1].",
        "The warranty of the X-900 pump covers seals [ref_id:1].",
    ],
)
def test_an_absent_number_name_or_code_costs_the_sentence(absent: str) -> None:
    checked = check(f"It covers seals and bearings [ref_id:1]. {absent}", ALL)

    assert checked.text == "It covers seals and bearings. [ref_id:1]"
    assert checked.dropped == 1


def test_an_unsupported_sentence_without_facts_is_kept_and_marked() -> None:
    checked = check("Customers are usually happy with their purchase [ref_id:1].", ALL)

    assert checked.text.endswith(UNVERIFIED)
    assert checked.cited == 0


def test_invented_references_are_removed() -> None:
    checked = check("It covers seals and bearings [ref_id:1][ref_id:9].", ALL)

    assert checked.text == "It covers seals and bearings. [ref_id:1]"
    assert checked.invented == 1


def test_two_clauses_may_rest_on_two_passages() -> None:
    answer = "The pump warranty is 24 months, and the X-300 compressor has 36 months [ref_id:1,2]."

    assert check(answer, ALL[:2]).refs == {1, 2}


def test_a_citation_that_supports_no_clause_is_removed() -> None:
    assert check("It covers seals and bearings [ref_id:1,2].", ALL).refs == {1}
    twice = "It covers the seals of the pump, and it covers bearings of the pump [ref_id:1,2]."
    assert check(twice, ALL).refs == {1}


def test_a_sentence_without_citation_gets_the_one_that_clearly_supports_it() -> None:
    checked = check("The warranty covers seals and bearings.", ALL[:2])

    assert (checked.text, checked.added) == (
        "The warranty covers seals and bearings. [ref_id:1]",
        1,
    )


def test_what_is_missing_may_be_said_with_the_names_of_the_question() -> None:
    answer = "Nothing is said about the noise of the X-180."

    assert check(answer, ALL, question="How loud is the X-180?").text == answer


def test_another_language_is_checked_by_its_numbers_and_says_so() -> None:
    right = check("The pump is under warranty for 24 months and that is all [ref_id:3].", [FRENCH])
    wrong = check("The pump is under warranty for 99 months and that is all [ref_id:3].", [FRENCH])

    assert right.refs == {3}
    assert "another language" in (right.warning or "")
    assert (wrong.text, wrong.dropped) == ("", 1)


def test_structure_and_blank_lines_survive_the_check() -> None:
    answer = "## Pumps\n\n- It covers seals and bearings. [ref_id:1]\n\n**Note:**"

    assert check(answer, ALL).text == answer


def test_support_is_zero_with_a_wrong_number_and_one_for_a_verbatim_sentence() -> None:
    assert support("The warranty of the pump is 25 months.", WARRANTY) == 0.0
    assert support("the  warranty of the PUMP is 24 months.", WARRANTY) == 1.0


def test_thousands_separators_units_and_word_forms_agree() -> None:
    assert support("The oil is changed every 1 000 hours", COMPRESSOR) == 1.0


PIECES = st.sampled_from(
    [
        "The X-200 runs at 24 V.",
        "No. 5 was closed on 3.5.2021!",
        "泵的保修期为24个月。",
        "Élodie (Paris) left, and 1,000 others came",
        "| A | 12 |",
        "- item two",
        "See [4] and 【3】.",
        "\n\n",
        "\n",
        "# Head",
        "Dr. No said: “no”. ",
        "1. First",
    ]
)


@given(st.lists(st.lists(PIECES | st.text(max_size=20), max_size=8), min_size=1, max_size=3))
def test_verbatim_sentences_are_never_flagged(texts: list[list[str]]) -> None:
    evidence = [Evidence(n, " ".join(pieces)) for n, pieces in enumerate(texts, 1)]
    quoted = [
        f"{' '.join(span.of(e.text).split())} {mark(e.ref_id)}"
        for e in evidence
        for span in sentences(e.text)
        if not has_marker(span.of(e.text))
    ]

    checked = check("\n".join(quoted), evidence)

    assert (checked.unverified, checked.dropped, checked.invented) == (0, 0, 0)
    assert checked.repointed == 0


def test_a_clause_that_no_passage_holds_costs_the_sentence_its_citations() -> None:
    answer = (
        "The pump warranty is 24 months, and the compressor is popular with miners [ref_id:1,2]."
    )

    assert check(answer, ALL[:2]).unverified == 1


def test_a_short_clause_stays_with_its_neighbour() -> None:
    answer = "The X-300, too, has a warranty of 36 months, and seals are covered [ref_id:1,2]."

    assert check(answer, ALL[:2]).refs == {1, 2}


def test_a_code_is_not_there_because_its_number_is() -> None:
    checked = check("The pump warranty is called M-24 [ref_id:1].", ALL[:2])

    assert (checked.text, checked.dropped) == ("", 1)


def test_an_unsupported_sentence_in_another_language_is_marked_not_dropped() -> None:
    evidence = [Evidence(1, "The pump of the Fleury company is in the hall and not for sale.")]

    checked = check("La pompe est dans le jardin de Monsieur Dubois à Lyon [ref_id:1].", evidence)

    assert (checked.unverified, checked.dropped) == (1, 0)


def test_several_markers_after_one_sentence_all_belong_to_it() -> None:
    checked = check("It covers seals and bearings [ref_id:1] – [ref_id:9].", ALL)

    assert (set(checked.refs), checked.invented) == ({1}, 1)
