"""The rows that a real run leaves, over small data with real indexes and models."""

from dataclasses import replace
from pathlib import Path

import pytest

from headwater.domain.request import Overrides
from headwater.evaluation.data.questions import Choice
from headwater.evaluation.record import ResultRow, from_json, to_json
from headwater.evaluation.run.experiment import Request
from headwater.evaluation.run.rows import RowMaker
from headwater.evaluation.run.scenes import over_data
from headwater.evaluation.run.task import Setting, Task
from tests.evaluation.data.corpora import PLANETS, STARS, write_rows

TEXTS = {row[0]: row[2] for row in (*PLANETS, *STARS)}


async def _rows(small: Path, indexes: Path, setting: Setting) -> dict[str, ResultRow]:
    request = Request(choice=Choice(), cache=indexes, data=small)
    spec = request.spec("sky")
    questions = request.questions(spec)
    scene = over_data(
        spec,
        [setting],
        questions,
        place=request.place(questions),
        rows=RowMaker("effort", "dev"),
    )
    found = {}
    async with scene.open(lambda _: None) as ask:
        for task in scene.tasks:
            row = await ask(task)
            assert row is not None
            found[row.qid] = row
    return found


async def test_a_medium_run_leaves_all_that_measures_need(small: Path, indexes: Path) -> None:
    rows = await _rows(small, indexes, Setting(name="medium", effort="medium"))

    assert set(rows) == {"p1", "p2", "s1"}
    row = rows["p1"]
    assert (row.base, row.setting, row.dataset, row.split) == ("sky", "medium", "planets", "dev")
    assert [gold.doc for gold in row.gold] == ["mars"]
    assert row.gold_sources == ["inner_planets"]
    assert set(row.layers) == {"federate", "rank", "classify"}
    assert row.layers["rank"][0] == "mars"
    assert all(len(row.scores[layer]) == len(row.layers[layer]) for layer in row.scores)
    assert row.sub_queries[0].probability is not None
    assert {"plan", "federate", "rank", "classify", "merge", "answer"} <= set(row.step_ms)
    assert 0 < sum(row.step_ms.values()) <= (row.elapsed_ms or 0) * 1.5
    assert (row.max_rounds, row.sources_open) == (2, 2)
    assert row.calls
    assert row.answer is not None
    assert any(sentence.refs for sentence in row.cited)
    assert from_json(to_json(row)) == row


async def test_a_piece_stands_where_the_row_says_in_the_corpus(small: Path, indexes: Path) -> None:
    rows = await _rows(small, indexes, Setting(name="low", effort="low"))

    pieces = [piece for row in rows.values() for piece in row.content]
    assert pieces
    for piece in pieces:
        text = TEXTS[piece.doc]
        assert text[piece.start : piece.end] == text
        assert text[slice(*piece.caption)].strip()


async def test_a_translation_of_a_gold_passage_is_in_no_layer(small: Path, indexes: Path) -> None:
    gold = [{"qid": "p1", "docid": "mars"}, {"qid": "p2", "docid": "saturn"}]
    also = {"qid": "p1", "docid": "venus", "basis": "parallel_translation"}
    write_rows(small / "planets" / "qrels.dev.jsonl", [*gold, also])

    rows = await _rows(small, indexes, Setting(name="medium", effort="medium"))

    row, other = rows["p1"], rows["p2"]
    assert row.neutral == ["venus"]
    assert all("venus" not in docs for docs in row.layers.values())
    assert all(len(row.scores[layer]) == len(row.layers[layer]) for layer in row.scores)
    assert "venus" in {piece.doc for piece in row.content}
    assert "venus" in other.layers["rank"]


async def test_layers_hold_each_passage_once_and_only_for_steps_that_ran(
    small: Path, indexes: Path
) -> None:
    rows = await _rows(small, indexes, Setting(name="minimal", effort="minimal"))

    for row in rows.values():
        assert set(row.layers) == {"federate", "rank"}
        for docs in row.layers.values():
            assert len(docs) == len(set(docs))
        assert sorted(row.scores["rank"], reverse=True) == row.scores["rank"]
        assert row.answer is None
        assert row.contains_answer is None


