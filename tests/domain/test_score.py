import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.errors import ScoreRangeError
from headwater.domain.score import Grade, Probability, RankerScore

KINDS = [(RankerScore, 4.0), (Grade, 4.0), (Probability, 1.0)]


@pytest.mark.parametrize(("kind", "most"), KINDS)
@given(share=st.floats(0, 1))
def test_values_on_the_scale_are_kept(kind: type[RankerScore], most: float, share: float) -> None:
    assert kind(share * most).value == share * most


@pytest.mark.parametrize(("kind", "most"), KINDS)
@given(value=st.floats())
def test_everything_else_is_refused(kind: type[RankerScore], most: float, value: float) -> None:
    if 0 <= value <= most:
        return
    with pytest.raises(ScoreRangeError) as caught:
        kind(value)
    assert (caught.value.low, caught.value.high) == (0.0, most)
    assert caught.value.value == value or math.isnan(value)


@pytest.mark.parametrize(("kind", "most"), KINDS)
def test_no_number_is_refused(kind: type[RankerScore], most: float) -> None:
    with pytest.raises(ScoreRangeError, match="nan"):
        kind(math.nan)
    assert kind(most) > kind(0.0)


def test_scores_of_two_kinds_differ() -> None:
    ranker, grade = RankerScore(1.0), Grade(1.0)
    assert ranker.value == grade.value
    assert ranker != grade  # type: ignore[comparison-overlap]  # the types say it as well
