"""The laws of the reducers, and that every value of the state survives a checkpoint."""

import dataclasses
import os
import types
import typing
from collections.abc import Callable
from itertools import pairwise
from typing import Any, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

from headwater.domain.activity import ActivityRecord
from headwater.domain.fate import REASONS, Cut, FateLedger
from headwater.domain.request import Identity, Overrides, Turn
from headwater.domain.result import Gap, Reference, Scores
from headwater.domain.state import (
    Found,
    Judgement,
    Ranking,
    Reflection,
    Route,
    RunInput,
    RunOutput,
    RunState,
    SubQuery,
    add_cuts,
    add_found,
    add_judgements,
    add_rankings,
    add_reflections,
    add_routes,
    add_sub_queries,
)
from tests.fakes import run_with

ids = st.integers(1, 12).map(lambda n: f"q{n}")
names = st.sampled_from(["a", "b", "a b"])
keys = st.lists(st.sampled_from(["a:1", "a:2", "b:1"]), max_size=2)
scores = st.none() | st.floats(0, 4)

REDUCERS: list[tuple[Callable[..., Any], st.SearchStrategy[Any], Callable[[Any], Any]]] = [
    (add_sub_queries, st.builds(SubQuery, ids, names), lambda v: v.id),
    (add_routes, st.builds(Route, ids, st.lists(names, max_size=2)), lambda v: v.sub_query),
    (
        add_found,
        st.builds(Found, ids, names, keys, st.lists(scores, max_size=2), st.integers(0, 2)),
        lambda v: (v.sub_query, v.source),
    ),
    (
        add_rankings,
        st.builds(Ranking, ids, keys, st.lists(scores, max_size=2), st.just([[0, 1]])),
        lambda v: v.sub_query,
    ),
    (
        add_judgements,
        st.builds(
            Judgement,
            ids,
            keys,
            st.just([1.0]),
            st.just([[0.0, 1.0]]),
            scores,
            st.just(0.8),
            st.sampled_from(["exit", "reflect"]),
        ),
        lambda v: v.sub_query,
    ),
    (add_reflections, st.builds(Reflection, ids, st.booleans(), keys), lambda v: v.sub_query),
    (
        add_cuts,
        st.builds(Cut, ids, st.sampled_from(REASONS), keys, st.just([""])),
        lambda v: (v.sub_query, v.reason),
    ),
]
IDS = [reduce.__name__ for reduce, _, _ in REDUCERS]
reducers = pytest.mark.parametrize(("reduce", "values", "key"), REDUCERS, ids=IDS)
laws = pytest.mark.parametrize(("reduce", "values"), [row[:2] for row in REDUCERS], ids=IDS)


@laws
@given(data=st.data())
def test_the_order_and_number_of_writes_do_not_matter(
    reduce: Any, values: Any, data: st.DataObject
) -> None:
    a, b, c = (data.draw(st.lists(values, max_size=5)) for _ in range(3))

    assert reduce(reduce(a, b), c) == reduce(a, reduce(b, c))
    assert reduce(a, b) == reduce(b, a)
    assert reduce(reduce(a, b), b) == reduce(a, b)


@reducers
@given(data=st.data())
def test_every_key_is_kept_once_with_a_value_that_was_written(
    reduce: Any, values: Any, key: Any, data: st.DataObject
) -> None:
    a, b = data.draw(st.lists(values, max_size=6)), data.draw(st.lists(values, max_size=6))

    united = reduce(a, b)

    assert len(united) == len({key(value) for value in united})
    assert {key(value) for value in united} == {key(value) for value in [*a, *b]}
    assert all(value in [*a, *b] for value in united)


@laws
@given(data=st.data())
def test_what_was_given_is_left_as_it_was(reduce: Any, values: Any, data: st.DataObject) -> None:
    a = data.draw(st.lists(values, max_size=4))
    before = list(a)

    reduce(a, a)

    assert a == before


def test_the_tenth_sub_query_comes_after_the_second() -> None:
    queries = [SubQuery(f"q{n}", "text") for n in (10, 2, 1)]

    assert [query.id for query in add_sub_queries(queries, [])] == ["q1", "q2", "q10"]


