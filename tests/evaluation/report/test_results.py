"""Reading results, whole and torn."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.evaluation.errors import DataError
from headwater.evaluation.report.results import Results, read_run
from tests.evaluation.report.sample import RUN, sample_rows, write_run


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    rows = sample_rows(2)

    results = Results(write_run(tmp_path, rows), [])

    assert list(results.rows()) == rows
    assert results.notices == []


def test_a_torn_last_line_is_reported_and_left_out(tmp_path: Path) -> None:
    rows = sample_rows(2)
    path = write_run(tmp_path, rows) / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    results = Results(tmp_path, [])

    assert list(results.rows()) == rows[:-1]
    assert results.notices == [
        f"Line {len(rows)} of results.jsonl was not written to its end; it was left out."
    ]


@pytest.mark.parametrize("line", ["{not json", "[1, 2]", '"text"', "17", '{"qid": "a"}'])
def test_a_broken_line_in_the_middle_is_named(tmp_path: Path, line: str) -> None:
    rows = sample_rows(1)
    path = write_run(tmp_path, rows) / "results.jsonl"
    path.write_text(f"{line}\n{path.read_text('utf-8')}", "utf-8")
    results = Results(tmp_path, [])

    assert list(results.rows()) == rows
    [notice] = results.notices
    assert notice.startswith("Line 1 of results.jsonl is broken")


def test_reading_twice_reports_once(tmp_path: Path) -> None:
    path = write_run(tmp_path, sample_rows(1)) / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    results = Results(tmp_path, [])

    list(results.rows())
    list(results.rows())

    assert len(results.notices) == 1


def test_of_a_question_that_was_asked_again_the_last_row_counts(tmp_path: Path) -> None:
    first, *others = sample_rows(1)
    failed = [replace(first, error=f"time {number}") for number in range(2)]
    results = Results(write_run(tmp_path, [*failed, *others, first]), [])

    assert list(results.rows()) == [*others, first]
    assert results.notices == ["2 earlier row(s) of questions asked again were left out."]


def test_a_torn_row_does_not_replace_the_one_before_it(tmp_path: Path) -> None:
    rows = sample_rows(1)
    path = write_run(tmp_path, [*rows, rows[0]]) / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-40])

    assert list(Results(tmp_path, []).rows()) == rows


@pytest.mark.parametrize("content", [b"", b"\n\n", b'{"qid'])
def test_a_file_without_a_row_is_an_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    tmp_path.joinpath("results.jsonl").write_bytes(content)

    with pytest.raises(DataError, match=r"results\.jsonl: No results in it\. Run the evaluation"):
        list(Results(tmp_path, []).rows())


def test_a_folder_without_results_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Name the folder that an evaluation wrote"):
        list(Results(tmp_path / "absent", []).rows())


def test_the_conditions_of_a_run_are_read(tmp_path: Path) -> None:
    notices: list[str] = []

    assert read_run(write_run(tmp_path, []), notices) == RUN
    assert notices == []


@pytest.mark.parametrize("content", [None, "", "{", "[]"])
def test_unknown_conditions_are_noticed_not_invented(tmp_path: Path, content: str | None) -> None:
    notices: list[str] = []
    if content is not None:
        tmp_path.joinpath("run.json").write_text(content)

    assert read_run(tmp_path, notices) == {}
    assert len(notices) == 1
    assert "known" in notices[0]


def test_a_row_with_any_letters_survives(tmp_path: Path) -> None:
    row = sample_rows(1)[0]
    folder = write_run(tmp_path, [row])
    value = json.loads(folder.joinpath("results.jsonl").read_text("utf-8"))
    value["question"] = "\u2028 “”  泵"
    folder.joinpath("results.jsonl").write_text(json.dumps(value, ensure_ascii=False), "utf-8")

    [back] = Results(folder, []).rows()

    assert back.question == "\u2028 “”  泵"
