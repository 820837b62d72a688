from dataclasses import replace

import pytest

from headwater.evaluation.measures.citations import (
    abstained,
    abstention_precision,
    abstention_recall,
    citation_precision,
    citation_recall,
    citation_validity,
)
from headwater.evaluation.record import GapRow
from tests.evaluation.rows import asked, cites, gold, piece, row

CONTENT = [piece("d1", ref_id=1), piece("d2", ref_id=2), piece("d3", ref_id=3)]
NEEDED = [gold("d1", 3), gold("d3", 3)]


def missing(sub_query: str) -> GapRow:
    return GapRow(sub_query=sub_query, text="Nothing answers it.", reason="not_found")


def test_citations_by_hand() -> None:
    said = row(content=CONTENT, gold=NEEDED, cited=[cites(1, 2), cites(1, 9)])

    assert citation_validity(said) == 0.75
    assert citation_precision(said) == 0.5
    assert citation_recall(said) == 0.5


def test_alternatives_need_one_citation() -> None:
    said = row(content=CONTENT, gold=[gold("d1"), gold("d3")], cited=[cites(3)])

    assert citation_recall(said) == 1.0


def test_a_cited_translation_of_a_gold_passage_is_neither_right_nor_wrong() -> None:
    content = [piece("d1", ref_id=1), piece("d2", ref_id=2)]
    both = row(content=content, cited=[cites(1, 2)], neutral=["d2"])

    assert citation_precision(both) == 1.0
    assert citation_precision(replace(both, neutral=[])) == 0.5
    assert citation_precision(replace(both, cited=[cites(2)])) is None


def test_an_answer_that_cites_nothing_has_no_precision_but_a_recall_of_zero() -> None:
    bare = row(cited=[cites()])

    assert citation_validity(bare) is None
    assert citation_precision(bare) is None
    assert citation_recall(bare) == 0.0
    assert citation_recall(row(answer=None, cited=[])) is None


def test_an_answer_is_withheld_where_there_is_none_or_all_is_missing() -> None:
    two = [asked("1.1"), asked("1.2")]

    assert abstained(row(answer=None)) == 1.0
    assert abstained(row(sub_queries=two, gaps=[missing("1.1"), missing("1.2")])) == 1.0
    assert abstained(row(sub_queries=two, gaps=[missing("1.1")])) == 0.0
    assert abstained(row(step_ms={})) is None


@pytest.mark.parametrize(
    ("answerable", "answer", "precision", "recall"),
    [
        (False, None, 1.0, 1.0),
        (False, "Ada.", None, 0.0),
        (True, None, 0.0, None),
        (True, "Ada.", None, None),
        ("partial", None, None, None),
        (None, None, None, None),
    ],
)
def test_abstention_is_right_on_unanswerable_questions(
    answerable: bool | str | None,
    answer: str | None,
    precision: float | None,
    recall: float | None,
) -> None:
    asked_for = row(answerable=answerable, answer=answer)

    assert abstention_precision(asked_for) == precision
    assert abstention_recall(asked_for) == recall
