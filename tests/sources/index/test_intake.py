import asyncio
import os
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.sources.document import Chunk, FileEntry, FileProblem
from headwater.sources.index.changes import KnownChunk, digest_of, kind_of
from headwater.sources.index.intake import Reading, make_plan
from headwater.sources.parse.registry import ParseLimits
from headwater.sources.walk import WalkRules
from tests.fakes import WordCounter
from tests.sources.test_ingest import open_source, write

NAMES = ["a.md", "b.md", "deep/c.md"]
TEXTS = ["The pump.", "The seal of the pump.", "---\naccess: group:hr\n---\nThe pump.", ""]


def reading(root: Path) -> Reading:
    def nothing(*_: object) -> list[Chunk]:
        return []

    return Reading(root, WalkRules(), ParseLimits(), nothing, nothing, WordCounter())  # type: ignore[arg-type]


def test_a_plan_names_what_is_new_and_opens_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", "text")
    os.chmod(path, 0)
    plan = make_plan(reading(tmp_path), {})
    assert [entry.path for entry in plan.work] == ["a.md"]
    assert (plan.total, plan.unchanged, plan.gone) == (1, 0, [])


def test_one_file_is_planned_without_what_lies_beside_and_below(tmp_path: Path) -> None:
    path = write(tmp_path, "a[1].md", "text")
    write(tmp_path, "a1.md", "text")
    write(tmp_path, "below/a[1].md", "text")
    plan = make_plan(reading(path), {})
    assert [entry.path for entry in plan.work] == ["a[1].md"]


def test_one_file_of_an_unknown_kind_is_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path, "a.xyz", "text")
    plan = make_plan(reading(path), {})
    assert plan.work == []
    assert [problem.path for problem in plan.problems] == ["a.xyz"]


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        (None, "add"),
        (KnownChunk(b"other", None), "replace"),
        (KnownChunk(b"same", ["group:hr"]), "relabel"),
        (KnownChunk(b"same", None), "keep"),
    ],
)
def test_a_chunk_needs_no_more_than_what_changed(known: KnownChunk | None, kind: str) -> None:
    chunk = Chunk("1", "a.md", "text", "title")
    if known is not None and known.digest == b"same":
        known = KnownChunk(digest_of(chunk), known.access)
    assert kind_of(chunk, known) == kind


def contents(state: Path) -> dict[str, list[object]]:
    """All that matters in the catalogue, apart from numbers that depend on the order."""
    [database] = state.glob("g*/chunks.sqlite")
    connection = sqlite3.connect(database)
    found = {
        "chunks": connection.execute(
            "SELECT id, path, text, title, principals FROM chunks JOIN labels USING (label)"
            " ORDER BY id"
        ).fetchall(),
        "terms": connection.execute("SELECT * FROM terms ORDER BY term").fetchall(),
        "files": connection.execute(
            "SELECT path, digest, problem, done FROM files ORDER BY path"
        ).fetchall(),
        "journal": connection.execute("SELECT * FROM journal").fetchall(),
    }
    connection.close()
    return found


async def ingested(files: Path) -> dict[str, list[object]]:
    source = open_source(files)
    await source.ingest()
    counts = (await source.health()).counts
    assert len(set(counts.values())) == 1
    await source.close()
    return contents(files.parent / "state")


EDITS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([*TEXTS, None]))


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(EDITS, min_size=1, max_size=4))
def test_step_by_step_gives_the_same_index_as_at_once(
    steps: list[dict[str, str | None]],
) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        for step in steps:
            stepwise = asyncio.run(ingested(edit(Path(one) / "files", step)))
            edit(Path(other) / "files", step)
        at_once = asyncio.run(ingested(Path(other) / "files"))
    assert stepwise == at_once
    assert stepwise["journal"] == []


def edit(files: Path, step: dict[str, str | None]) -> Path:
    files.mkdir(exist_ok=True)
    for name, text in step.items():
        if text is not None:
            write(files, name, text)
            os.utime(files / name)
        else:
            (files / name).unlink(missing_ok=True)
    return files


def test_entries_and_problems_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "text")
    (tmp_path / "b.md").symlink_to("/etc/hostname")
    plan = make_plan(reading(tmp_path), {})
    assert all(isinstance(entry, FileEntry) for entry in plan.work)
    assert [type(problem) for problem in plan.problems] == [FileProblem]
    assert plan.total == 2
