import json
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.evaluation.errors import DataError
from headwater.evaluation.record import from_json
from headwater.evaluation.run.journal import RESULTS, Journal, rows_in
from tests.evaluation.rows import row

FILL = """
import resource, signal, sys
from pathlib import Path
from headwater.evaluation.errors import DataError
from headwater.evaluation.run.journal import Journal
from tests.evaluation.rows import row

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
with Journal.open(Path(sys.argv[1])) as journal:
    try:
        for number in range(1_000):
            journal.append(row(qid=f"q{number}"))
    except DataError as error:
        print(error)
"""


def _written(folder: Path, *qids: str) -> Path:
    with Journal.open(folder) as journal:
        for qid in qids:
            journal.append(row(qid=qid))
    return folder / RESULTS


def test_a_row_is_on_disk_as_soon_as_it_is_appended(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "new" / "folder") as journal:
        journal.append(row(qid="q1"))
        [value] = rows_in(journal.path)

    assert from_json(value) == row(qid="q1")


def test_rows_that_are_there_are_known_and_kept(tmp_path: Path) -> None:
    _written(tmp_path, "q1", "q2")

    with Journal.open(tmp_path) as journal:
        assert journal.done == {("wiki", "medium", "squad2", q) for q in ("q1", "q2")}
        assert not journal.repaired
        journal.append(row(qid="q3"))

    assert [value["qid"] for value in rows_in(tmp_path / RESULTS)] == ["q1", "q2", "q3"]


def test_the_last_row_of_a_question_says_whether_it_is_done(tmp_path: Path) -> None:
    key = ("wiki", "medium", "squad2", "q1")
    for error, done in (("boom", False), ("boom", False), (None, True)):
        with Journal.open(tmp_path) as journal:
            journal.append(row(qid="q1", error=error))
            assert (key in journal.done, key in journal.failed) == (done, not done)
            assert len(journal) == 1
        with Journal.open(tmp_path) as again:
            assert (key in again.done, key in again.failed) == (done, not done)
            assert len(again) == 1

    assert [value["error"] for value in rows_in(tmp_path / RESULTS)] == ["boom", "boom", None]


@pytest.mark.parametrize("torn", [b'{"base": "wi', b"x", b'{"base": "\xe4'])
def test_a_torn_last_line_is_taken_off(tmp_path: Path, torn: bytes) -> None:
    path = _written(tmp_path, "q1")
    path.write_bytes(path.read_bytes() + torn)

    with Journal.open(tmp_path) as journal:
        assert journal.repaired
        journal.append(row(qid="q2"))

    assert [value["qid"] for value in rows_in(path)] == ["q1", "q2"]


def test_a_torn_line_longer_than_one_look_is_taken_off_as_a_whole(tmp_path: Path) -> None:
    path = _written(tmp_path, "q1")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"answer": "' + b"a" * 200_000)

    Journal.open(tmp_path).close()

    assert path.read_bytes() == whole


def test_a_file_that_is_only_a_torn_line_begins_anew(tmp_path: Path) -> None:
    (tmp_path / RESULTS).write_bytes(b'{"base"')

    with Journal.open(tmp_path) as journal:
        assert journal.repaired
        assert journal.done == set()


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = _written(tmp_path, "q1")
    path.write_bytes(b"nonsense\n" + path.read_bytes())

    with pytest.raises(DataError, match=r"results\.jsonl:1: .*no row"):
        Journal.open(tmp_path)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with Journal.open(tmp_path), pytest.raises(DataError, match="Another evaluation"):
        Journal.open(tmp_path)


def test_a_full_disk_keeps_all_whole_rows_and_says_how_many(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )

    lines = (tmp_path / RESULTS).read_bytes().splitlines(keepends=True)
    assert f"{len(lines)} rows are kept" in done.stdout
    assert len(lines) > 5
    assert all(json.loads(line) for line in lines)
    assert lines[-1].endswith(b"\n")


def test_a_place_that_cannot_be_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(DataError, match="file"):
        Journal.open(tmp_path / "file")
