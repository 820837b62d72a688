"""A folder of files that somebody, or some accident, made to do harm; beside one that is sound."""

import os
from pathlib import Path

import pytest

from headwater.sources.files import FilesConfig, FilesSource
from headwater.sources.parse.limits import ParseLimits
from tests.fakes import WordCounter
from tests.sources.hostile_files import (
    COMPOUND_FILE,
    bomb_docx,
    docx,
    encrypted_pdf,
    lying_bomb_docx,
    pdf,
)
from tests.sources.stand_ins import HashingEmbedder
from tests.sources.test_ingest import NOBODY, titles

SOUND = b"# Pump\n\nThe seal of the pump is made of rubber."
LIMIT = 1_000_000

HOSTILE = {
    "encrypted.pdf": (encrypted_pdf(), "encrypted"),
    "encrypted.docx": (COMPOUND_FILE, "encrypted"),
    "truncated.pdf": (pdf(["A page about pumps."])[:200], "broken or cut off"),
    "truncated.docx": (docx(("Normal", "A page about pumps."))[:300], "broken or cut off"),
    "truncated.json": (b'[{"title": "Pump", "text": "The se', "no JSON"),
    "zero.md": (b"", "zero bytes"),
    "zero.pdf": (b"", "zero bytes"),
    "huge.txt": (b"pump " * (LIMIT // 4), "max_file_bytes"),
    "long.txt": (b"pump " * 150_000, "max_characters"),
    "bomb.docx": (bomb_docx(5_000_000), "max_archive_ratio"),
    "lying.docx": (lying_bomb_docx(30_000_000), ""),
    "binary.txt": (b"pump\0seal" * 100, "NUL"),
    "picture.pdf": (b"\x89PNG\r\n\x1a\n" + bytes(100), "broken or cut off"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, (content, _) in HOSTILE.items():
        (folder / name).write_bytes(content)
    (folder / "pump.md").write_bytes(SOUND)
    (folder / "french.txt").write_bytes(("Le joint déjà usé de la pompe. " * 20).encode("cp1252"))
    return folder


def opened(folder: Path) -> FilesSource:
    config = FilesConfig(
        *("kb", folder, folder.parent / "state"),
        keyword="fts5",
        max_file_bytes=LIMIT,
        limits=ParseLimits(max_characters=LIMIT // 2, max_archive_bytes=10_000_000),
    )
    return FilesSource.open(config, embedder=HashingEmbedder(), counter=WordCounter())


async def test_every_hostile_file_is_named_with_its_cause_and_costs_only_itself(
    folder: Path,
) -> None:
    source = opened(folder)

    report = await source.ingest()

    causes = {problem.path: problem.cause for problem in report.problems}
    assert sorted(causes) == sorted(HOSTILE)
    for name, (_, cause) in HOSTILE.items():
        assert cause in causes[name], (name, causes[name])
    assert report.added == 2
    assert [text for text in report.warnings if "not UTF-8" in text] == report.warnings != []
    assert set(await titles(source, "pump seal pompe joint")) == {"Pump", "french"}
    again = await source.ingest()
    assert (again.unchanged, again.embedded, len(again.problems)) == (2, 0, len(HOSTILE))
    await source.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
async def test_pipes_and_links_to_the_outside_are_never_opened(folder: Path) -> None:
    (folder.parent / "secret.md").write_text("# Secret\n\nThe pump of the boss.")
    (folder / "link.md").symlink_to(folder.parent / "secret.md")
    (folder / "above").symlink_to(folder.parent)
    os.mkfifo(folder / "pipe.md")
    source = opened(folder)

    report = await source.ingest()

    causes = {problem.path: problem.cause for problem in report.problems}
    assert "leaves the folder" in causes["link.md"]
    assert "leaves the folder" in causes["above"]
    assert "no regular file" in causes["pipe.md"]
    found = await source.search("secret boss", top=20, principals=NOBODY)
    assert all("boss" not in hit.passage.text for hit in found.hits)
    await source.close()
