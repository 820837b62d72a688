from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.data.bases import BaseSpec, read_base
from headwater.evaluation.data.copies import Corpora
from headwater.evaluation.data.corpora import OpenBase
from headwater.evaluation.data.documents import Inventory
from headwater.evaluation.data.questions import (
    Choice,
    homes,
    place,
    question_text,
    select,
    select_own,
    shares,
)
from headwater.evaluation.data.rows import QueryRow
from headwater.evaluation.errors import DataError
from headwater.evaluation.record import Gold
from headwater.graph.builder import Models
from headwater.graph.knowledge_base import KnowledgeBase
from tests.evaluation.data.corpora import write_rows
from tests.fakes import FakeClassifier, FakeRanker, FakeSource, WordCounter

ALL = Choice()


@pytest.fixture
def spec(small: Path) -> BaseSpec:
    return read_base(small, "sky")


@dataclass
class Opened:
    """Opens a base whose sources are never asked: only what they hold counts here."""

    data: Path

    def __call__(self, spec: BaseSpec) -> OpenBase:
        models = Models(ranker=FakeRanker(), classifier=FakeClassifier(), counter=WordCounter())
        kb = KnowledgeBase([FakeSource(source.name) for source in spec.sources], models)
        with Corpora(self.data, self.data / "copies") as corpora:
            held = {s.name: Inventory.of(s, corpora).file for s in spec.sources}
        return OpenBase(name=spec.name, about="", kb=kb, documents=dict(held), passages=5)


@pytest.fixture
def opened(small: Path) -> Opened:
    return Opened(small)


def test_questions_come_set_by_set_in_the_languages_of_the_base(
    spec: BaseSpec, small: Path
) -> None:
    questions = select(spec, small, ALL)

    assert [q.row.id for q in questions] == ["p1", "p2", "s1"]
    assert questions[1].docs == ["mars", "saturn"]


def test_only_the_named_sets_are_asked(spec: BaseSpec, small: Path) -> None:
    questions = select(spec, small, Choice(sets=["stars"]))

    assert [q.row.id for q in questions] == ["s1"]


def test_a_scenario_is_asked_with_its_question(spec: BaseSpec, small: Path) -> None:
    [question] = select(spec, small, Choice(sets=["stars"]))

    assert question_text(question.row) == "It is night.\n\nWhich star is brightest?"
    assert question_text(QueryRow(id="x", question="Bare? ")) == "Bare?"


def test_a_set_without_the_split_is_told_and_the_others_are_asked(
    spec: BaseSpec, small: Path
) -> None:
    write_rows(small / "stars" / "queries.test.jsonl", [{"id": "s9", "question": "Where?"}])
    problems: list[str] = []

    questions = select(spec, small, Choice(split="test", on_problem=problems.append))

    assert [q.row.id for q in questions] == ["s9"]
    assert "planets: it has no questions for 'test'" in problems[0]


def test_a_split_without_any_question_is_an_error(spec: BaseSpec, small: Path) -> None:
    with pytest.raises(DataError, match=r"'sky' has no questions for the split 'train'.*--split"):
        select(spec, small, Choice(split="train"))


def test_tuning_on_what_is_reported_is_refused(spec: BaseSpec, small: Path) -> None:
    with pytest.raises(DataError, match="must not be used to tune"):
        select(spec, small, Choice(split="test", purpose="tune"))


def test_a_seed_draws_the_same_sample_again_and_another_seed_another(data: Path) -> None:
    spec = read_base(data, "multilingual_wiki_3")
    drawn = {
        seed: [q.row.id for q in select(spec, data, Choice(sample=40, seed=seed))]
        for seed in (1, 2)
    }

    assert len(drawn[1]) == 40
    assert drawn[1] == [q.row.id for q in select(spec, data, Choice(sample=40, seed=1))]
    assert drawn[1] != drawn[2]
    by_set = [q.row.dataset for q in select(spec, data, Choice(sample=40, seed=1))]
    assert {by_set.count(name) for name in by_set} == {10}


def test_a_sample_of_one_set_does_not_change_with_the_sets_beside_it(
    spec: BaseSpec, small: Path
) -> None:
    alone = select(spec, small, Choice(sample=1, sets=["planets"]))
    beside = select(spec, small, Choice(sample=2))

    assert alone[0] == beside[0]


@given(sizes=st.lists(st.integers(0, 30), max_size=8), total=st.integers(0, 100))
def test_a_sample_is_shared_out_as_evenly_as_the_sets_allow(sizes: list[int], total: int) -> None:
    given = shares(sizes, total)

    assert sum(given) == min(total, sum(sizes))
    assert all(0 <= count <= size for count, size in zip(given, sizes, strict=True))
    unfilled = [count for count, size in zip(given, sizes, strict=True) if count < size]
    assert max(given, default=0) - min(unfilled, default=max(given, default=0)) <= 1


