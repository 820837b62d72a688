import asyncio
import math
import os
from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.domain.errors import (
    ConfigurationError,
    ModelOutputError,
    ModelUnavailableError,
)
from headwater.sources.files import FilesConfig, FilesSource
from headwater.sources.index import intake
from headwater.sources.index.changes import Batch
from headwater.sources.index.keyword import Engine
from headwater.sources.ingest import IngestProgress
from headwater.sources.parse.field_rules import FieldRules
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.process import shared_process
from tests.fakes import WordCounter
from tests.sources.stand_ins import HashingEmbedder

NOBODY: frozenset[str] = frozenset()
OLD = 1_000_000_000


def write(folder: Path, name: str, text: str) -> Path:
    """Write a file that looks as if it had been there for years."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (OLD, OLD))
    return path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    write(folder, "pump.md", "# Pump\n\nThe seal of the pump is made of rubber.")
    write(folder, "oil.md", "# Oil\n\nChange the oil once a year.")
    write(folder, "deep/leave.txt", "Staff may take thirty days of leave.")
    return folder


def open_source(
    files: Path, embedder: HashingEmbedder | None = None, engine: Engine = "fts5"
) -> FilesSource:
    config = FilesConfig("kb", files, files.parent / "state", keyword=engine)
    return FilesSource.open(config, embedder=embedder or HashingEmbedder(), counter=WordCounter())


async def titles(source: FilesSource, query: str) -> list[str]:
    found = await source.search(query, top=10, principals=NOBODY)
    return [hit.passage.title for hit in found.hits]


async def test_reports_what_was_read(files: Path) -> None:
    source = open_source(files)
    report = await source.ingest()
    assert (report.added, report.changed, report.deleted, report.unchanged) == (3, 0, 0, 0)
    assert report.chunks == report.embedded == 3
    assert (report.problems, report.warnings) == ([], [])
    await source.close()


async def test_unchanged_files_are_not_even_opened(files: Path) -> None:
    embedder = HashingEmbedder()
    source = open_source(files, embedder)
    await source.ingest()
    embedder.passages.clear()
    write(files, "oil.md", "# Oil\n\nChange the fat once a year.")  # same size, same time
    report = await source.ingest()
    assert (report.unchanged, report.embedded, embedder.passages) == (3, 0, [])
    await source.close()


async def test_a_file_with_another_time_and_the_same_bytes_is_not_embedded(files: Path) -> None:
    source = open_source(files)
    await source.ingest()
    os.utime(files / "oil.md", (OLD + 5, OLD + 5))
    assert (await source.ingest()).unchanged == 3
    assert (await source.ingest()).embedded == 0
    await source.close()


async def test_a_file_written_just_before_is_compared_by_its_bytes(files: Path) -> None:
    source = open_source(files)
    path = files / "oil.md"
    path.write_text("# Oil\n\nChange the oil once a year.")
    await source.ingest()
    seen = path.stat()
    path.write_text("# Oil\n\nChange the fat once a year.")
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert (await source.ingest()).changed == 1
    await source.close()


async def test_changed_and_deleted_files_are_followed(files: Path) -> None:
    source = open_source(files)
    await source.ingest()
    (files / "pump.md").write_text("# Pump\n\nThe seal of the pump is made of silicone now.")
    (files / "oil.md").unlink()
    write(files, "new.md", "# Valve\n\nA new valve.")
    report = await source.ingest()
    assert (report.added, report.changed, report.deleted, report.unchanged) == (1, 1, 1, 1)
    assert report.chunks == 3
    found = await source.search("seal", top=1, principals=NOBODY)
    assert "silicone" in found.hits[0].passage.text
    assert "Oil" not in await titles(source, "oil")
    await source.close()


async def test_a_sidecar_alone_relabels_without_embedding(files: Path) -> None:
    embedder = HashingEmbedder()
    source = open_source(files, embedder)
    await source.ingest()
    embedder.passages.clear()
    write(files, "pump.md.access", "group:hr\n")
    report = await source.ingest()
    assert (report.changed, report.embedded, embedder.passages) == (1, 0, [])
    assert "Pump" not in await titles(source, "pump seal")
    permitted = await source.search("pump", top=1, principals=frozenset({"group:hr"}))
    assert permitted.hits[0].passage.access == ["group:hr"]

    (files / "pump.md.access").unlink()
    assert (await source.ingest()).embedded == 0
    assert "Pump" in await titles(source, "pump seal")
    await source.close()


async def test_only_the_chunks_that_changed_are_embedded(files: Path) -> None:
    parts = [f"# Part {i}\n\n" + f"word{i} " * 120 for i in range(6)]
    write(files, "long.md", "\n\n".join(parts))
    embedder = HashingEmbedder()
    source = open_source(files, embedder)
    before = await source.ingest()
    embedder.passages.clear()
    (files / "long.md").write_text("\n\n".join([*parts[:5], "# Part 5\n\n" + "other " * 120]))
    after = await source.ingest()
    assert before.embedded >= 8
    assert after.embedded == 1
    assert "other" in embedder.passages[0]
    await source.close()


async def test_a_broken_file_is_reported_and_the_others_go_on(files: Path) -> None:
    (files / "empty.md").write_bytes(b"")
    (files / "fake.pdf").write_bytes(b"this is no pdf")
    source = open_source(files)
    report = await source.ingest()
    assert [p.path for p in report.problems] == ["empty.md", "fake.pdf"]
    assert report.added == 3
    for path in (files / "empty.md", files / "fake.pdf"):
        os.utime(path, (OLD, OLD))
    again = await source.ingest()
    assert [p.path for p in again.problems] == ["empty.md", "fake.pdf"]
    assert [p.path for p in (await source.health()).problems] == ["empty.md", "fake.pdf"]
    await source.close()


async def test_a_file_that_became_unreadable_leaves_the_index(files: Path) -> None:
    source = open_source(files)
    await source.ingest()
    (files / "pump.md").write_bytes(b"")
    report = await source.ingest()
    assert [p.path for p in report.problems] == ["pump.md"]
    assert "Pump" not in await titles(source, "pump seal")
    await source.close()


async def test_a_file_that_vanishes_meanwhile_is_a_problem_and_read_when_it_is_back(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 1)
    source = open_source(files)

    def take_away(progress: IngestProgress) -> None:
        if progress.files_total:
            (files / "pump.md").unlink(missing_ok=True)  # the last of three

    first = await source.ingest(on_progress=take_away)
    assert [p.path for p in first.problems] == ["pump.md"]
    assert (first.added, first.chunks) == (2, 2)

    write(files, "pump.md", "# Pump\n\nThe seal of the pump is made of rubber.")
    again = await source.ingest()
    assert (again.problems, again.chunks) == ([], 3)
    await source.close()


async def test_a_raised_limit_reads_a_refused_file_again(files: Path) -> None:
    source = open_source(files)
    source.config = replace(source.config, limits=ParseLimits(max_characters=40))
    assert [p.path for p in (await source.ingest()).problems] == ["pump.md"]
    source.config = replace(source.config, limits=ParseLimits())
    assert (await source.ingest()).problems == []
    await source.close()


async def test_new_rules_for_fields_read_the_records_again_and_keywords_are_searched(
    files: Path,
) -> None:
    write(files, "tickets.csv", "label,body,tags\nLeak,It drips.,zirconium\n")
    source = open_source(files)
    await source.ingest()
    assert "Leak" not in await titles(source, "zirconium")
    source.config = replace(
        source.config, fields=FieldRules(title=("label",), keywords=("tags",), content=("body",))
    )
    report = await source.ingest()
    [hit, *_] = (await source.search("zirconium", top=3, principals=NOBODY)).hits
    assert (report.embedded, report.warnings) == (1, [])
    assert (hit.passage.title, hit.passage.heading) == ("Leak", ["zirconium"])
    assert hit.passage.text == "It drips."
    await source.close()


async def test_the_parser_process_ends_with_the_ingestion(files: Path) -> None:
    write(files, "page.html", "<h1>Valve</h1><p>The valve is made of brass.</p>")
    source = open_source(files)
    working: list[bool] = []
    await source.ingest(on_progress=lambda _: working.append(shared_process()._worker is not None))
    assert working[-1]
    assert shared_process()._worker is None
    assert "Valve" in await titles(source, "valve brass")
    await source.close()


async def test_a_record_file_that_is_refused_in_the_middle_leaves_nothing(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 4)
    lines = [f'{{"id": "{i}", "title": "Ticket {i}", "text": "ticket {i}"}}' for i in range(9)]
    (files / "tickets.jsonl").write_text("\n".join(lines) + "\n")
    source = open_source(files)
    source.config = replace(source.config, limits=ParseLimits(max_records=8))
    report = await source.ingest()
    assert [(p.path, "max_records" in p.cause) for p in report.problems] == [
        ("tickets.jsonl", True)
    ]
    assert (await source.health()).counts == {"chunks": 3, "keyword": 3, "vectors": 3}
    assert "Ticket 0" not in await titles(source, "ticket")
    await source.close()


async def test_an_empty_folder_is_no_error_and_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    source = open_source(tmp_path / "files")
    report = await source.ingest()
    assert (report.added, report.chunks) == (0, 0)
    assert await titles(source, "anything") == []
    await source.close()


async def test_a_folder_that_is_not_there_deletes_nothing(files: Path) -> None:
    source = open_source(files)
    await source.ingest()
    files.rename(files.parent / "away")  # noqa: ASYNC240 - a test may wait
    with pytest.raises(ConfigurationError):
        await source.ingest()
    assert (await source.health()).chunks == 3
    await source.close()


async def test_a_single_file_is_a_source_too(files: Path) -> None:
    write(files, "pump.md.access", "group:hr")
    config = FilesConfig("one", files / "pump.md", files.parent / "one", keyword="fts5")
    source = FilesSource.open(config, embedder=HashingEmbedder(), counter=WordCounter())
    report = await source.ingest()
    assert (report.added, report.problems) == (1, [])
    found = await source.search("pump oil", top=9, principals=frozenset({"group:hr"}))
    assert [hit.passage.title for hit in found.hits] == ["Pump"]
    assert (await source.search("pump", top=9, principals=NOBODY)).hits == []
    await source.close()


async def test_progress_never_goes_back_and_ends_with_all_files(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 7)
    for number in range(40):
        write(files, f"n{number}.md", f"# Note {number}\n\nText of note {number}.")
    (files / "empty.md").touch()
    seen: list[IngestProgress] = []
    source = open_source(files)
    await source.ingest(on_progress=seen.append)
    done = [(p.files_done, p.chunks) for p in seen]
    assert done == sorted(done)
    assert seen[0].files_total is None
    assert (seen[-1].files_done, seen[-1].files_total) == (44, 44)
    assert len(seen) > 5
    await source.close()


async def test_batches_stay_small_however_large_the_files(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 10)
    write(files, "long.md", "\n\n".join(f"# Part {i}\n\n" + f"w{i} " * 100 for i in range(60)))
    source = open_source(files)
    sizes: list[int] = []
    store = source._index.store()
    apply = store.apply

    def counted(batch: Batch) -> None:
        sizes.append(len(batch.chunks))
        apply(batch)

    monkeypatch.setattr(store, "apply", counted)
    report = await source.ingest()
    assert max(sizes) == 10
    assert sum(sizes) == report.chunks >= 63
    await source.close()


async def test_a_failing_embedder_loses_no_earlier_batch(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 2)
    for number in range(20):
        write(files, f"n{number:02}.md", f"# Note {number}\n\nText of note {number}.")
    embedder = FailsLater()
    source = open_source(files, embedder)
    with pytest.raises(ModelUnavailableError):
        await source.ingest()
    kept = (await source.health()).chunks
    assert 0 < kept < 23
    embedder.calls_left = 1_000
    report = await source.ingest()
    assert (report.embedded, report.chunks) == (23 - kept, 23)
    await source.close()


class FailsLater(HashingEmbedder):
    """Goes down after six calls."""

    calls_left = 6

    async def embed_passages(self, texts: Sequence[str]) -> list["array[float]"]:
        self.calls_left -= 1
        if self.calls_left < 0:
            raise ModelUnavailableError(self.name, "it is down.")
        return await super().embed_passages(texts)


class GivesNaN(HashingEmbedder):
    async def embed_passages(self, texts: Sequence[str]) -> list["array[float]"]:
        return [array("f", [math.nan] * self.dimensions) for _ in texts]


class GivesTooFew(HashingEmbedder):
    async def embed_passages(self, texts: Sequence[str]) -> list["array[float]"]:
        return (await super().embed_passages(texts))[1:]


@pytest.mark.parametrize("kind", [GivesNaN, GivesTooFew])
async def test_vectors_that_cannot_be_right_never_reach_the_index(
    files: Path, kind: type[HashingEmbedder]
) -> None:
    source = open_source(files, kind())
    with pytest.raises(ModelOutputError):
        await source.ingest()
    assert (await source.health()).counts == {"chunks": 0, "keyword": 0, "vectors": 0}
    await source.close()
    sound = open_source(files)
    assert (await sound.ingest()).chunks == 3
    await sound.close()


async def test_a_cancelled_ingestion_goes_on_at_the_next(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 5)
    for number in range(40):
        write(files, f"n{number:02}.md", f"# Note {number}\n\nText of note {number}.")
    source = open_source(files, HashingEmbedder(delay=0.02))
    task = asyncio.create_task(source.ingest())
    await asyncio.sleep(0.15)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    report = await source.ingest()
    assert report.chunks == 43
    assert (await source.health()).faults == []
    await source.close()


async def test_a_bug_is_not_hidden_and_what_was_read_before_it_is_kept(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 1)
    config = FilesConfig("kb", files, files.parent / "state", keyword="fts5")
    source = FilesSource.open(config, embedder=HashingEmbedder(), counter=FailsAtSeal())
    with pytest.raises(ZeroDivisionError):
        await source.ingest()
    await source.close()
    again = open_source(files)
    assert (await again.health()).counts == {"chunks": 2, "keyword": 2, "vectors": 2}
    assert (await again.health()).faults == []
    await again.close()


class FailsAtSeal(WordCounter):
    def __call__(self, text: str) -> int:
        return 1 // 0 if "seal" in text else super().__call__(text)


async def test_two_ingestions_in_one_process_take_turns(files: Path) -> None:
    embedder = HashingEmbedder(delay=0.05)
    one, two = open_source(files, embedder), open_source(files, embedder)
    reports = await asyncio.gather(one.ingest(), two.ingest())
    assert sorted((r.added, r.unchanged) for r in reports) == [(0, 3), (3, 0)]
    await one.close()
    await two.close()


async def test_the_event_loop_stays_free(files: Path) -> None:
    for number in range(300):
        write(files, f"n{number:03}.md", f"# Note {number}\n\n" + f"Text of note {number}. " * 20)
    source = open_source(files, engine="whoosh")
    longest, running = 0.0, True

    async def watch() -> None:
        nonlocal longest
        loop = asyncio.get_running_loop()
        while running:
            before = loop.time()
            await asyncio.sleep(0.01)
            longest = max(longest, loop.time() - before)

    watching = asyncio.create_task(watch())
    report = await source.ingest()
    running = False
    await watching
    assert report.added == 303
    assert longest < report.seconds / 2
    await source.close()
