from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.turns import TURN_MARGIN, Candidate, in_turn, round_robin


def candidate(query: str, passage: str, value: float | None = 3.0, *, round_: int = 1) -> Candidate:
    return Candidate(sub_query=query, round=round_, passage=passage, value=value, caption=[0, 0])


def order(*candidates: Candidate) -> list[str]:
    return [c.passage for c in in_turn(candidates)]


def test_round_robin_takes_the_first_of_each_queue_then_the_second() -> None:
    assert "".join(round_robin(["abc", "", "de", "f"])) == "adfbec"


def test_round_robin_hands_on_none_as_a_value() -> None:
    queues: list[list[int | None]] = [[None, 1], [2]]
    assert list(round_robin(queues)) == [None, 2, 1]


def test_sub_queries_take_turns() -> None:
    first = [candidate("q1", f"a:{n}") for n in (1, 2, 3)]
    second = [candidate("q2", f"a:{n}") for n in (7, 8)]

    assert order(*first, *second) == ["a:1", "a:7", "a:2", "a:8", "a:3"]


def test_rounds_take_turns_before_sub_queries_do() -> None:
    first = [candidate("q1", "a:1"), candidate("q1", "a:2"), candidate("q2", "a:3")]
    second = [candidate("q3", "a:7", round_=2), candidate("q3", "a:8", round_=2)]

    assert order(*second, *first) == ["a:1", "a:7", "a:3", "a:8", "a:2"]


def test_sources_take_turns_inside_a_sub_query() -> None:
    queue = [
        candidate("q1", "a:1", 4.0),
        candidate("q1", "a:2", 3.9),
        candidate("q1", "a:3", 3.8),
        candidate("q1", "b:1", 3.5),
        candidate("q1", "b:2", 3.4),
    ]

    assert order(*queue) == ["a:1", "b:1", "a:2", "b:2", "a:3"]


def test_a_source_waits_while_its_best_is_far_below_the_best_left() -> None:
    far = 4.0 - TURN_MARGIN - 0.01
    queue = [
        candidate("q1", "a:1", 4.0),
        candidate("q1", "a:2", 4.0),
        candidate("q1", "a:3", far),
        candidate("q1", "b:1", far),
    ]

    assert order(*queue) == ["a:1", "a:2", "a:3", "b:1"]


def test_without_scores_it_is_plain_round_robin_over_sources() -> None:
    queue = [candidate("q1", p, None) for p in ("a:1", "b:1", "b:2", "a:2", "c:1", "b:3")]

    assert order(*queue) == ["a:1", "b:1", "c:1", "a:2", "b:2", "b:3"]


def test_nothing_gives_nothing() -> None:
    assert in_turn([]) == []


@given(
    st.lists(
        st.builds(
            candidate,
            st.sampled_from(["q1", "q2", "q3"]),
            st.sampled_from(["a:1", "a:2", "b:1", "c:1", "c:2"]),
            st.none() | st.floats(0, 4),
            round_=st.integers(1, 2),
        ),
        max_size=30,
    )
)
def test_every_candidate_gets_exactly_one_turn(candidates: list[Candidate]) -> None:
    assert sorted(map(repr, in_turn(candidates))) == sorted(map(repr, candidates))


@given(st.lists(st.floats(0, 4), min_size=1, max_size=20), st.data())
def test_inside_one_source_the_order_stays(values: list[float], data: st.DataObject) -> None:
    sources = data.draw(
        st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values))
    )
    ordered = sorted(values, reverse=True)
    queue = [
        candidate("q1", f"{s}:{n:02}", v)
        for n, (s, v) in enumerate(zip(sources, ordered, strict=True))
    ]

    for source in set(sources):
        turns = [passage for passage in order(*queue) if passage.startswith(source)]
        assert turns == sorted(turns)
