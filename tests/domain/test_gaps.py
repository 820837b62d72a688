from headwater.domain.gaps import after_reading, gaps_of, statements_of
from headwater.domain.result import Gap
from headwater.domain.state import SubQuery
from headwater.domain.support import Support

QUERY = SubQuery("q1", "How long is the pump warranty?")
FAILED = Gap(None, "The source tickets could not be asked.", "source_failed")


def test_failed_sources_stay_and_earlier_judgements_are_replaced() -> None:
    before = [FAILED, Gap("q1", "Nothing was found.", "not_found")]

    assert gaps_of(before, [Support(QUERY, "answered", [])], []) == [FAILED]


def test_each_sub_query_says_how_far_it_got() -> None:
    supports = [
        Support(QUERY, "not_found", []),
        Support(SubQuery("q2", "Who pays?"), "partly_found", [], missing="pays"),
    ]

    assert gaps_of([], supports, []) == [
        Gap("q1", "Nothing in the sources answers: How long is the pump warranty?", "not_found"),
        Gap("q2", "Found only in part: Who pays? (missing: pays)", "partly_found"),
    ]


def test_a_conflict_names_both_references_once_and_the_newer_one() -> None:
    statements = [
        *statements_of(1, "The pump warranty is 24 months.", context="", dated="2023-01-01"),
        *statements_of(4, "The pump warranty is 36 months.", context="", dated="2025-02-01"),
    ]
    twice = [Support(QUERY, "answered", []), Support(SubQuery("q2", QUERY.text), "answered", [])]

    (gap,) = gaps_of([], twice, statements)

    assert (gap.sub_query, gap.reason) == ("q1", "conflict")
    assert "[ref_id:1] says “The pump warranty is 24 months.”" in gap.text
    assert gap.text.endswith("[ref_id:4] is newer (2025-02-01).")


def test_a_disagreement_on_something_else_is_not_reported() -> None:
    statements = [
        *statements_of(1, "The hall is heated to 18 degrees.", context="", dated=""),
        *statements_of(2, "The hall is heated to 21 degrees.", context="", dated=""),
    ]

    assert gaps_of([], [Support(QUERY, "answered", [])], statements) == []


def test_a_disagreement_that_shares_only_a_name_with_the_question_is_not_reported() -> None:
    statements = [
        *statements_of(1, "Ternbrook gives a warranty of 24 months.", context="", dated=""),
        *statements_of(2, "Ternbrook gives a warranty of 36 months.", context="", dated=""),
    ]
    founder = Support(SubQuery("q1", "Who founded Ternbrook?"), "partly_found", [])
    unfound = Support(SubQuery("q2", "Ternbrook warranty"), "not_found", [])

    found = gaps_of([], [founder, unfound], statements)

    assert [gap.reason for gap in found] == ["partly_found", "not_found"]


def test_only_sentences_with_numbers_are_statements() -> None:
    found = statements_of(1, "It is blue. It weighs 4 kg.", context="T", dated="")

    assert [s.text for s in found] == ["It weighs 4 kg."]


def test_a_checked_citation_softens_what_the_first_look_did_not_find() -> None:
    gaps = [FAILED, Gap("q1", "Nothing…", "not_found"), Gap("q3", "Nothing…", "not_found")]
    queries = [QUERY, SubQuery("q2", "more", round=2, parent="q1"), SubQuery("q3", "other")]

    read = after_reading(gaps, queries, {"q2"})

    assert [(g.sub_query, g.reason) for g in read] == [
        (None, "source_failed"),
        ("q1", "partly_found"),
        ("q3", "not_found"),
    ]
