import asyncio
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from headwater.domain.request import Overrides
from headwater.evaluation.data.bases import BaseSpec, one_set, read_base
from headwater.evaluation.data.corpora import Building, Opening, open_base
from headwater.evaluation.data.passages import Cut
from headwater.evaluation.data.questions import Choice, place, select
from headwater.evaluation.errors import DataError
from tests.evaluation.data.corpora import PLANETS, passages, write_rows


@pytest.fixture
def spec(small: Path) -> BaseSpec:
    return read_base(small, "sky")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def indexes(cache: Path) -> list[str]:
    return sorted(folder.name for folder in (cache / "corpora").iterdir())


async def test_a_question_finds_its_gold_passage_with_its_very_words(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    async with await open_base(spec, small, cache=cache) as base:
        [question, *_], _ = await place(base, select(spec, small, Choice(sets=["planets"])))
        result = await base.kb.retrieve(question.text, effort="low")

        first = result.references[0]
        doc = base.doc_of(first.source, first.url)
        [gold] = question.gold
        text = base.text(first.source, doc)
        assert (first.source, doc) == (gold.source, gold.doc)
        assert text is not None
        assert text[slice(*gold.spans[0])] == "Phobos and Deimos."
        assert text[slice(*base.span(first.source, doc, (0, len(first.text))))] == first.text
        assert base.passages == 5


async def test_the_ids_of_passages_are_not_searched(small: Path, cache: Path) -> None:
    rows = passages([("zyzzyva", "", "A text about rivers.", "")])
    write_rows(small / "rivers" / "corpus.jsonl", rows)

    async with await open_base(one_set("rivers"), small, cache=cache) as base:
        [source] = base.kb.sources
        profile = await source.profile()

    assert profile is not None
    assert "river" in profile.document_frequency
    assert "zyzzyva" not in profile.document_frequency


async def test_an_index_is_built_once_and_shared_by_other_names(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    built: list[Building] = []
    opening = Opening(on_progress=built.append)
    async with await open_base(spec, small, cache=cache, opening=opening):
        pass
    first, before = indexes(cache), max(b.chunks for b in built)
    built.clear()
    other = spec.named({"inner_planets": "ks_01"}, {"far_away": "Things"})

    async with await open_base(other, small, cache=cache, opening=opening) as base:
        assert [source.name for source in base.kb.sources] == ["ks_01", "far_away"]

    assert before == 3
    assert indexes(cache) == first
    assert {progress.chunks for progress in built} == {0}


async def test_two_bases_may_be_open_at_once_on_one_index(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    async with (
        await open_base(spec, small, cache=cache) as one,
        await open_base(spec, small, cache=cache) as other,
    ):
        await one.close()
        result = await other.kb.retrieve("Which star is brightest?", effort="minimal")

    assert other.doc_of(result.references[0].source, result.references[0].url) == "sirius"


async def test_changed_passages_get_an_index_of_their_own(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    async with await open_base(spec, small, cache=cache):
        pass
    before = indexes(cache)
    write_rows(small / "stars" / "corpus.jsonl", [{"id": "sirius", "text": "It is a star."}])

    async with await open_base(spec, small, cache=cache) as base:
        assert base.text("far_away", "sirius") == "It is a star."

    assert len(set(indexes(cache)) - set(before)) == 1
    assert set(before) < set(indexes(cache))


async def test_a_cut_base_holds_the_gold_passages_and_says_that_it_is_cut(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    questions = select(spec, small, Choice())
    cut = Cut(1, frozenset(doc for question in questions for doc in question.docs))

    async with await open_base(spec, small, cache=cache, cut=cut) as base:
        placed, excluded = await place(base, questions)

    assert base.cut == cut
    assert base.passages == 3
    assert (len(placed), excluded) == (3, [])


async def test_settings_hold_for_every_run_of_the_base(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    opening = Opening(settings=Overrides(sources=["far_away"]))

    async with await open_base(spec, small, cache=cache, opening=opening) as base:
        result = await base.kb.retrieve("Which moons has Mars?", effort="low")

    assert {reference.source for reference in result.references} <= {"far_away"}
    assert {name for query in result.sub_queries for name in query.sources} == {"far_away"}


async def test_a_broken_line_is_told_and_stops_only_who_is_strict(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    path = write_rows(small / "planets" / "corpus.jsonl", [{"id": "x"}, *passages(PLANETS)])
    problems: list[str] = []

    opening = Opening(on_problem=problems.append)
    async with await open_base(spec, small, cache=cache, opening=opening) as base:
        assert base.passages == 5
    assert problems == [f"{path}:1: text: Field required."]

    with pytest.raises(DataError, match=f"{path}:1: text"):
        await open_base(spec, small, cache=cache, opening=Opening(strict=True))


async def test_a_name_that_no_source_can_have_is_refused(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    with pytest.raises(DataError, match=r"'sky' cannot be: sources\.0\.name"):
        await open_base(spec.named({"inner_planets": "a:b"}, {}), small, cache=cache)


async def test_a_failed_opening_leaves_no_index_locked(
    spec: BaseSpec, small: Path, cache: Path
) -> None:
    (small / "stars" / "corpus.jsonl").rename(small / "kept")
    with pytest.raises(DataError, match=r"no corpus\.jsonl"):
        await open_base(spec, small, cache=cache)

    (small / "kept").rename(small / "stars" / "corpus.jsonl")

    assert await open_elsewhere(small, "planets", cache) == 0


async def test_a_killed_index_goes_on_where_it_was(small: Path, cache: Path) -> None:
    rows = [(f"n{n}", f"Note {n}", f"Word{n} stands in note {n}.", "") for n in range(230)]
    write_rows(small / "many" / "corpus.jsonl", passages(rows))
    built: list[Building] = []

    assert await open_elsewhere(small, "many", cache, 200) == -signal.SIGKILL
    kept = remembered(cache)
    opening = Opening(on_progress=built.append)
    async with await open_base(one_set("many"), small, cache=cache, opening=opening) as base:
        result = await base.kb.retrieve("Where does Word229 stand?", effort="minimal")
        first = result.references[0]

    assert 100 <= kept < 230
    assert remembered(cache) == 230
    assert base.doc_of(first.source, first.url) == "n229"
    assert built[-1].passages == 230


async def open_elsewhere(data: Path, name: str, cache: Path, number: int = 10**9) -> int:
    """Open a base in another process; returns its exit status, negative where a signal ended it."""
    arguments = [str(data), name, str(cache), str(number)]
    command = [sys.executable, "-m", "tests.evaluation.data.killed", *arguments]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def remembered(cache: Path) -> int:
    [file] = (cache / "vectors").glob("*.sqlite")
    with closing(sqlite3.connect(file)) as store:
        return int(store.execute("SELECT count(*) FROM vectors").fetchone()[0])
