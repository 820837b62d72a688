import json
from typing import Any

import pytest
from hypothesis import given

from headwater.evaluation.errors import DataError
from headwater.evaluation.record import ResultRow, from_json, to_json, to_line
from tests.evaluation.rows import row, rows


@given(rows)
def test_a_row_that_was_written_is_read_back_as_it_was(any_row: ResultRow) -> None:
    assert from_json(json.loads(json.dumps(to_json(any_row)))) == any_row


@given(rows)
def test_a_row_is_one_line_of_the_same_json(any_row: ResultRow) -> None:
    line = to_line(any_row)

    assert line.count(b"\n") == 1
    assert json.loads(line) == json.loads(json.dumps(to_json(any_row)))


def test_a_row_without_the_fields_of_a_run_that_failed_is_read() -> None:
    known = {k: v for k, v in to_json(row()).items() if k not in {"content", "step_ms", "scores"}}

    assert from_json(known) == row(content=[], step_ms={}, scores={})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"colour": "red"}, "colour"),
        ({"rounds": "many"}, "rounds"),
        ({"gold": [{"doc": "d1"}]}, r"gold\.0\.source"),
        ({"content": 7}, "content"),
    ],
)
def test_a_row_of_another_form_is_refused_and_the_field_named(
    change: dict[str, Any], named: str
) -> None:
    with pytest.raises(DataError, match=named):
        from_json({**to_json(row()), **change})


def test_a_missing_field_is_named() -> None:
    without = {k: v for k, v in to_json(row()).items() if k != "qid"}

    with pytest.raises(DataError, match="qid"):
        from_json(without)
    with pytest.raises(DataError, match="the row"):
        from_json("no row at all")
