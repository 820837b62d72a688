from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.suggest import slug, source_name, suggest
from headwater.graph.config import FilesSection


def write(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("text")
    return folder


def test_each_folder_with_documents_is_a_source(tmp_path: Path) -> None:
    write(tmp_path, "Pump Manuals/a.md", "tickets/t.jsonl", "pictures/p.png", ".git/x.md")

    found = suggest(tmp_path)

    assert [(s.name, s.path) for s in found] == [
        ("pump_manuals", "./Pump Manuals"),
        ("tickets", "./tickets"),
    ]


def test_documents_beside_the_folders_are_a_source_of_their_own(tmp_path: Path) -> None:
    folder = write(tmp_path / "plant", "manuals/a.md", "README.md")

    beside = suggest(folder)[-1]

    assert (beside.name, beside.path) == ("plant", ".")
    assert "*/**" in beside.exclude


def test_a_flat_or_empty_folder_is_one_source(tmp_path: Path) -> None:
    flat = write(tmp_path / "recipes", "a.md", "b.txt")
    (tmp_path / "nothing_yet").mkdir()

    assert [(s.name, s.path) for s in suggest(flat)] == [("recipes", ".")]
    assert [s.name for s in suggest(tmp_path / "nothing_yet")] == ["nothing_yet"]


def test_more_folders_than_sources_may_be_are_one_source(tmp_path: Path) -> None:
    write(tmp_path, *(f"part{n}/a.md" for n in range(11)))

    assert [s.path for s in suggest(tmp_path)] == ["."]


def test_chosen_folders_are_used_wherever_they_are(tmp_path: Path) -> None:
    here = write(tmp_path / "here", "manuals/a.md", "other/b.md")
    there = write(tmp_path / "there", "c.md")

    found = suggest(here, [here / "manuals", there])

    assert [s.path for s in found] == ["./manuals", there.as_posix()]


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("acme/docs", "acme_docs"),
        ("acme/hr", "acme_hr"),
        ("acme/Été 2025", "ete_2025"),
        ("acme/手册", "acme"),
    ],
)
def test_a_folder_that_says_too_little_takes_the_one_above_along(
    tmp_path: Path, folder: str, name: str
) -> None:
    assert source_name(tmp_path / folder) == name


def test_folders_of_one_name_get_different_names(tmp_path: Path) -> None:
    places = [write(tmp_path / top / "manuals", "a.md") for top in ("one", "two")]

    assert [s.name for s in suggest(tmp_path, places)] == ["manuals", "manuals_2"]


def test_a_description_names_documents_and_kinds(tmp_path: Path) -> None:
    write(tmp_path, *(f"manuals/x-{n}00.md" for n in range(8)), "manuals/z.pdf")

    [found] = suggest(tmp_path)

    assert found.description.startswith("Manuals: x-000, x-100, ")
    assert found.description.endswith(" and others (md, pdf)")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("personnel/layoffs.md.access", "hr"),
        ("personnel/.access", "hr"),
        ("personnel/layoffs.md", "---\ntitle: Plan\naccess: [hr]\n---\nText"),
        ("personnel/rows.csv", "name,access\nAda,hr\n"),
        ("personnel/rows.json", '[{"access": ["hr"]}]'),
    ],
)
def test_a_description_names_no_document_where_one_is_protected(
    tmp_path: Path, path: str, text: str
) -> None:
    write(tmp_path, "personnel/layoffs.md", "personnel/pension.md")
    (tmp_path / path).write_text(text)

    [found] = suggest(tmp_path)

    assert found.description.startswith("Personnel (md")
    assert "layoffs" not in found.description


@given(st.text())
def test_a_slug_is_empty_or_a_valid_name_and_stays_as_it_is(text: str) -> None:
    name = slug(text)

    assert slug(name) == name
    if name:
        FilesSection(name=name, path=".")
