import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.domain.errors import FileRejectedError, LimitExceededError
from headwater.sources.document import Document, FileEntry
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.registry import SUFFIXES, parse, parsing
from tests.sources.hostile_files import (
    COMPOUND_FILE,
    bomb_docx,
    docx,
    encrypted_pdf,
    entry_for,
    pdf,
    pptx,
    write,
    xlsx,
)

LIMITS = ParseLimits()


@pytest.fixture(autouse=True, scope="module")
def _end_worker() -> Iterator[None]:
    with parsing():
        yield


def only(entry: FileEntry, limits: ParseLimits = LIMITS) -> Document:
    (document,) = parse(entry, limits)
    return document


@pytest.mark.parametrize(
    ("name", "content", "title", "page"),
    [
        ("a.md", "# Pump seals\nReplace the seal.", "Pump seals", None),
        ("a.rst", "Pump seals\n==========\nReplace the seal.", "Pump seals", None),
        ("pump_seals-v2.txt", "Replace the seal.", "pump seals v2", None),
        ("a.html", "<title>Pump seals</title><p>Replace the seal.</p>", "Pump seals", None),
        ("pump.py", "# Replace the seal.\nseal = 1", "pump.py", None),
        ("pump.YAML", "note: Replace the seal.", "pump.YAML", None),
        ("a.json", '{"title": "Pump seals", "text": "Replace the seal."}', "Pump seals", None),
        ("a.jsonl", '{"title": "Pump seals", "text": "Replace the seal."}', "Pump seals", None),
        ("a.csv", "title,text\nPump seals,Replace the seal.", "Pump seals", None),
        ("a.tsv", "title\ttext\nPump seals\tReplace the seal.", "Pump seals", None),
        ("a.pdf", pdf(["Replace the seal."], title="Pump seals"), "Pump seals", 1),
        ("pump_seals.pdf", pdf(["Replace the seal."]), "pump seals", 1),
        (
            "a.docx",
            docx(("Title", "Pump seals"), ("Normal", "Replace the seal.")),
            "Pump seals",
            None,
        ),
        ("a.pptx", pptx(("Pump seals", "Replace the seal.", "")), "Pump seals", 1),
        ("pump_seals.xlsx", xlsx(Parts=[["Replace the seal."]]), "pump seals", None),
    ],
)
def test_each_kind_gives_its_title_text_and_page(
    tmp_path: Path, name: str, content: str | bytes, title: str, page: int | None
) -> None:
    document = only(write(tmp_path / name, content))

    assert document.path == name
    assert document.title == title
    assert "Replace the seal." in document.sections[0].text
    assert document.sections[0].page == page


def test_front_matter_and_sidecar_restrict_together(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "---\naccess: [hr, user:ada]\nowner: Ada\n---\ntext")

    document = only(entry_for(tmp_path / "a.md", access=["group:hr", "group:it"]))

    assert document.access == ["group:hr"]
    assert document.metadata == {"owner": "Ada"}


def test_a_sidecar_restricts_kinds_without_front_matter(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", pdf(["secret"]))

    assert only(entry_for(tmp_path / "a.pdf", access=["group:hr"])).access == ["group:hr"]


def test_the_language_is_the_named_one_or_the_one_of_the_text(tmp_path: Path) -> None:
    french = "Le joint doit être remplacé après deux ans de service."

    assert only(write(tmp_path / "a.md", french)).language == "fr"
    assert only(write(tmp_path / "b.md", f"---\nlanguage: ca\n---\n{french}")).language == "ca"
    assert only(write(tmp_path / "c.md", "12")).language is None
    assert only(write(tmp_path / "d.py", f"# {french}")).language is None


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("a.txt", b"", "empty"),
        ("a.pdf", b"", "empty"),
        ("a.md", b"  \n \n", "no text"),
        ("a.md", b"---\ntitle: A\n---\n", "no text"),
        ("a.txt", b"a\x00b", "NUL bytes"),
        ("a.exe", b"MZ", "kind 'exe'"),
        ("a.pdf", encrypted_pdf(), "encrypted"),
        ("a.pdf", pdf(["text"])[:150], "broken or cut off"),
        ("a.docx", COMPOUND_FILE, "encrypted"),
        ("a.docx", docx(("Normal", "text"))[:9_000], "broken or cut off"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_rejected_with_its_cause(
    tmp_path: Path, name: str, content: bytes, cause: str
) -> None:
    with pytest.raises(FileRejectedError, match=cause) as caught:
        list(parse(write(tmp_path / name, content), LIMITS))

    assert caught.value.path == name


@pytest.mark.parametrize(
    ("name", "content", "limits", "limit"),
    [
        ("a.txt", b"long text", ParseLimits(max_characters=5), "max_characters"),
        ("a.docx", bomb_docx(5_000_000), LIMITS, "max_archive_ratio"),
        ("a.pdf", pdf(["a", "b", "c"]), ParseLimits(max_pages=2), "max_pages"),
    ],
)
def test_a_limit_is_named(
    tmp_path: Path, name: str, content: bytes, limits: ParseLimits, limit: str
) -> None:
    with pytest.raises(LimitExceededError) as caught:
        list(parse(write(tmp_path / name, content), limits))

    assert caught.value.limit == limit


def test_a_wrong_encoding_is_a_warning_on_the_document(tmp_path: Path) -> None:
    text = "Le joint déjà usé doit être remplacé avant l'été. " * 5

    document = only(write(tmp_path / "a.txt", text.encode("cp1252")))

    assert document.sections[0].text == text
    assert "cp1252" in document.warnings[0]


def test_suffixes_are_lower_case_with_a_dot() -> None:
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in SUFFIXES)
    assert {".md", ".pdf", ".docx", ".pptx", ".xlsx", ".html", ".csv", ".jsonl", ".go"} <= SUFFIXES


def test_reading_text_loads_no_parser_and_starts_no_process(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "# A\ntext")
    program = (
        "import pathlib, sys\n"
        "started = []\n"
        "sys.addaudithook(lambda name, _: started.append(name) if 'Popen' in name else None)\n"
        "from headwater.sources.walk import walk, WalkRules\n"
        "from headwater.sources.parse.registry import parse, ParseLimits\n"
        "for e in walk(pathlib.Path(sys.argv[1]), WalkRules()):\n"
        "    list(parse(e, ParseLimits()))\n"
        "heavy = {'xberg', 'pypdfium2', 'semchunk', 'charset_normalizer', 'torch'}\n"
        "print(sorted(heavy & set(sys.modules)), started)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[] []"
