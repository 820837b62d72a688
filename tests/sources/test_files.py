import asyncio
import os
import subprocess
import sys
import unicodedata
from array import array
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Literal

import pytest

from headwater.domain.errors import (
    IndexVersionError,
    ModelUnavailableError,
    SourceRejectedError,
    SourceUnavailableError,
)
from headwater.domain.ports import Source
from headwater.sources.files import FilesConfig, FilesSource
from headwater.sources.index.keyword import Engine
from tests.contracts.source_contract import SourceContract
from tests.fakes import WordCounter
from tests.sources.stand_ins import HashingEmbedder, hashed_vector
from tests.sources.test_ingest import NOBODY, open_source, write


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    write(folder, "pump.md", "# Manual\n\nThe seal of the pump is made of rubber.")
    write(folder, "leave.md", "# Policy\n\nStaff may take thirty days of leave.")
    write(folder, "pay.md", "---\naccess: group:hr\n---\n# Pay\n\nThe salary of pump engineers.")
    return folder


@pytest.fixture
async def source(files: Path) -> AsyncIterator[FilesSource]:
    source = open_source(files)
    await source.ingest()
    yield source
    await source.close()


class FilesContract(SourceContract):
    @pytest.fixture
    async def source(self, files: Path, engine: Engine) -> AsyncIterator[Source]:
        source = open_source(files, engine=engine)
        await source.ingest()
        yield source
        await source.close()


class TestWithWhoosh(FilesContract):
    @pytest.fixture
    def engine(self) -> Engine:
        return "whoosh"


class TestWithFts5(FilesContract):
    @pytest.fixture
    def engine(self) -> Engine:
        return "fts5"


def test_it_says_what_it_is(files: Path) -> None:
    config = FilesConfig("kb", files, files.parent / "state", description="Manuals.")
    source = FilesSource.open(config, embedder=HashingEmbedder(), counter=WordCounter())
    assert (source.name, source.kind, source.remote) == ("kb", "files", False)
    assert source.description == "Manuals."
    asyncio.run(source.close())


async def test_both_sides_are_told_with_the_hits_that_they_were_fused_into(
    source: FilesSource,
) -> None:
    sides = await source.sides("rubber seal of the pump", top=50, principals=NOBODY)
    found = await source.search("rubber seal of the pump", top=1, principals=NOBODY)

    titles = {hit.passage.id: hit.passage.title for hit in sides.hits}
    assert titles[sides.keyword[0]] == "Manual"
    assert sorted(titles[i] for i in sides.vector) == ["Manual", "Policy"]
    by_cosine = sorted(sides.hits, key=lambda hit: -(hit.similarity or 0.0))
    assert sides.vector == [hit.passage.id for hit in by_cosine]
    assert found.hits == sides.hits[:1]
    assert sides.denied == found.denied == 1


async def test_blank_questions_have_no_sides(source: FilesSource) -> None:
    sides = await source.sides(" \n", top=5, principals=NOBODY)

    assert (sides.hits, sides.keyword, sides.vector) == ([], [], [])


async def test_every_hit_has_its_cosine_also_those_that_only_words_found(
    files: Path,
) -> None:
    for number in range(70):
        write(files, f"n{number:02}.md", f"# Near {number}\n\nrotor blade hub {number}")
    source = open_source(files, OnlyRotors())
    await source.ingest()
    found = await source.search("rubber seal", top=120, principals=NOBODY)
    vector = OnlyRotors.query
    by_title = {hit.passage.title: hit for hit in found.hits}
    assert "Manual" in by_title
    expected = sum(
        a * b
        for a, b in zip(
            vector, hashed_vector("Manual\nThe seal of the pump is made of rubber."), strict=True
        )
    )
    assert by_title["Manual"].similarity == pytest.approx(expected, abs=1e-5)
    assert all(hit.similarity is not None for hit in found.hits)
    await source.close()


class OnlyRotors(HashingEmbedder):
    """Takes every question for one about rotors, so that vectors never find anything else."""

    query = hashed_vector("rotor blade hub")

    async def embed_queries(self, texts: Sequence[str]) -> list["array[float]"]:
        return [self.query for _ in texts]


