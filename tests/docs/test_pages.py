"""Pages say what the code says, and lead where they point."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from headwater.domain.effort import PRESETS
from headwater.domain.fate import REASONS
from headwater.domain.request import Overrides
from headwater.graph.config import FilesSection, KnowledgeBaseFile, ModelsSection
from headwater.models.training.licences import LICENCES
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.registry import SUFFIXES

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "examples/**/README.md")
    for path in ROOT.glob(pattern)
)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def anchors_of(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_inside_the_repository_leads_somewhere(page: str) -> None:
    prose = re.sub(r"```.*?```", "", text_of(page), flags=re.S)
    for link in LINK.findall(prose):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target.read_text("utf-8")), link


@pytest.mark.parametrize("model", [KnowledgeBaseFile, ModelsSection, Overrides, FilesSection])
def test_the_configuration_page_names_every_key(model: type[BaseModel]) -> None:
    page = text_of("docs/configuration.md")
    sections = {"models", "settings", "sources"} if model is KnowledgeBaseFile else set()

    for key in set(model.model_fields) - sections:
        assert f"`{key}`" in page, key


def test_the_example_on_the_configuration_page_is_valid() -> None:
    example = re.search(r"```toml\n(.*?)```", text_of("docs/configuration.md"), re.S)

    assert example is not None
    assert KnowledgeBaseFile.model_validate(tomllib.loads(example[1])).sources


def test_the_effort_table_says_what_the_presets_say() -> None:
    rows = {
        cells[0]: cells[1:]
        for line in text_of("docs/how-it-works.md").splitlines()
        if line.startswith("|")
        for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
    }
    presets = [PRESETS["minimal"], PRESETS["low"], PRESETS["medium"], PRESETS["auto"]]

    assert rows["content budget, tokens"] == [f"{p.content_budget:,}" for p in presets]
    assert rows["sub-queries at most"][1:] == [str(p.max_sub_queries) for p in presets[1:]]
    assert rows["sources a sub-query at most"][1:] == [str(p.max_sources) for p in presets[1:]]
    assert rows["second round"] == ["if needed" if p.max_rounds > 1 else "no" for p in presets]
    assert rows["sources beyond this machine"] == ["yes" if p.remote else "no" for p in presets]


def test_every_reason_for_a_cut_is_explained() -> None:
    page = text_of("docs/how-it-works.md")

    assert all(f"| `{reason}` |" in page for reason in REASONS)


def test_the_limits_of_the_files_page_are_those_of_the_code() -> None:
    page, limits = text_of("docs/files-source.md"), ParseLimits()
    section = FilesSection(name="a", path="b")

    for number in (
        limits.max_characters,
        limits.max_pages,
        limits.max_archive_bytes,
        limits.max_records,
        section.max_file_bytes,
        section.max_files,
    ):
        assert f"{number:,}" in page
    assert f"{limits.timeout_seconds:g} seconds" in page


def test_the_formats_of_the_files_page_can_be_read() -> None:
    table = re.search(r"## Formats\n(.*?)\nOther files", text_of("docs/files-source.md"), re.S)
    assert table is not None
    rows = [line.split("|")[2].split() for line in table[1].splitlines() if line.startswith("|")]
    endings = {word for row in rows[2:] for word in row if word not in ("and", "more")}

    assert {f".{ending}" for ending in endings} <= SUFFIXES


def test_every_data_set_behind_the_fitted_models_is_credited() -> None:
    notice = text_of("NOTICE")
    fitted = [
        json.loads(path.read_text("utf-8")) for path in (ROOT / "models/fitted").glob("*.json")
    ]
    named = {name for content in fitted for name in content["origin"]["datasets"]}

    assert all(re.search(rf"^{name} ", notice, re.M) for name in {*LICENCES, *named})


def test_decisions_are_numbered_without_a_gap_and_have_the_same_parts() -> None:
    pages = sorted((ROOT / "docs/decisions").glob("*.md"))
    parts = ["Problem.", "Choice.", "What else was tried.", "Its price.", "When to look again."]

    assert [page.name[:4] for page in pages] == [f"{n:04}" for n in range(1, len(pages) + 1)]
    for page in pages:
        assert re.findall(r"^\*\*(.+?)\*\*", page.read_text("utf-8"), re.M) == parts, page.name
