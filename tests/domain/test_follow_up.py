from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.follow_up import (
    MAX_CHARS,
    FollowUp,
    admitted,
    missing_parts,
    numbered,
    with_name,
)
from headwater.domain.state import Route, RunState, SubQuery
from tests.fakes import run_with

ASKED = SubQuery("q2", "Who makes the seal?")


def state(most: int = 5) -> RunState:
    return {
        "question": "?",
        "run": run_with(max_sub_queries=most),
        "sub_queries": [SubQuery("q1", "?"), ASKED],
        "routes": [Route("q2", ["a"])],
    }


def follow_up(text: str, weight: float = 0.5, sources: tuple[str, ...] = ("a",)) -> FollowUp:
    return FollowUp("q2", text, list(sources), weight, "why")


def test_missing_parts_are_named_as_the_query_writes_them() -> None:
    query = "Warranty and Recall of the X-200 in Überlingen"

    assert missing_parts(query, ["The warranties of it."]) == "Recall, X-200, Überlingen"
    assert missing_parts(query, [query]) == ""
    assert missing_parts("depth of the B-12", ["The depth: see B12."]) == ""


def test_missing_chinese_words_are_joined_again() -> None:
    assert missing_parts("泵的保修期", ["这款泵很重"]).endswith("保修期")


def test_a_name_is_appended_within_the_longest_text_allowed() -> None:
    assert with_name("Who makes\nthe seal?", "Boreal  GmbH") == "Who makes the seal? Boreal GmbH"
    assert len(with_name("x" * 900, "Boreal")) == MAX_CHARS


def test_a_text_is_not_sent_to_a_source_twice() -> None:
    wanted = [follow_up("who makes the SEAL", sources=("a", "b")), follow_up("who makes the seal")]

    assert [w.sources for w in admitted(wanted, state())] == [["b"]]


def test_the_likeliest_are_kept_in_the_order_of_their_parents() -> None:
    wanted = [follow_up("one pump", 0.2), follow_up("two pump", 0.1), follow_up("three pump", 0.9)]

    assert [w.text for w in admitted(wanted, state(most=2))] == ["one pump", "three pump"]


def test_ids_go_on_and_weights_stay_above_zero() -> None:
    new = numbered([follow_up("one", 0.0), follow_up("two", 7.0)], [SubQuery("q9", "x")])

    assert [(q.id, q.round, q.parent, q.weight) for q in new] == [
        ("q10", 2, "q2", 0.01),
        ("q11", 2, "q2", 1.0),
    ]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_missing_parts_come_from_the_query(query: str, captions: list[str]) -> None:
    missing = missing_parts(query, captions)

    assert all(part in query for part in missing.split(", "))
