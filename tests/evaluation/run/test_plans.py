from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.run.plans import quality

texts = st.lists(st.text(alphabet="abcdef 12", max_size=30), max_size=5)


def test_a_part_is_covered_by_a_sub_query_with_half_of_its_terms() -> None:
    found = quality(
        "Who designed the tower, and when did the bridge open?",
        ["Who designed the tower?", "When did the bridge open?", "Is the harbour deep enough?"],
        ["Who designed the tower?", "bridge opening day"],
    )

    assert found.covered == 2 / 3
    assert (found.parts, found.sub_queries) == (3, 2)


def test_half_of_a_part_in_each_of_two_sub_queries_does_not_cover_it() -> None:
    part = "Which river crosses northern marshland villages?"

    found = quality(part, [part], ["river", "villages"])

    assert found.covered == 0.0


def test_a_reference_to_an_earlier_answer_is_not_asked_for() -> None:
    found = quality("", ["Is #1 taller than the tower?"], ["taller tower"])

    assert found.covered == 1.0


def test_a_plan_without_reference_has_no_coverage() -> None:
    assert quality("Who?", [], ["Who?"]).covered is None
    assert quality("Who?", ["#1?"], ["Who?"]).covered is None


def test_a_sub_query_asked_twice_counts_once_each_time() -> None:
    planned = ["red paint price", "the price of red paint", "blue paint", "price red paint"]

    assert quality("", [], planned).duplicates == 2


def test_numbers_and_names_that_no_sub_query_has_are_lost() -> None:
    found = quality(
        "How many tickets did Ada Lovelace sell in 1842?",
        [],
        ["How many tickets were sold in 1842?"],
    )

    assert found.lost == ["Ada Lovelace"]
    assert found.kept == 0.5


def test_without_numbers_and_names_nothing_can_be_lost() -> None:
    found = quality("how is tea brewed?", [], [])

    assert (found.lost, found.kept, found.covered) == ([], None, None)


@given(st.text(alphabet="abcdef 12", max_size=40), texts)
def test_a_plan_that_repeats_the_reference_covers_it_whole(question: str, parts: list[str]) -> None:
    found = quality(question, parts, [*parts, question])

    assert found.covered in (None, 1.0)
    assert found.lost == []


@given(texts, texts)
def test_shares_stay_in_their_interval(parts: list[str], planned: list[str]) -> None:
    found = quality("a 1", parts, planned)

    assert found.covered is None or 0.0 <= found.covered <= 1.0
    assert 0 <= found.duplicates <= max(0, len(planned) - 1)
