"""Rows of results for tests: a plain one to change, and any."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from headwater.evaluation.record import (
    CitedSentence,
    ContentPiece,
    GapRow,
    Gold,
    ResultRow,
    SubQueryRow,
)

DOCS = ["d1", "d2", "d3", "d4"]


def gold(doc: str = "d1", grade: int = 4, spans: list[list[int]] | None = None) -> Gold:
    return Gold(source="a", doc=doc, grade=grade, spans=spans or [])


def piece(doc: str = "d1", **changes: Any) -> ContentPiece:
    plain = ContentPiece(
        doc=doc, source="a", start=0, end=100, tokens=100, ref_id=1, sub_query="1.1"
    )
    return replace(plain, **changes)


def asked(id: str = "1.1", **changes: Any) -> SubQueryRow:
    return replace(SubQueryRow(id=id, text="who?", round=1, sources=["a"]), **changes)


def cites(*refs: int) -> CitedSentence:
    return CitedSentence(sentence="So it is.", refs=list(refs))


def row(**changes: Any) -> ResultRow:
    """A medium run whose question has one gold passage, which is the only content."""
    plain = ResultRow(
        experiment="effort",
        base="wiki",
        setting="medium",
        dataset="squad2",
        split="dev",
        qid="q1",
        question="Who?",
        lang="en",
        hops=1,
        type="factoid",
        answerable=True,
        answers=["Ada"],
        gold=[gold()],
        gold_sources=["a"],
        run_id="run-1",
        status="ok",
        effort="medium",
        rounds=1,
        sub_queries=[asked()],
        layers={"federate": ["d1"], "rank": ["d1"], "classify": ["d1"]},
        scores={"rank": [3.0], "classify": [3.5]},
        content=[piece()],
        contains_answer=True,
        answer="It was Ada. [ref_id:1]",
        cited=[cites(1)],
        step_ms={"plan": 1.0, "answer": 2.0},
        tokens={},
        calls={"ranker": 1},
        elapsed_ms=10.0,
    )
    return replace(plain, **changes)


_doc = st.sampled_from(DOCS)
_source = st.sampled_from(["a", "b", "c"])
_span = st.tuples(st.integers(0, 200), st.integers(0, 200)).map(sorted)
_score = st.none() | st.floats(0, 4)
_ranked = st.lists(_doc, unique=True)

_golds = st.lists(
    st.builds(
        Gold,
        source=_source,
        doc=_doc,
        grade=st.sampled_from([2, 3, 4]),
        spans=st.lists(_span, max_size=2),
    ),
    max_size=4,
    unique_by=lambda g: g.doc,
)
_queries = st.builds(
    SubQueryRow,
    id=st.sampled_from(["1.1", "1.2", "2.1"]),
    text=st.text(max_size=8),
    round=st.sampled_from([1, 2]),
    sources=st.lists(_source, unique=True),
    parent=st.none() | st.just("1.1"),
    probability=st.none() | st.floats(0, 1),
    threshold=st.none() | st.floats(0, 1),
    decision=st.sampled_from([None, "exit", "reflect"]),
)
_pieces = st.builds(
    ContentPiece,
    doc=_doc,
    source=_source,
    start=st.integers(0, 100),
    end=st.integers(100, 200),
    tokens=st.integers(0, 3_000),
    ref_id=st.integers(1, 6),
    sub_query=st.sampled_from(["1.1", "1.2", "2.1"]),
    score=_score,
    grade=_score,
    caption=st.just([]) | _span,
    sentence=st.just([]) | _span,
)

rows = st.builds(
    ResultRow,
    experiment=st.just("effort"),
    base=st.just("wiki"),
    setting=st.sampled_from(["low", "medium", "graded-pairs"]),
    dataset=st.sampled_from(["squad2", "financebench"]),
    split=st.just("dev"),
    qid=st.uuids().map(str),
    question=st.text(max_size=8),
    lang=st.sampled_from(["en", "fr", "zh"]),
    hops=st.integers(0, 4),
    type=st.just("factoid"),
    answerable=st.sampled_from([True, False, None, "partial", "underspecified"]),
    answers=st.lists(st.sampled_from(["Ada", "yes", "$5.00", "天正", "", "the"]), max_size=2),
    gold=_golds,
    gold_sources=st.lists(_source, unique=True),
    run_id=st.just("run-1"),
    status=st.sampled_from(["ok", "partial", "failed"]),
    effort=st.sampled_from(["minimal", "low", "medium"]),
    rounds=st.sampled_from([1, 2]),
    error=st.sampled_from([None, None, None, "boom"]),
    max_rounds=st.sampled_from([None, 1, 2]),
    sources_open=st.sampled_from([None, 1, 3]),
    neutral=st.lists(_doc, max_size=1),
    sub_queries=st.lists(_queries, max_size=3),
    layers=st.dictionaries(st.sampled_from(["federate", "rank", "classify"]), _ranked),
    scores=st.just({}),
    ranker_threshold=_score,
    content=st.lists(_pieces, max_size=4),
    contains_answer=st.sampled_from([None, True, False]),
    answer=st.none() | st.sampled_from(["", "It was Ada. [ref_id:1]", "5.02", "天正16年"]),
    cited=st.lists(
        st.builds(
            CitedSentence,
            sentence=st.text(max_size=5),
            refs=st.lists(st.integers(1, 7), max_size=3),
        ),
        max_size=3,
    ),
    gaps=st.lists(
        st.builds(
            GapRow,
            sub_query=st.sampled_from([None, "1.1", "1.2"]),
            text=st.text(max_size=5),
            reason=st.sampled_from(["not_found", "partly_found", "source_failed", "conflict"]),
        ),
        max_size=2,
    ),
    warnings=st.lists(st.text(max_size=5), max_size=2),
    step_ms=st.dictionaries(st.sampled_from(["plan", "answer"]), st.floats(0, 1e4)),
    tokens=st.dictionaries(st.just("chat"), st.lists(st.integers(0, 99), min_size=2, max_size=2)),
    calls=st.dictionaries(st.sampled_from(["chat", "ranker"]), st.integers(0, 9)),
    elapsed_ms=st.none() | st.floats(0, 1e5),
)
"""Any row; not every field agrees with every other, as in a file from elsewhere."""
