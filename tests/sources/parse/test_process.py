import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from headwater.domain.errors import FileRejectedError, LimitExceededError
from headwater.sources.document import Section
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.process import ParserProcess, shared_process
from tests.sources.hostile_files import pdf, write

ONE = "import sys; sys.stdin.readline(); "
"""A worker that takes a request and then goes wrong in its own way."""


@pytest.fixture
def process() -> Iterator[ParserProcess]:
    made = ParserProcess()
    yield made
    made.close()


def broken(program: str) -> ParserProcess:
    return ParserProcess([sys.executable, "-c", program])


def parse_pdf(
    process: ParserProcess, path: Path, limits: ParseLimits | None = None
) -> list[Section]:
    found = process.parse(path.name, "pdf", limits or ParseLimits(), location=str(path))
    return found.sections


def test_threads_share_one_worker(process: ParserProcess, tmp_path: Path) -> None:
    for number in range(6):
        write(tmp_path / f"{number}.pdf", pdf([f"page of file {number}"]))

    with ThreadPoolExecutor(3) as pool:
        paths = [tmp_path / f"{number}.pdf" for number in range(6)]
        found = list(pool.map(lambda path: parse_pdf(process, path), paths))

    assert found == [[Section(f"page of file {n}", [], 1)] for n in range(6)]


def test_limits_and_causes_come_through(process: ParserProcess, tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", pdf(["one", "two"]))
    write(tmp_path / "b.pdf", b"%PDF-")

    with pytest.raises(LimitExceededError) as caught:
        parse_pdf(process, tmp_path / "a.pdf", ParseLimits(max_pages=1))
    with pytest.raises(FileRejectedError, match=r"b\.pdf: The PDF is broken"):
        parse_pdf(process, tmp_path / "b.pdf")

    assert (caught.value.limit, caught.value.used) == ("max_pages", 2)


def test_a_file_that_takes_too_long_is_rejected_and_the_next_one_is_read(tmp_path: Path) -> None:
    once = tmp_path / "hung"
    program = (
        f"import pathlib, runpy, sys, time; mark = pathlib.Path({str(once)!r})\n"
        "if not mark.exists(): mark.touch(); sys.stdin.readline(); time.sleep(60)\n"
        "runpy.run_module('headwater.sources.parse.worker', run_name='__main__')"
    )
    process = broken(program)
    write(tmp_path / "a.pdf", pdf(["text"]))

    with pytest.raises(FileRejectedError, match=r"longer than 0\.5 seconds"):
        parse_pdf(process, tmp_path / "a.pdf", ParseLimits(timeout_seconds=0.5))

    assert parse_pdf(process, tmp_path / "a.pdf") == [Section("text", [], 1)]
    process.close()


@pytest.mark.parametrize(
    "program",
    [
        ONE + "import os; os.kill(os.getpid(), 11)",
        ONE + "sys.exit(0)",
        ONE + "print('{\"extracted\"', end='')",
        "import sys; sys.stdin.close()",
        "raise SystemExit(3)",
    ],
)
def test_a_worker_that_dies_costs_the_file_only(tmp_path: Path, program: str) -> None:
    process = broken(program)

    for _ in range(2):
        with pytest.raises(FileRejectedError, match="crashed"):
            parse_pdf(process, write(tmp_path / "a.pdf", b"x").location)
    process.close()


def test_a_worker_that_listens_no_more_costs_the_file_only(tmp_path: Path) -> None:
    deaf = tmp_path / "deaf"
    process = broken(
        ONE + 'print(\'{"rejected": {"cause": "no", "fix": ""}}\', flush=True)\n'
        f"import os, pathlib, time; os.close(0); pathlib.Path({str(deaf)!r}).touch()\n"
        "time.sleep(60)"
    )
    path = write(tmp_path / "a.pdf", b"x").location
    with pytest.raises(FileRejectedError, match="no"):
        parse_pdf(process, path)
    while not deaf.exists():
        time.sleep(0.01)

    with pytest.raises(FileRejectedError, match="crashed"):
        parse_pdf(process, path)
    process.close()


def test_closing_ends_the_worker_and_the_next_file_starts_another(
    process: ParserProcess, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.pdf", pdf(["text"])).location

    first = parse_pdf(process, path)
    process.close()
    process.close()

    assert parse_pdf(process, path) == first


def test_the_last_user_to_leave_ends_the_worker(process: ParserProcess, tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", pdf(["text"])).location
    with process.in_use():
        with process.in_use():
            parse_pdf(process, path)
        worker = process._worker
        assert worker is not None
        assert worker.poll() is None
    assert worker.poll() is not None
    assert process._worker is None


def test_all_sources_share_one_process() -> None:
    before = threading.active_count()

    assert shared_process() is shared_process()
    assert threading.active_count() == before