def filled() -> dict[str, Any]:
    """A state in which every key, and every field of every value, has something in it."""
    return {
        "question": "Which seal? 密封",
        "history": [Turn(role="user", content="Hello"), Turn(role="assistant", content="é")],
        "effort": "medium",
        "identity": Identity(user="ada", groups=["hr"]),
        "overrides": Overrides(max_sources=2, sources=["a"], exit_threshold=0.5, answer=False),
        "run": run_with(
            question="Which seal?",
            always_query=["a"],
            principals=["user:ada"],
            retrieval_instructions="Prefer manuals.",
            answer_instructions="Short.",
        ),
        "status": "partial",
        "answer": "S-14 [ref_id:1]",
        "references": [
            Reference(
                ref_id=1,
                source="a",
                id="1",
                sub_query="q1",
                round=1,
                title="Seals",
                url="https://example.org",
                page=3,
                heading=["Pumps", "Seals"],
                language="en",
                caption="S-14",
                highlights=[[0, 4]],
                answer=[0, 4],
                scores=Scores(3.5, 2.25),
                span=[0, 4],
                tokens=2,
                text="S-14",
            )
        ],
        "gaps": [Gap("q1", "Nothing.", "not_found"), Gap(None, "Down.", "source_failed")],
        "sub_queries": [
            SubQuery("q1", "seal", 1, "why", complex=True),
            SubQuery("q2", "pump", 2, "bridge", parent="q1", weight=0.5),
        ],
        "routes": [Route("q1", ["a", "b"])],
        "judgements": [
            Judgement("q1", ["a:1"], [2.0], [[0.0, 0.0, 1.0, 0.0, 0.0]], 0.7, 0.8, "reflect"),
            Judgement("q2", [], [], [], None, 0.8, "reflect"),
        ],
        "ledger": FateLedger(3, 1, {"access": 1, "budget": 1}),
        "cuts": [Cut("q1", "budget", ["a:2"], ["90 tokens, 40 left"])],
        "activity": [
            ActivityRecord(
                step="federate",
                round=1,
                started=1.5,
                elapsed_ms=2.5,
                sub_query="q1",
                source="a",
                count=2,
                input_tokens=1,
                output_tokens=2,
                model="m",
                device="cpu",
                detail="d",
                warning="w",
                error="e",
            )
        ],
        "round": 2,
        "found": [Found("q1", "a", ["1", "2"], [0.5, None], denied=1)],
        "rankings": [Ranking("q1", ["a:1", "a:2"], [3.5, None], [[0, 4], [0, 0]])],
        "reflections": [Reflection("q1", satisfied=False, pinned=["a:1"], missing="the size")],
    }


def test_the_filled_state_fills_every_key_and_every_field() -> None:
    state = filled()

    assert set(state) == set(typing.get_type_hints(RunState))
    assert set(RunInput.__annotations__) | set(RunOutput.__annotations__) <= set(state)
    told: dict[tuple[str, str], bool] = {}
    for item in _dataclasses(state):
        for field in dataclasses.fields(item):
            place = (type(item).__name__, field.name)
            told[place] = told.get(place, False) or getattr(item, field.name) not in (None, [], "")
    assert [place for place, known in told.items() if not known] == []


async def test_every_value_of_the_state_survives_a_checkpoint_type_for_type() -> None:
    assert os.environ["LANGGRAPH_STRICT_MSGPACK"] == "true"
    state, saver = filled(), InMemorySaver()
    config: Any = {"configurable": {"thread_id": "t"}}
    builder = StateGraph(RunState)
    builder.add_node("fill", lambda state: filled())  # noqa: ARG005
    builder.add_node("wait", lambda state: {})  # noqa: ARG005
    for first, then in pairwise([START, "fill", "wait", END]):
        builder.add_edge(first, then)
    graph = builder.compile(checkpointer=saver, interrupt_before=["wait"])

    await graph.ainvoke({"question": "?"}, config)
    restored = (await graph.aget_state(config)).values

    assert restored == state
    assert _shape(restored) == _shape(state)


def test_every_type_of_the_state_is_one_that_a_checkpoint_can_name() -> None:
    """No tuples, no abstract containers, no generics of our own: they come back as others."""
    for name, hint in typing.get_type_hints(RunState).items():
        for part in _parts(hint):
            assert part in (str, int, float, bool, types.NoneType, list, dict) or (
                isinstance(part, type)
                and part.__module__.startswith("headwater.domain.")
                and "." not in part.__qualname__
            ), f"{name}: {part}"


def _parts(hint: Any) -> set[Any]:
    """Every class that a type is made of, into the fields of our own."""
    origin = get_origin(hint)
    if origin is typing.Literal:
        return {type(value) for value in get_args(hint)}
    if origin is typing.Annotated or origin in (typing.Required, typing.NotRequired):
        return _parts(get_args(hint)[0])
    if origin is not None:
        inner = set().union(*(_parts(argument) for argument in get_args(hint)))
        return inner if origin in (typing.Union, types.UnionType) else {origin, *inner}
    if dataclasses.is_dataclass(hint) or (isinstance(hint, type) and issubclass(hint, BaseModel)):
        return {hint}.union(*(_parts(h) for h in _fields(hint).values()))
    return {hint}


def _fields(owner: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(owner)
    return {
        name: hint
        for name, hint in hints.items()
        if get_origin(hint) is not typing.ClassVar and name != "model_config"
    }


def _dataclasses(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [found for item in value.values() for found in _dataclasses(item)]
    if isinstance(value, list):
        return [found for item in value for found in _dataclasses(item)]
    return [value] if dataclasses.is_dataclass(value) else []


def _shape(value: Any) -> Any:
    """The types of a value and of everything inside it."""
    if isinstance(value, dict):
        return {key: _shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shape(item) for item in value]
    if dataclasses.is_dataclass(value):
        inside = {f.name: _shape(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return (type(value), inside)
    if isinstance(value, BaseModel):
        return (type(value), _shape(dict(value)))
    return type(value)
