from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.measures.catalogue import MEASURES
from headwater.evaluation.measures.measure import UNSCORED, Measure
from headwater.evaluation.record import ResultRow
from tests.evaluation.rows import row, rows


def test_every_measure_has_a_name_of_its_own_a_definition_and_a_source() -> None:
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
    assert all(m.title and m.definition.endswith(".") and m.source for m in MEASURES)


DEFINED = {
    measure.name: measure.per_row.func if isinstance(measure.per_row, partial) else measure.per_row
    for measure in MEASURES
    if not measure.batch
}


@pytest.mark.parametrize("name", DEFINED)
def test_the_function_of_a_measure_says_where_its_definition_is_from(name: str) -> None:
    said = DEFINED[name].__doc__ or ""

    assert "None`" in said
    assert any(word in said for word in ("Source:", "Origin:", "Source as", "After ALCE", "See `"))


@given(st.lists(rows, max_size=3))
def test_a_value_is_missing_exactly_where_there_is_a_reason(some: list[ResultRow]) -> None:
    for measure in MEASURES:
        values = measure.values(some)
        assert values == [measure.per_row(one) for one in some]
        for one, value in zip(some, values, strict=True):
            assert (value is None) == (measure.reason(one) != UNSCORED)
            if value is not None:
                assert value >= 0.0
                assert measure.unit != "share" or value <= 1.0 + 1e-9


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_a_run_that_failed_is_unscored_and_says_so(measure: Measure) -> None:
    failed = row(error="boom")

    assert measure.per_row(failed) is None
    assert measure.reason(failed) == "the run ended with an error"
