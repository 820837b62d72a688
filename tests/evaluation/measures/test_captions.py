import pytest

from headwater.evaluation.measures.captions import beginning_hit, caption_hit, sentence_hit
from tests.evaluation.rows import gold, piece, row


def test_the_share_of_gold_passages_whose_caption_meets_a_span() -> None:
    needed = [gold("d1", 3, [[0, 10], [50, 60]]), gold("d2", 3, [[0, 10]])]
    content = [piece("d1", caption=[59, 70]), piece("d2", caption=[10, 20]), piece("d3")]

    assert caption_hit(row(gold=needed, content=content)) == 0.5


def test_one_piece_of_a_passage_is_enough() -> None:
    content = [piece("d1", caption=[50, 90]), piece("d1", caption=[5, 20]), piece("d1")]

    assert caption_hit(row(gold=[gold(spans=[[0, 10]])], content=content)) == 1.0


def test_a_passage_without_a_caption_is_a_miss() -> None:
    assert caption_hit(row(gold=[gold(spans=[[0, 10]])])) == 0.0


@pytest.mark.parametrize("spans", [[], [[0, 10]]])
def test_without_a_marked_passage_in_the_content_it_is_unscored(spans: list[list[int]]) -> None:
    content = [piece("d2", caption=[0, 10])] if spans else [piece("d1", caption=[0, 10])]

    assert caption_hit(row(gold=[gold("d1", 4, spans)], content=content)) is None


def test_the_beginning_hits_where_its_characters_reach_a_span() -> None:
    asked = row(
        gold=[gold("d1", 3, [[199, 210]]), gold("d2", 3, [[200, 210]])],
        content=[piece("d1", start=0, end=900), piece("d2", start=0, end=900)],
    )

    assert beginning_hit(asked) == 0.5
    assert beginning_hit(asked, 300) == 1.0


def test_the_beginning_of_a_short_piece_is_all_of_it() -> None:
    asked = row(gold=[gold("d1", 4, [[60, 70]])], content=[piece("d1", start=0, end=50)])

    assert beginning_hit(asked) == 0.0


def test_the_lexical_sentence_hits_like_a_caption_and_is_unscored_where_nobody_looked() -> None:
    needed = [gold("d1", 3, [[0, 10]]), gold("d2", 3, [[0, 10]])]
    content = [piece("d1", sentence=[5, 20]), piece("d2", sentence=[10, 20])]

    assert sentence_hit(row(gold=needed, content=content)) == 0.5
    assert sentence_hit(row(gold=needed, content=[piece("d1", caption=[0, 9])])) is None


def test_an_unanswerable_question_has_no_hit_of_any_window() -> None:
    asked = row(answerable=False, gold=[gold(spans=[[0, 10]])], content=[piece(sentence=[0, 5])])

    assert (beginning_hit(asked), sentence_hit(asked), caption_hit(asked)) == (None, None, None)
