from pathlib import Path

import pytest

from headwater.evaluation.data.dataset import Dataset
from headwater.evaluation.data.questions import Choice
from headwater.evaluation.errors import DataError
from headwater.evaluation.measures.orders import ORDERS
from headwater.evaluation.record import ResultRow, from_json, to_json
from headwater.evaluation.run.experiment import Request
from headwater.evaluation.run.experiments.ranking import scenes
from headwater.evaluation.run.task import Scene
from tests.evaluation.data.corpora import write_rows


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
    assert all(piece.caption and piece.sentence for piece in row.content)
    assert row.ranker_threshold is not None


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


async def test_a_data_set_that_is_named_is_searched_as_well(small: Path, indexes: Path) -> None:
    request = Request(choice=Choice(), cache=indexes, data=small, bases=["planets"])

    searched, graded = scenes(request)

    assert (searched.name, graded.name) == ("planets-retrieved", "planets")
    rows = await _asked(searched)
    assert {row.qid for row in rows} == {"p1", "p2", "p3"}
    assert {(row.base, row.setting, row.status) for row in rows} == {
        ("planets-retrieved", "retrieved", "ok")
    }
    assert all(set(row.layers) == set(ORDERS) for row in rows)
    p1 = next(row for row in rows if row.qid == "p1")
    assert [gold.doc for gold in p1.gold] == p1.layers["rank"][:1] == ["mars"]
    assert from_json(to_json(p1)) == p1


async def test_a_question_is_searched_as_it_stands_and_rewritten_by_its_history(
    small: Path, indexes: Path
) -> None:
    history = [
        {"role": "user", "content": "Which moons has Mars?"},
        {"role": "assistant", "content": "Phobos and Deimos."},
    ]
    questions: list[dict[str, object]] = [
        {"id": "p1", "question": "Which moons has Mars?"},
        {"id": "p3", "question": "And Saturn?", "history": history},
    ]
    (small / "planets" / "queries.dev.jsonl.gz").unlink()
    write_rows(small / "planets" / "queries.dev.jsonl", questions)
    request = Request(choice=Choice(), cache=indexes, data=small, bases=["planets"])

    rows = await _asked(scenes(request)[0])

    asked = {(row.qid, row.setting): row.question for row in rows}
    assert set(asked) == {
        ("p1", "retrieved"),
        ("p3", "retrieved"),
        ("p3", "retrieved-rewritten"),
    }
    assert asked["p3", "retrieved"] == "And Saturn?"
    assert asked["p3", "retrieved-rewritten"] == "Which moons has Saturn?"


def test_only_questions_with_evidence_are_searched(small: Path, tmp_path: Path) -> None:
    questions: list[dict[str, object]] = [
        {"id": "p1", "question": "Which moons has Mars?", "answerable": False},
        {"id": "p2", "question": "Which planets have moons?"},
        {"id": "p9", "question": "Which planet is green?"},
    ]
    (small / "planets" / "queries.dev.jsonl.gz").unlink()
    write_rows(small / "planets" / "queries.dev.jsonl", questions)
    request = Request(choice=Choice(), cache=tmp_path, data=small, bases=["planets"])

    assert [task.key[3] for task in scenes(request)[0].tasks] == ["p2"]


@pytest.mark.parametrize(("name", "asked"), [("covidqa", 8), ("piaf", 2)])
def test_sets_near_the_ceiling_get_a_quarter_of_the_sample(
    name: str, asked: int, tmp_path: Path
) -> None:
    folder = tmp_path / "data" / name
    write_rows(folder / "corpus.jsonl", [{"id": "d", "text": "Mars has two moons."}])
    write_rows(
        folder / "queries.dev.jsonl", [{"id": f"q{n}", "question": "Moons?"} for n in range(20)]
    )
    write_rows(folder / "qrels.dev.jsonl", [{"qid": f"q{n}", "docid": "d"} for n in range(20)])
    request = Request(choice=Choice(sample=8), cache=tmp_path, data=tmp_path / "data")

    [scene] = scenes(request)

    assert scene.name == f"{name}-retrieved"
    assert len(scene.tasks) == asked


def test_beside_a_split_its_dev_is_scored_where_thresholds_are_chosen(
    small: Path, tmp_path: Path
) -> None:
    folder = small / "planets"
    write_rows(folder / "pairs.test.jsonl", [{"qid": "t1", "docid": "mars", "grade": 4}])
    write_rows(folder / "queries.test.jsonl", [{"id": "t1", "question": "Moons of Mars?"}])
    request = Request(choice=Choice(split="test"), cache=tmp_path, data=small)

    here, dev = scenes(request)

    assert [task.key[1:] for task in here.tasks] == [("graded-pairs", "planets", "t1")]
    assert {task.key[1] for task in dev.tasks} == {"graded-pairs-dev"}
    assert {task.key[3] for task in dev.tasks} == {"p1", "p2"}


async def _asked(scene: Scene) -> list[ResultRow]:
    async with scene.open(lambda _: None) as ask:
        found = [await ask(task) for task in scene.tasks]
    return [row for row in found if row is not None]
