from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.data.passages import Cut


@given(
    total=st.integers(0, 60),
    passages=st.integers(1, 70),
    keep=st.frozensets(st.integers(0, 80).map(str), max_size=20),
)
def test_a_cut_keeps_all_that_must_stay_and_fills_up_to_its_size(
    total: int, passages: int, keep: frozenset[str]
) -> None:
    ids = [str(number) for number in range(total)]
    kept = set(ids) & keep

    found = list(Cut(passages, keep).of(ids))

    assert kept <= {ids[number] for number in found}
    assert len(found) == max(len(kept), min(total, passages))
    assert found == sorted(set(found))


def test_the_sample_of_the_others_is_even() -> None:
    assert list(Cut(10).of([str(number) for number in range(100)])) == list(range(9, 100, 10))
