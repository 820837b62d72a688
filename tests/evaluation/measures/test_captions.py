import pytest

from headwater.evaluation.measures.captions import caption_hit
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
