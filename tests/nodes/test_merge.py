import itertools
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.domain.activity import ActivityRecord
from headwater.domain.content import rendered
from headwater.domain.fate import Cut, FateLedger
from headwater.domain.passage import Passage
from headwater.domain.result import Gap, Reference, Scores
from headwater.domain.sentences import Span
from headwater.domain.state import Found, Judgement, Ranking, Reflection, RunState, SubQuery
from headwater.nodes.classify import Classify
from headwater.nodes.merge import SMALLEST_TOKENS, Merge, MergeUpdate
from headwater.nodes.rank import Rank
from tests.fakes import (
    FakeClassifier,
    FakeRanker,
    MemoryPassages,
    WordCounter,
    count_words,
    passage,
    run_with,
    ticking_clock,
)

SUBJECTS = """
    Valve Motor Filter Sensor Gasket Bearing Rotor Nozzle Flange Coupling Manifold Impeller
""".split()


def text_on(subject: str, words: int = 20) -> str:
    """A text on one subject, of exactly so many words, none of them in another one's text."""
    return " ".join(f"{subject.lower()}{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(words))


def ranking(query: str, *keys: str, scores: list[float | None] | None = None) -> Ranking:
    return Ranking(query, list(keys), scores or [3.0] * len(keys), [[0, 20]] * len(keys))


def state(*rankings: Ranking, round_: int = 1, **run: Any) -> RunState:
    """A state after rank, in which each source found what was ranked."""
    found = [
        Found(r.sub_query, source, [k.partition(":")[2] for k in r.passages if k[0] == source], [])
        for r in rankings
        for source in sorted({key[0] for key in r.passages})
    ]
    return RunState(
        question="?",
        run=run_with(**run),
        round=round_,
        sub_queries=[SubQuery(r.sub_query, f"query {r.sub_query}") for r in rankings],
        rankings=list(rankings),
        found=[replace(column, similarities=[None] * len(column.ids)) for column in found],
    )


async def merge(given: RunState, *passages: Passage) -> MergeUpdate:
    return await Merge(MemoryPassages(passages), WordCounter(), ticking_clock())(given)


def kept(update: MergeUpdate) -> list[str]:
    return [f"{ref.source}:{ref.id}" for ref in update["references"]]


def fates(update: MergeUpdate) -> dict[str, list[str]]:
    return {f"{cut.sub_query} {cut.reason}": cut.passages for cut in update["cuts"]}


FOUR = [passage(key, text_on(s)) for key, s in zip(("a:1", "a:2", "b:1", "b:2"), SUBJECTS)]  # noqa: B905


async def test_sub_queries_and_sources_take_turns() -> None:
    update = await merge(state(ranking("q1", "a:1", "a:2"), ranking("q2", "b:1", "b:2")), *FOUR)

    assert kept(update) == ["a:1", "b:1", "a:2", "b:2"]
    assert [ref.ref_id for ref in update["references"]] == [1, 2, 3, 4]
    assert [ref.sub_query for ref in update["references"]] == ["q1", "q2", "q1", "q2"]


async def test_the_second_round_takes_turns_with_the_first() -> None:
    both = state(ranking("q1", "a:1", "a:2", "b:2"), ranking("q2", "b:1"))
    both["sub_queries"] = [SubQuery("q1", "first"), SubQuery("q2", "second", round=2, parent="q1")]

    update = await merge(both, *FOUR)

    assert kept(update) == ["a:1", "b:1", "b:2", "a:2"]
    assert [ref.round for ref in update["references"]] == [1, 2, 1, 1]


async def test_ranker_score_and_grade_decide_together() -> None:
    judged = state(ranking("q1", "a:1", "a:2", "b:1", scores=[3.0, 2.9, 2.5]))
    judged["judgements"] = [
        Judgement("q1", ["b:1", "a:1"], [4.0, 1.0], [[], []], 0.5, 0.8, "reflect")
    ]

    update = await merge(judged, *FOUR)

    assert kept(update) == ["b:1", "a:2", "a:1"]
    assert [ref.scores for ref in update["references"]] == [
        Scores(2.5, 4.0),
        Scores(2.9, None),
        Scores(3.0, 1.0),
    ]


async def test_pinned_passages_come_first_and_once() -> None:
    pinned = state(ranking("q1", "a:1", "a:2"), ranking("q2", "b:1", "b:2"))
    pinned["reflections"] = [
        Reflection("q1", satisfied=True, pinned=["a:2", "a:2", "a:lost"]),
        Reflection("q2", satisfied=False, pinned=["b:2"]),
    ]

    update = await merge(pinned, *FOUR)

    assert kept(update) == ["a:2", "b:2", "a:1", "b:1"]


async def test_what_classify_cut_does_not_come_back() -> None:
    cut = state(ranking("q1", "a:1", "a:2"))
    cut["cuts"] = [Cut("q1", "classifier_threshold", ["a:1"], ["0.20"])]

    update = await merge(cut, *FOUR)

    assert kept(update) == ["a:2"]
    assert update["ledger"] == FateLedger(2, 1, {"classifier_threshold": 1})


async def test_a_passage_found_for_two_sub_queries_is_kept_once() -> None:
    update = await merge(state(ranking("q1", "a:1"), ranking("q2", "a:1")), *FOUR)

    assert kept(update) == ["a:1"]
    assert update["cuts"] == [Cut("q2", "duplicate", ["a:1"], ["a:1"])]
    assert update["gaps"] == []


async def test_a_passage_kept_in_part_does_not_come_again_for_another_sub_query() -> None:
    long = passage("a:1", text_on("valve", 90))
    two = state(ranking("q1", "a:1"), ranking("q2", "a:1"), content_budget=60)
    two["rankings"][1] = replace(two["rankings"][1], captions=[[90, 200]])

    update = await merge(two, long)

    assert kept(update) == ["a:1"]
    assert fates(update) == {"q2 duplicate": ["a:1"]}


async def test_near_duplicates_of_two_sources_collapse_and_the_twin_is_named() -> None:
    text = text_on("valve", 40)
    update = await merge(
        state(ranking("q1", "a:1", "b:1")), passage("a:1", text), passage("b:1", text + " indeed")
    )

    assert kept(update) == ["a:1"]
    assert update["cuts"] == [Cut("q1", "duplicate", ["b:1"], ["a:1"])]


@pytest.mark.parametrize(
    ("text", "title"), [("Press it in at 14 bar", "X-200"), ("Press it in at 12 bar", "X-300")]
)
async def test_a_changed_figure_keeps_both(text: str, title: str) -> None:
    common = text_on("valve", 40)
    update = await merge(
        state(ranking("q1", "a:1", "b:1")),
        passage("a:1", f"{common} Press it in at 12 bar", title="X-200"),
        passage("b:1", f"{common} {text}", title=title),
    )

    assert kept(update) == ["a:1", "b:1"]


async def test_what_was_left_out_of_a_shortened_passage_is_no_repeat() -> None:
    common = text_on("valve", 30)
    long = passage("a:1", f"{text_on('motor', 40)} {common}")
    update = await merge(
        state(ranking("q1", "a:1", "b:1"), content_budget=50), long, passage("b:1", common)
    )

    assert kept(update) == ["a:1", "b:1"]
    assert update["references"][0].tokens < 10


async def test_a_passage_longer_than_the_budget_is_shortened_to_its_caption() -> None:
    long = passage("a:1", "One two three. " * 30, title="Long")
    given = state(ranking("q1", "a:1"), content_budget=40)
    given["rankings"] = [Ranking("q1", ["a:1"], [3.0], [[15, 44]])]

    update = await merge(given, long)

    [reference] = update["references"]
    assert reference.span == [15, 44]
    assert reference.caption == "One two three. One two three."
    assert reference.tokens == 7
    assert "7 of 40 tokens (words), 1 shortened" in update["activity"][0].detail


async def test_a_passage_that_does_not_fit_is_cut_with_the_reason() -> None:
    given = state(ranking("q1", "a:1", "a:2", scores=[3.0, 2.0]), content_budget=34)
    given["rankings"] = [Ranking("q1", ["a:1", "a:2"], [3.0, 2.0], [[0, 20], [0, 149]])]

    update = await merge(given, *FOUR)

    assert kept(update) == ["a:1"]
    assert [(cut.reason, cut.passages) for cut in update["cuts"]] == [("budget", ["a:2"])]
    assert update["cuts"][0].details == [f"{count_words(FOUR[1].text[:149])} tokens, 14 left"]


async def test_after_the_budget_is_spent_nobody_gets_a_turn() -> None:
    update = await merge(
        state(ranking("q1", "a:1", "a:2", "b:1"), content_budget=20 + SMALLEST_TOKENS - 1), *FOUR
    )

    assert kept(update) == ["a:1"]
    assert fates(update) == {"q1 turn": ["a:2", "b:1"]} or fates(update) == {
        "q1 turn": ["b:1", "a:2"]
    }


async def test_an_empty_run_keeps_nothing_and_balances() -> None:
    empty = RunState(question="?", run=run_with(), round=1, sub_queries=[SubQuery("q1", "seal")])

    update = await merge(empty)

    assert (update["references"], update["cuts"]) == ([], [])
    assert update["ledger"] == FateLedger(0, 0, {})
    assert update["gaps"] == [Gap("q1", "Nothing was found for: seal", "not_found")]
    assert update["status"] == "ok"


async def test_what_a_follow_up_found_serves_its_parent() -> None:
    both = state(ranking("q1"), ranking("q2", "a:1"))
    both["sub_queries"] = [SubQuery("q1", "first"), SubQuery("q2", "second", round=2, parent="q1")]

    assert (await merge(both, *FOUR))["gaps"] == []


async def test_a_sub_query_that_the_budget_shut_out_was_not_found_nothing() -> None:
    update = await merge(
        state(ranking("q1", "a:1"), ranking("q2", "b:1"), content_budget=25), *FOUR
    )

    text = "The token budget leaves no room for what was found for: query q2"
    assert update["gaps"] == [Gap("q2", text, "partly_found")]


async def test_a_source_that_failed_is_a_gap_and_makes_the_run_partial() -> None:
    given = state(ranking("q1", "a:1"))
    down = ActivityRecord(
        step="federate", round=1, started=0, elapsed_ms=1, source="b", sub_query="q1", error="down"
    )
    well = replace(down, source="a", error=None)
    given["activity"] = [down, well, down]

    update = await merge(given, *FOUR)

    assert update["gaps"] == [Gap(None, "The source b could not be asked.", "source_failed")]
    assert update["status"] == "partial"


async def test_a_reference_tells_where_it_comes_from_and_marks_the_query() -> None:
    source = passage(
        "a:1",
        "The hat. The query is long.",
        title="Hats",
        url="https://example.org",
        page=3,
        heading=["Clothes"],
        language="en",
    )
    given = state(ranking("q1", "a:1"))
    given["rankings"] = [Ranking("q1", ["a:1"], [3.0], [[9, 27]])]

    [reference] = (await merge(given, source))["references"]

    assert reference == Reference(
        ref_id=1,
        source="a",
        id="1",
        sub_query="q1",
        round=1,
        title="Hats",
        url="https://example.org",
        page=3,
        heading=["Clothes"],
        language="en",
        caption="The query is long.",
        highlights=[[4, 9]],
        scores=Scores(3.0, None),
        span=[0, 27],
        tokens=7,
    )


async def test_the_sentence_that_answers_the_question_is_marked_in_one_reference() -> None:
    text = "The hat is in the hall. The query takes nine seconds. The coat is grey and long."
    first, second = passage("a:1", text), passage("a:2", "A hat and a coat hang in the long hall.")
    given = state(ranking("q1", "a:1", "a:2"))
    given["sub_queries"] = [SubQuery("q1", "How long does the query take?")]
    given["rankings"] = [Ranking("q1", ["a:1", "a:2"], [3.9, 2.0], [[24, len(text)], [0, 39]])]

    references = (await merge(given, first, second))["references"]

    marked = [ref.caption[slice(*ref.answer)] for ref in references if ref.answer]
    assert marked == ["The query takes nine seconds."]


async def test_a_sub_query_that_is_no_question_has_no_marked_answer() -> None:
    given = state(ranking("q1", "a:1"))
    given["rankings"] = [Ranking("q1", ["a:1"], [4.0], [[0, 29]])]

    [reference] = (await merge(given, passage("a:1", "The query takes nine seconds.")))[
        "references"
    ]

    assert reference.answer == []


async def test_held_back_passages_are_counted_in_the_ledger_and_not_named() -> None:
    given = state(ranking("q1", "a:1"))
    given["found"] = [Found("q1", "a", ["1"], [None], denied=4)]

    update = await merge(given, *FOUR)

    assert update["ledger"] == FateLedger(5, 1, {"access": 4})
    assert update["cuts"] == []


# Random runs: real rank and classify on fakes before merge, so that every fate can occur.

VOCABULARY = "seal pump valve hat 12 14 bar loud grey motor".split()


@st.composite
def runs(draw: st.DrawFn) -> tuple[RunState, list[Passage]]:
    """A state as federate leaves it, over one or two rounds, with the bodies it names."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    bodies = {
        f"{source}:{n}": passage(
            f"{source}:{n}",
            ". ".join(
                " ".join(chance.choices(VOCABULARY, k=chance.randint(1, 9)))
                for _ in range(chance.randint(0, 5))
            ),
            title=chance.choice(["", "Seal", "Pump 12"]),
        )
        for source in "abc"
        for n in range(6)
    }
    for twin, original in (("a:5", "b:5"), ("c:4", "b:5")):
        bodies[twin] = replace(bodies[twin], text=bodies[original].text)
    rounds = draw(st.integers(1, 2))
    queries = [
        SubQuery(f"q{n}", " ".join(chance.sample(VOCABULARY, 2)), round=min(rounds, 1 + n // 3))
        for n in range(1, 1 + draw(st.integers(1, 5)))
    ]
    found = []
    for query, source in itertools.product(queries, "abc"):
        names = [str(n) for n in chance.sample(range(6), chance.randint(0, 6))]
        found.append(Found(query.id, source, names, [None] * len(names), chance.randint(0, 1)))
    run = run_with(
        content_budget=draw(st.sampled_from([1, 12, 15, 30, 60, 400])),
        rank_depth=draw(st.sampled_from([2, 7, 50])),
        classify_depth=draw(st.sampled_from([1, 3, 10])),
        ranker_threshold=draw(st.sampled_from([0.0, 1.0, 2.5])),
    )
    given = RunState(question="?", run=run, round=1, sub_queries=queries, found=found)
    return given, list(bodies.values())


async def ranked(given: RunState, bodies: list[Passage]) -> RunState:
    """Take a state through rank and classify, round by round."""
    store, clock = MemoryPassages(bodies), ticking_clock()
    after = RunState(**given)
    for round_ in sorted({query.round for query in given["sub_queries"]}):
        after["round"] = round_
        for node in (Rank(FakeRanker(), store, clock), Classify(FakeClassifier(), store, clock)):
            for key, value in (await node(after)).items():
                after[key] = [*after.get(key, []), *value]  # type: ignore[literal-required, misc]
    after["reflections"] = [
        Reflection(r.sub_query, satisfied=True, pinned=r.passages[1:3])
        for r in after["rankings"][:2]
    ]
    return after


@settings(max_examples=150)
@given(runs())
async def test_the_budget_holds_and_no_passage_comes_twice(
    drawn: tuple[RunState, list[Passage]],
) -> None:
    given, bodies = drawn
    update = await merge(await ranked(given, bodies), *bodies)

    references = update["references"]
    by_key = {p.key: p for p in bodies}
    assert sum(ref.tokens for ref in references) <= given["run"].content_budget
    assert len(set(kept(update))) == len(references)
    assert [ref.ref_id for ref in references] == list(range(1, len(references) + 1))
    for ref, key in zip(references, kept(update), strict=True):
        part = Span(*ref.span).of(by_key[key].text)
        assert ref.tokens == count_words(rendered(ref.title, part))
        assert ref.caption in by_key[key].text
        for start, end in ref.highlights:
            assert 0 <= start < end <= len(ref.caption)


@settings(max_examples=150)
@given(runs())
async def test_every_candidate_has_exactly_one_fate(
    drawn: tuple[RunState, list[Passage]],
) -> None:
    given, bodies = drawn
    before = await ranked(given, bodies)
    update = await merge(before, *bodies)

    candidates = Counter((f.sub_query, f"{f.source}:{n}") for f in given["found"] for n in f.ids)
    ends = Counter(
        (r.sub_query, key) for r, key in zip(update["references"], kept(update), strict=True)
    )
    for cut in [*before.get("cuts", []), *update["cuts"]]:
        assert len(cut.passages) == len(cut.details)
        ends.update((cut.sub_query, key) for key in cut.passages)
    assert ends == candidates
    assert update["ledger"].balanced
    assert update["ledger"].found == candidates.total() + sum(f.denied for f in given["found"])


@settings(max_examples=60)
@given(runs(), st.randoms(use_true_random=False))
async def test_the_content_does_not_depend_on_the_order_of_arrival(
    drawn: tuple[RunState, list[Passage]], chance: random.Random
) -> None:
    given, bodies = drawn
    before = await ranked(given, bodies)
    shuffled = RunState(**before)
    for key in ("found", "rankings", "judgements", "cuts"):
        rows = list(before.get(key, []))  # type: ignore[call-overload]
        chance.shuffle(rows)
        shuffled[key] = rows

    once, again = await merge(before, *bodies), await merge(shuffled, *bodies)

    assert once["references"] == again["references"]
    assert once["cuts"] == again["cuts"]
    assert once["gaps"] == again["gaps"]


@settings(max_examples=60)
@given(runs())
async def test_pinned_passages_stand_before_all_others(
    drawn: tuple[RunState, list[Passage]],
) -> None:
    given, bodies = drawn
    before = await ranked(given, bodies)
    update = await merge(before, *bodies)

    pinned = {(r.sub_query, key) for r in before["reflections"] for key in r.pinned}
    first = [
        (ref.sub_query, key) in pinned
        for ref, key in zip(update["references"], kept(update), strict=True)
    ]
    assert first == sorted(first, reverse=True)