async def test_gold_passages_are_found_in_the_sources_of_the_base(
    spec: BaseSpec, small: Path, opened: Opened
) -> None:
    placed, excluded = await place(opened(spec), select(spec, small, ALL))

    assert excluded == []
    assert [p.gold_sources for p in placed] == [
        ["inner_planets"],
        ["inner_planets", "far_away"],
        ["far_away"],
    ]
    assert placed[0].gold == [Gold(source="inner_planets", doc="mars", grade=4, spans=[[20, 38]])]
    assert placed[2].text.startswith("It is night.")


async def test_earlier_turns_are_given_beside_the_text(
    spec: BaseSpec, small: Path, opened: Opened
) -> None:
    turns = [{"role": "user", "text": "Which star is near the pole?"}]
    rows = [{"id": "s1", "question": "Is it bright?", "history": turns}]
    write_rows(small / "stars" / "queries.dev.jsonl", rows)

    [placed], _ = await place(opened(spec), select(spec, small, Choice(sets=["stars"])))

    assert placed.text == "Is it bright?"
    assert [turn.content for turn in placed.history] == ["Which star is near the pole?"]


async def test_a_question_whose_gold_passage_nobody_has_is_left_out_with_the_reason(
    spec: BaseSpec, small: Path, opened: Opened
) -> None:
    write_rows(small / "stars" / "qrels.dev.jsonl", [{"qid": "s1", "docid": "vega"}])

    placed, [excluded] = await place(opened(spec), select(spec, small, ALL))

    assert [p.row.id for p in placed] == ["p1", "p2"]
    assert (excluded.dataset, excluded.qid) == ("stars", "s1")
    assert excluded.reason == "its gold passage 'vega' is not in the corpus"


async def test_what_was_taken_away_on_purpose_is_asked_for_all_the_same(
    spec: BaseSpec, small: Path, opened: Opened
) -> None:
    questions = select(spec, small, ALL)
    redacted = opened(spec.without(["inner_planets"]))
    absent = homes([s for s in spec.sources if s.name == "inner_planets"], small)

    placed, excluded = await place(redacted, questions, absent=absent)
    without, left_out = await place(redacted, questions)

    assert excluded == []
    assert placed[0].gold_sources == ["inner_planets"]
    assert [p.row.id for p in without] == ["s1"]
    assert [e.qid for e in left_out] == ["p1", "p2"]


def test_the_home_of_every_passage_is_known(spec: BaseSpec, small: Path) -> None:
    assert homes(spec.sources, small) == {
        "mars": "inner_planets",
        "venus": "inner_planets",
        "saturn": "far_away",
        "sirius": "far_away",
        "polaris": "far_away",
    }
    assert homes([], small) == {}


async def test_a_stand_in_holds_what_its_forerunners_held(
    spec: BaseSpec, small: Path, opened: Opened
) -> None:
    assert spec.redaction is not None
    redacted = spec.without(spec.redaction.remove, add=spec.redaction.add)

    placed, _ = await place(opened(redacted), select(spec, small, ALL))

    assert placed[1].gold_sources == ["web", "far_away"]


async def test_translations_help_but_are_not_needed(
    spec: BaseSpec, small: Path, opened: Opened
) -> None:
    write_rows(
        small / "stars" / "qrels.dev.jsonl",
        [
            {"qid": "s1", "docid": "sirius"},
            {"qid": "s1", "docid": "polaris", "basis": "parallel_translation"},
            {"qid": "s1", "docid": "elsewhere", "basis": "parallel_translation"},
        ],
    )

    [placed], excluded = await place(opened(spec), select(spec, small, Choice(sets=["stars"])))

    assert excluded == []
    assert [gold.doc for gold in placed.gold] == ["sirius"]
    assert [gold.doc for gold in placed.translations] == ["polaris"]


async def test_of_two_sources_that_hold_a_passage_the_named_one_counts(
    spec: BaseSpec, small: Path, opened: Opened
) -> None:
    first, second = spec.sources
    both = replace(spec, sources=(replace(first, name="copy", parts=second.parts), second))
    question = [{"qid": "s1", "docid": "sirius", "source": "far_away"}]
    write_rows(small / "stars" / "qrels.dev.jsonl", question)

    [placed], _ = await place(opened(both), select(both, small, Choice(sets=["stars"])))

    assert placed.gold_sources == ["far_away"]


def test_a_folder_of_ones_own_has_one_file_of_questions(tmp_path: Path) -> None:
    rows = [{"id": "a", "question": "A?", "split": "test"}, {"id": "b", "question": "B?"}]
    write_rows(tmp_path / "mine" / "queries.jsonl", rows)
    write_rows(tmp_path / "mine" / "qrels.jsonl", [{"qid": "b", "docid": "b.md"}])

    questions = select_own(tmp_path / "mine", Choice(split="dev"))

    assert [(q.row.id, q.row.dataset, q.docs) for q in questions] == [("b", "mine", ["b.md"])]


def test_questions_of_ones_own_that_are_all_of_another_split_are_an_error(tmp_path: Path) -> None:
    rows = [{"id": "a", "question": "A?", "split": "test"}]
    write_rows(tmp_path / "mine" / "queries.jsonl", rows)

    with pytest.raises(DataError, match="no questions for the split 'train'"):
        select_own(tmp_path / "mine", Choice(split="train"))
