"""The three reports of a results folder."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headwater.evaluation.errors import DataError
from headwater.evaluation.record import ResultRow
from headwater.evaluation.report.write import write_reports
from headwater.evaluation.statistics import bootstrap_ci
from headwater.evaluation.summary import MEASURES
from tests.evaluation.report.documents import HOSTILE
from tests.evaluation.report.golden import golden_report
from tests.evaluation.report.sample import failed_row, sample_rows, write_run

GOLDEN = Path(__file__).parents[2] / "golden" / "report.md"


def summary(folder: Path) -> dict[str, Any]:
    """What `summary.json` in `folder` holds, its reports written."""
    write_reports(folder)
    value: dict[str, Any] = json.loads(folder.joinpath("summary.json").read_text("utf-8"))
    return value


def test_the_report_is_the_golden_one(tmp_path: Path) -> None:
    """Renew on purpose: `python -m tests.evaluation.report.golden > tests/golden/report.md`."""
    assert golden_report(tmp_path) == GOLDEN.read_text("utf-8")


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    names = ("summary.json", "report.md", "report.html")
    folders = [write_run(tmp_path / name, sample_rows(3)) for name in "ab"]

    for folder in folders:
        write_reports(folder)

    first, second = ([folder.joinpath(name).read_bytes() for name in names] for folder in folders)
    assert first == second


def test_the_summary_has_every_measure_with_its_interval_and_what_was_left_out(
    tmp_path: Path,
) -> None:
    found = summary(write_run(tmp_path, sample_rows(6)))

    assert len(found["groups"]) == 9
    medium = next(
        g for g in found["groups"] if (g["dataset"], g["setting"]) == ("tickets", "medium")
    )
    assert list(medium["measures"]) == [measure.name for measure in MEASURES]
    for line in medium["measures"].values():
        assert line["n"] + sum(line["excluded"].values()) == medium["rows"] == 6
        assert (line["mean"] is None) == (line["n"] == 0)
        assert line["n"] >= 5 or line["mean"] in (None, 0, 1) or line["ci"] is None
        assert line["n"] < 5 or line["ci"] is not None
    assert found["conditions"]["commit"] == "0123abc"


def test_a_gain_in_the_summary_is_the_difference_of_its_means(tmp_path: Path) -> None:
    gains = summary(write_run(tmp_path, sample_rows(4)))["gains"]

    assert len(gains) == 2 * 4 * 5
    for gain in gains:
        assert gain["gain"] == pytest.approx(gain["mean"] - gain["first"])


def test_an_interval_is_the_bootstrap_over_its_questions(tmp_path: Path) -> None:
    rows = [row for row in sample_rows(6) if (row.dataset, row.setting) == ("manuals", "low")]

    [group] = summary(write_run(tmp_path, rows))["groups"]

    times = [row.elapsed_ms for row in rows if row.elapsed_ms is not None]
    expected = bootstrap_ci(sorted(times), seed=0)
    assert expected is not None
    assert group["measures"]["elapsed_ms"]["ci"] == pytest.approx([expected.low, expected.high])


def test_questions_that_failed_are_told_in_all_three(tmp_path: Path) -> None:
    rows = [*sample_rows(2), failed_row("manuals", 2, "medium")]

    found = summary(write_run(tmp_path, rows))

    assert sum(group["errors"] for group in found["groups"]) == 1
    for name in ("report.md", "report.html"):
        text = tmp_path.joinpath(name).read_text("utf-8")
        assert "1 of 19 runs failed" in text
        assert "the source did not answer" in text


def test_a_torn_line_is_told_in_all_three(tmp_path: Path) -> None:
    path = write_run(tmp_path, sample_rows(2)) / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-25])

    found = summary(tmp_path)

    [notice] = found["notices"]
    assert "was not written to its end" in notice
    assert notice in tmp_path.joinpath("report.md").read_text("utf-8")
    assert notice in tmp_path.joinpath("report.html").read_text("utf-8")


def test_a_run_without_its_conditions_says_so(tmp_path: Path) -> None:
    found = summary(write_run(tmp_path, sample_rows(1), run=None))

    assert found["conditions"] == {}
    assert "There is no run.json" in tmp_path.joinpath("report.md").read_text("utf-8")


def test_questions_that_were_never_asked_are_told(tmp_path: Path) -> None:
    run = {"excluded": {"manuals: its gold passage is not in the corpus": 4}, "problems": ["q:3"]}

    write_reports(write_run(tmp_path, sample_rows(1), run=run))

    text = tmp_path.joinpath("report.md").read_text("utf-8")
    assert "| manuals: its gold passage is not in the corpus | 4 |" in text
    assert "The data has problems: q:3" in text


def test_an_empty_file_is_an_error_and_leaves_no_report(tmp_path: Path) -> None:
    folder = write_run(tmp_path, [])

    with pytest.raises(DataError, match="No results in it"):
        write_reports(folder)

    assert {path.name for path in folder.iterdir()} == {"results.jsonl", "run.json"}


def test_a_report_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    folder = write_run(tmp_path, sample_rows(1))
    folder.joinpath("summary.json").mkdir()

    with pytest.raises(DataError, match=r"summary\.json: Cannot be written"):
        write_reports(folder)

    assert not list(folder.glob("*.part"))


def hostile(row: ResultRow) -> ResultRow:
    """The row with markup in every text that can reach a report."""
    return replace(row, base=HOSTILE, dataset=HOSTILE, lang=HOSTILE, type=HOSTILE, error=row.error)


def test_markup_in_names_languages_and_errors_stays_text(tmp_path: Path) -> None:
    rows = [hostile(row) for row in sample_rows(2)]
    rows = [
        replace(row, setting=f"{row.setting} {HOSTILE}", qid=f"{n}") for n, row in enumerate(rows)
    ]
    rows.append(replace(failed_row("manuals", 9, "low"), error=HOSTILE))

    write_reports(write_run(tmp_path, rows, run={"question": HOSTILE, "commit": HOSTILE}))

    page = tmp_path.joinpath("report.html").read_text("utf-8")
    assert page.count("<script") == 1
    assert "<script" not in tmp_path.joinpath("report.md").read_text("utf-8")
    assert "&lt;script&gt;alert" in page


def calls(work: Callable[[], None]) -> int:
    """How many Python functions `work` calls."""
    count = 0

    def seen(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_work_grows_no_faster_than_the_rows(tmp_path: Path) -> None:
    small, large = (write_run(tmp_path / str(n), sample_rows(n)) for n in (8, 32))
    write_reports(small)  # what is loaded or cached once is not counted

    ratio = calls(lambda: write_reports(large)) / calls(lambda: write_reports(small))

    assert ratio < 4.2
