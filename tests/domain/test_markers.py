import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.markers import Claim, claims_of, has_marker, mark, written


def flat(answer: str) -> list[tuple[str, list[int]]]:
    return [(claim.text, claim.refs) for line in claims_of(answer) for claim in line]


@pytest.mark.parametrize(
    "cited",
    [
        "Oil it. [ref_id:1][ref_id:2]",
        "Oil it [ref_id:1,2].",
        "Oil it [ref_id: 1, ref_id: 2].",
        "Oil it 【ref_id:1】【ref_id:2】.",
        "Oil it [REF_ID:1] [ref_id:2] .",
        "Oil it [1, 2].",
        "Oil it [1][2].",
        "Oil it 【1†source】【2:0†source】.",
        "Oil it.\n[ref_id:1][ref_id:2]",
    ],
)
def test_reads_the_forms_that_models_write(cited: str) -> None:
    assert flat(cited) == [("Oil it.", [1, 2])]


def test_bare_numbers_are_text_where_the_answer_has_our_markers() -> None:
    assert flat("It grew [12] fast. [ref_id:1]") == [("It grew [12] fast.", [1])]


def test_a_marker_belongs_to_the_sentence_or_clause_before_it() -> None:
    found = flat("First one. Second one [ref_id:1] and more [ref_id:2]. Third.")

    assert found == [("First one.", []), ("Second one", [1]), ("and more.", [2]), ("Third.", [])]


def test_headings_rules_and_lead_ins_claim_nothing() -> None:
    lines = claims_of("# Title\n**Part one**\nThe steps are:\n| --- | --- |")

    assert [claim.structure for line in lines for claim in line] == [True] * 4


def test_a_list_mark_stays_with_its_sentence() -> None:
    assert flat("1. Close it [ref_id:1].\n- Open it [ref_id:2].") == [
        ("1. Close it.", [1]),
        ("- Open it.", [2]),
    ]


def test_a_table_row_keeps_its_citation_in_the_last_cell() -> None:
    row = "| X-300 | 36 months [ref_id:2] |"

    assert written(claims_of(row)) == row


def test_a_chinese_sentence_keeps_its_marker() -> None:
    assert flat("保修期为24个月。[ref_id:1]不含密封件[ref_id:2]。") == [
        ("保修期为24个月。", [1]),
        ("不含密封件。", [2]),
    ]


def test_knows_text_that_looks_like_a_citation() -> None:
    assert has_marker("see [ref_id: 7]")
    assert not has_marker("see [7]")


WORD = st.sampled_from(["oil", "pump", "seal", "Öl", "泵"])
SENTENCE = st.lists(WORD, min_size=1, max_size=5).map(lambda words: " ".join(words) + ".")
CLAIM = st.builds(Claim, SENTENCE, st.lists(st.integers(1, 30), max_size=3, unique=True))


@given(st.lists(CLAIM, min_size=1, max_size=6))
def test_what_was_written_is_read_back(claims: list[Claim]) -> None:
    answer = written([[claim] for claim in claims])

    assert flat(answer) == [(claim.text, claim.refs) for claim in claims]
    assert written(claims_of(answer)) == answer


def test_a_mark_names_one_reference() -> None:
    assert mark(3) == "[ref_id:3]"


def test_a_prompt_sign_behind_a_marker_opens_the_next_sentence() -> None:
    ((first, second),) = claims_of("It is done. [ref_id:1] > binary is typed next. [ref_id:2]")

    assert (first.text, second.text) == ("It is done.", "> binary is typed next.")
