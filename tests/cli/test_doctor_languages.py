from collections.abc import Mapping
from pathlib import Path

import pytest

from headwater.cli.base import Base
from headwater.cli.doctor_languages import language_checks
from headwater.cli.doctor_sources import source_checks
from headwater.graph.config import FilesSection, KnowledgeBaseFile
from headwater.graph.knowledge_base import KnowledgeBase

ENGLISH, FRENCH = {"en": 98, "fr": 2}, {"fr": 60, "en": 30, "zh": 10}


def checks(embedder: str, **languages: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(c.level, c.text) for c in language_checks(embedder, languages)]


def test_content_that_the_english_embedder_does_not_read_is_named() -> None:
    (found,) = checks("builtin", manuals=ENGLISH, codes=FRENCH)

    assert found[0] == "warning"
    assert found[1].startswith("codes: 70% of its passages are not in English (fr, zh)")


def test_the_setting_to_change_is_named_with_what_it_needs() -> None:
    (found,) = language_checks("builtin", {"codes": FRENCH})

    for part in ('embedder = "builtin-multilingual"', "headwater[multilingual]", "--rebuild"):
        assert part in found.fix


@pytest.mark.parametrize("counts", [{}, {"fr": 4}, {"en": 90, "fr": 12}])
def test_a_few_passages_that_look_foreign_are_no_finding(counts: dict[str, int]) -> None:
    assert checks("builtin", manuals=counts) == []


def test_english_alone_under_the_multilingual_embedder_is_a_note() -> None:
    (found,) = checks("builtin-multilingual", manuals=ENGLISH, tickets={"en": 3})

    assert found[0] == "ok"
    assert "'builtin' is three times as fast" in found[1]


@pytest.mark.parametrize("counts", [{}, {"en": 4}, FRENCH])
def test_the_multilingual_embedder_fits_whatever_else_is_there(counts: dict[str, int]) -> None:
    assert checks("builtin-multilingual", manuals=ENGLISH, codes=counts) == (
        [] if counts == FRENCH else checks("builtin-multilingual", manuals=ENGLISH)
    )


def test_nothing_is_said_of_an_embedder_that_is_not_known() -> None:
    assert checks("BAAI/bge-m3", codes=FRENCH) == []


async def test_the_doctor_warns_of_an_ingested_french_source(tmp_path: Path) -> None:
    for i in range(6):
        text = f"# Chapitre {i}\n\nLe joint de la pompe se remplace tous les ans par un technicien."
        (tmp_path / f"chapitre{i}.md").write_text(text, "utf-8")
    section = FilesSection(name="pump_manuals", path=".", description="Pumps: seals, faults")
    base = Base(KnowledgeBaseFile(name="kb", sources=[section]), tmp_path)
    async with KnowledgeBase.from_config(base.config, folder=tmp_path) as kb:
        await kb.ingest()

    found = await source_checks(base)

    told = [check for check in found if "not in English (fr)" in check.text]
    assert [check.level for check in told] == ["warning"]