async def test_a_question_that_a_setting_cannot_ask_is_counted(small: Path, indexes: Path) -> None:
    request = Request(choice=Choice(), cache=indexes, data=small)
    spec = request.spec("sky")
    questions = request.questions(spec)
    never = Setting(name="never", effort="low", adapt=lambda *_: None)
    place, rows = request.place(questions), RowMaker("effort", "dev")
    scene = over_data(spec, [never], questions[:1], place=place, rows=rows)

    async with scene.open(lambda _: None) as ask:
        assert await ask(scene.tasks[0]) is None

    assert [(one.qid, one.reason) for one in scene.excluded] == [
        ("p1", "it cannot be asked under 'never'")
    ]


async def test_a_scenario_is_asked_with_the_question(small: Path, indexes: Path) -> None:
    rows = await _rows(small, indexes, Setting(name="minimal", effort="minimal"))

    assert rows["s1"].sub_queries[0].text == "It is night.\n\nWhich star is brightest?"
    assert rows["s1"].question == "Which star is brightest?"


async def test_overrides_of_a_setting_reach_the_run(small: Path, indexes: Path) -> None:
    only = Setting(name="x", effort="low", overrides=Overrides(sources=["far_away"], answer=False))

    rows = await _rows(small, indexes, only)

    assert {s for row in rows.values() for q in row.sub_queries for s in q.sources} == {"far_away"}
    assert all(row.answer is None for row in rows.values())


async def test_a_run_left_after_select_names_sources_and_no_passages(
    small: Path, indexes: Path
) -> None:
    rows = await _rows(small, indexes, Setting(name="x", effort="low", until="select"))

    row = rows["p1"]
    assert row.sub_queries[0].sources
    assert row.gold_sources == ["inner_planets"]
    assert (row.gold, row.content, row.layers) == ([], [], {})
    assert set(row.step_ms) == {"plan", "select"}


async def test_bodies_are_let_go_when_a_question_is_done(small: Path, indexes: Path) -> None:
    request = Request(choice=Choice(), cache=indexes, data=small)
    spec = request.spec("sky")
    from headwater.evaluation.data.corpora import open_base
    from headwater.evaluation.data.questions import place
    from headwater.evaluation.run.ask import Asker
    from headwater.evaluation.run.task import Asking

    async with await open_base(spec, small, cache=indexes) as base:
        placed, _ = await place(base, request.questions(spec))
        setting = Setting(name="medium", effort="medium")
        task = Task(("sky", "medium", "planets", "p1"), setting, request.questions(spec)[0])
        asker = Asker(base, RowMaker("effort", "dev"))
        for _ in range(3):
            await asker(task, Asking(placed[0], Overrides()))

        assert not base.kb.passages._runs


def test_a_failed_row_keeps_what_is_known_of_the_question(small: Path, indexes: Path) -> None:
    request = Request(choice=Choice(), cache=indexes, data=small)
    question = request.questions(request.spec("sky"))[1]
    task = Task(("sky", "low", "planets", "p2"), Setting(name="low", effort="low"), question)

    row = RowMaker("effort", "dev").failed(task, "gone")

    assert (row.qid, row.error, row.status) == ("p2", "gone", "failed")
    assert [gold.doc for gold in row.gold] == ["mars", "saturn"]
    assert replace(row, error=None).content == []


@pytest.mark.parametrize("sample", [1, 2])
def test_a_sample_is_the_same_every_time(small: Path, indexes: Path, sample: int) -> None:
    request = Request(choice=Choice(sample=sample, seed=7), cache=indexes, data=small)

    drawn = [[q.row.id for q in request.questions(request.spec("sky"))] for _ in range(2)]

    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == sample