async def test_places_titles_and_languages_come_along(files: Path) -> None:
    text = "# Manuel\n\n## Joint\n\nLe joint de la pompe est en caoutchouc et il dure un an."
    write(files, "manuel.md", text)
    source = open_source(files)
    await source.ingest()
    found = await source.search("joint de la pompe", top=1, principals=NOBODY)
    passage = found.hits[0].passage
    assert (passage.source, passage.title, passage.language) == ("kb", "Manuel", "fr")
    assert passage.heading[-1] == "Joint"
    assert passage.start is not None
    await source.close()


async def test_a_language_of_the_source_replaces_detection(files: Path) -> None:
    config = FilesConfig("kb", files, files.parent / "nl", keyword="fts5", language="nl")
    source = FilesSource.open(config, embedder=HashingEmbedder(), counter=WordCounter())
    await source.ingest()
    found = await source.search("pump", top=9, principals=NOBODY)
    assert {hit.passage.language for hit in found.hits} == {"nl"}
    await source.close()


@pytest.mark.parametrize("form", ["NFC", "NFD"])
async def test_letters_in_parts_are_found_and_find(
    files: Path, form: Literal["NFC", "NFD"]
) -> None:
    other: Literal["NFC", "NFD"] = "NFD" if form == "NFC" else "NFC"
    name = unicodedata.normalize(form, "씰 교체.txt")
    write(files, name, unicodedata.normalize(form, "펌프의 씰은 해마다 교체합니다."))
    source = open_source(files)
    await source.ingest()
    found = await source.search(unicodedata.normalize(other, "펌프의 씰"), top=9, principals=NOBODY)
    assert found.hits[0].passage.title == "씰 교체"
    assert found.hits[0].passage.text == "펌프의 씰은 해마다 교체합니다."
    await source.close()


async def test_include_and_exclude_choose_the_files(files: Path) -> None:
    write(files, "notes/a.txt", "A note about pumps.")
    write(files, "notes/b.txt", "Another note about pumps.")
    config = FilesConfig(
        *("kb", files, files.parent / "some"), include=["*.txt"], exclude=["notes/b.txt"]
    )
    source = FilesSource.open(config, embedder=HashingEmbedder(), counter=WordCounter())
    assert (await source.ingest()).added == 1
    await source.close()


async def test_a_caller_who_may_read_little_gets_as_many_hits_as_there_are(files: Path) -> None:
    for number in range(120):
        access = "group:few" if number % 40 == 0 else "group:many"
        body = f"---\naccess: {access}\n---\n# Valve {number}\n\nThe valve {number}."
        write(files, f"v{number:03}.md", body)
    source = open_source(files, engine="whoosh")
    await source.ingest()
    few = await source.search("valve", top=50, principals=frozenset({"group:few"}))
    assert sum("Valve" in hit.passage.title for hit in few.hits) == 3
    assert few.denied >= 40
    many = await source.search("valve", top=50, principals=frozenset({"group:many"}))
    assert len(many.hits) == 50
    assert all(h.passage.access in (None, ["group:many"]) for h in many.hits)
    await source.close()


async def test_a_caller_who_may_read_much_but_little_that_matches_gets_that_little(
    files: Path,
) -> None:
    for number in range(420):
        name, access = ("Vault", "group:few") if number < 210 else ("Garden", "group:many")
        text = f"---\naccess: {access}\n---\n# {name} {number}\n\nOf the {name.lower()}."
        write(files, f"n{number:03}.md", text)
    write(
        files, "mention.md", "# Mention\n\nA " + "long walk past the old house and its vault. " * 4
    )
    source = open_source(files)
    await source.ingest()
    found = await source.search("vault", top=50, principals=frozenset({"group:many"}))
    assert found.hits[0].passage.title == "Mention"
    assert len(found.hits) == 50
    await source.close()


async def test_a_cancelled_search_leaves_nothing_in_use(source: FilesSource) -> None:
    for pause in (0.0, 0.0005, 0.001, 0.002):
        task = asyncio.create_task(source.search("pump", top=5, principals=NOBODY))
        await asyncio.sleep(pause)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await asyncio.sleep(0.2)
    assert source._index._leases.total() == 0
    assert (await source.search("pump", top=5, principals=NOBODY)).hits


