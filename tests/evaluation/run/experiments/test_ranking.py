from pathlib import Path

import pytest

from headwater.evaluation.data.dataset import Dataset
from headwater.evaluation.data.questions import Choice
from headwater.evaluation.errors import DataError
from headwater.evaluation.record import ResultRow
from headwater.evaluation.run.experiment import Request
from headwater.evaluation.run.experiments.ranking import scenes


async def _rows(small: Path, indexes: Path) -> tuple[dict[str, ResultRow], list[str]]:
    request = Request(choice=Choice(), cache=indexes, data=small)
    [scene] = scenes(request)
    rows = {}
    async with scene.open(lambda _: None) as ask:
        for task in scene.tasks:
            row = await ask(task)
            if row is not None:
                rows[row.qid] = row
    return rows, [one.qid for one in scene.excluded]


async def test_graded_passages_are_ordered_by_each_step(small: Path, indexes: Path) -> None:
    rows, _ = await _rows(small, indexes)

    row = rows["p1"]
    assert set(row.layers) == {"federate", "rank", "classify"}
    assert all(sorted(docs) == ["mars", "saturn", "venus"] for docs in row.layers.values())
    assert row.layers["rank"][0] == "mars"
    assert row.scores["rank"] == sorted(row.scores["rank"], reverse=True)
    assert [piece.doc for piece in row.content] == row.layers["classify"]
    assert all(0 <= (piece.grade or 0) <= 4 and piece.tokens > 0 for piece in row.content)


async def test_every_grade_is_kept_the_best_of_several_and_spans_with_it(
    small: Path, indexes: Path
) -> None:
    rows, _ = await _rows(small, indexes)

    [spans] = [q.spans for q in Dataset(small / "planets").qrels("dev") if q.qid == "p1"]
    gold = {one.doc: (one.grade, one.spans) for one in rows["p1"].gold}
    assert gold == {"mars": (4, spans), "venus": (1, []), "saturn": (2, [])}


async def test_a_question_whose_passages_nobody_has_is_left_out(small: Path, indexes: Path) -> None:
    rows, excluded = await _rows(small, indexes)

    assert set(rows) == {"p1"}
    assert excluded == ["p2"]


def test_a_split_without_pairs_is_an_error(small: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="graded pairs"):
        scenes(Request(choice=Choice(split="test"), cache=tmp_path, data=small))