async def test_an_id_that_cannot_exist_is_passed_over(source: FilesSource) -> None:
    assert await source.get(["\ud800", "", "\0", "x" * 10_000], principals=NOBODY) == []


async def test_an_empty_access_list_admits_nobody(files: Path) -> None:
    write(files, "secret.md", "---\naccess: []\n---\n# Secret\n\nThe vault code.")
    source = open_source(files)
    await source.ingest()
    found = await source.search("vault code", top=9, principals=frozenset({"group:hr", "user:a"}))
    assert "Secret" not in [hit.passage.title for hit in found.hits]
    await source.close()


async def test_before_the_first_ingestion_it_says_what_to_do(files: Path) -> None:
    source = open_source(files)
    with pytest.raises(SourceRejectedError, match="headwater ingest"):
        await source.search("pump", top=5, principals=NOBODY)
    assert (await source.health()).faults != []
    await source.close()


async def test_a_failing_embedder_makes_the_source_unavailable(
    source: FilesSource, files: Path
) -> None:
    embedder = HashingEmbedder(error=ModelUnavailableError("hashing", "it is down."))
    down = open_source(files, embedder)
    with pytest.raises(SourceUnavailableError, match="it is down"):
        await down.search("pump", top=5, principals=NOBODY)
    await down.close()
    assert (await source.search("pump", top=5, principals=NOBODY)).hits


async def test_another_embedder_asks_for_a_rebuild_and_gets_it(files: Path) -> None:
    first = open_source(files)
    await first.ingest()
    await first.close()
    other = open_source(files, HashingEmbedder(name="other", dimensions=32))
    with pytest.raises(SourceRejectedError, match="--rebuild"):
        await other.search("pump", top=5, principals=NOBODY)
    with pytest.raises(IndexVersionError, match="--rebuild"):
        await other.ingest()
    assert "--rebuild" in (await other.health()).faults[0]
    assert (await other.ingest(rebuild=True)).embedded == 3
    assert (await other.search("pump seal", top=1, principals=NOBODY)).hits
    await other.close()


async def test_it_can_be_searched_while_it_is_rebuilt(source: FilesSource, files: Path) -> None:
    slow = open_source(files, HashingEmbedder(delay=0.2))
    rebuilding = asyncio.create_task(slow.ingest(rebuild=True))
    found = []
    while not rebuilding.done():
        found.append(len((await source.search("pump", top=5, principals=NOBODY)).hits))
    await rebuilding
    assert len(found) > 1
    assert set(found) == {2}
    await slow.close()


async def test_the_profile_follows_an_ingestion_and_survives_reopening(files: Path) -> None:
    source = open_source(files)
    await source.ingest()
    before = await source.profile()
    assert before is not None
    assert (before.passages, len(before.sample)) == (3, 3)
    assert await source.profile() is before
    write(files, "new.md", "# New\n\nA gearbox.")
    await source.ingest()
    after = await source.profile()
    assert after is not None
    assert (after.passages, after.document_frequency["gearbox"]) == (4, 1)
    await source.close()
    again = open_source(files)
    assert await again.profile() == after
    await again.close()


async def test_health_tells_counts_and_versions(source: FilesSource) -> None:
    health = await source.health()
    assert (health.files, health.chunks, health.faults) == (3, 3, [])
    assert health.counts == {"chunks": 3, "keyword": 3, "vectors": 3}
    assert health.versions["embedder"] == "hashing"
    assert health.versions["keyword"] == "fts5"


async def test_a_closed_source_refuses_and_does_not_reopen(files: Path) -> None:
    source = open_source(files)
    await source.ingest()
    await source.close()
    with pytest.raises(SourceRejectedError, match="closed"):
        await source.search("pump", top=5, principals=NOBODY)


def test_importing_it_loads_neither_index_library_nor_model() -> None:
    program = (
        "import sys, headwater.sources.files\n"
        "print([m for m in ('chromadb', 'whoosh', 'torch', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "[]"
