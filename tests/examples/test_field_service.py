"""What the example knowledge base promises, checked on its files alone."""

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, get_args

import openpyxl
import pypdfium2
import pytest
from docx import Document
from headwater.domain.conflict import Statement, conflicts
from headwater.domain.request import Effort
from headwater.domain.sentences import sentences
from headwater.domain.words import is_cjk, terms
from headwater.sources.access import combine, parse_field, parse_sidecar

from examples.make_office_files import files

FOLDER = Path(__file__).parents[2] / "examples" / "field-service"
KINDS = {
    "single",
    "two_sources",
    "three_sources",
    "comparison",
    "bridge",
    "contradiction",
    "unanswerable",
    "french",
    "chinese",
    "cross_language",
    "protected",
}
PARTS = {"single": 1, "two_sources": 2, "three_sources": 3, "bridge": 2, "contradiction": 2}


def load_lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / path).read_text("utf-8").splitlines()]


QUESTIONS = load_lines("questions.jsonl")
ANSWERED = [q for q in QUESTIONS if q["expected"]]
CONFIGURATION = tomllib.loads((FOLDER / "headwater.toml").read_text("utf-8"))
FOLDERS = {source["path"].removeprefix("./"): source["name"] for source in CONFIGURATION["sources"]}


@cache
def text_of(path: str) -> str:
    """The text of one document as a reader sees it, white space made single."""
    location = FOLDER / path
    match location.suffix:
        case ".pdf":
            with pypdfium2.PdfDocument(location) as pdf:
                text = "\n".join(page.get_textpage().get_text_range() for page in pdf)
        case ".docx":
            text = "\n".join(p.text for p in Document(str(location)).paragraphs)
        case ".xlsx":
            rows = openpyxl.load_workbook(location).worksheets[0].values
            text = "\n".join(" ".join(map(str, row)) for row in rows)
        case _:
            text = location.read_text("utf-8")
    return " ".join(text.split())


def documents() -> list[str]:
    """Every document of the five sources, sidecars left out."""
    return sorted(
        path.relative_to(FOLDER).as_posix()
        for folder in FOLDERS
        for path in (FOLDER / folder).iterdir()
        if not path.name.endswith(".access")
    )


@cache
def readers(path: str) -> list[str] | None:
    """The principals that may read a document, by the rules of the files source."""
    location = FOLDER / path
    sidecars = [location.with_name(location.name + ".access"), location.with_name(".access")]
    outer = next((parse_sidecar(s.read_bytes()) for s in sidecars if s.exists()), None)
    field = re.search(r"^access: (.*)$", text, re.M) if (text := head_of(location)) else None
    return combine(outer, parse_field(field[1]) if field else None)


def head_of(location: Path) -> str:
    """Front matter of a Markdown page, or nothing."""
    if location.suffix != ".md":
        return ""
    _, _, rest = location.read_text("utf-8").partition("---\n")
    return rest.partition("---\n")[0]


def test_it_holds_about_sixty_documents_in_five_described_sources() -> None:
    records = len(load_lines("tickets/tickets.jsonl"))

    assert len(FOLDERS) == 5
    assert all(len(source["description"].split()) >= 8 for source in CONFIGURATION["sources"])
    assert 55 <= len(documents()) - 1 + records <= 75


def test_it_needs_no_model_that_has_to_be_paid_for() -> None:
    assert "chat" not in CONFIGURATION.get("models", {})


@pytest.mark.parametrize("question", ANSWERED, ids=lambda q: q["id"])
def test_each_expected_string_is_in_a_document_that_is_named(question: dict[str, Any]) -> None:
    evidence = [text_of(path) for path in question["documents"]]

    for wanted in question["expected"]:
        assert any(wanted in text for text in evidence), wanted


@pytest.mark.parametrize("question", ANSWERED, ids=lambda q: q["id"])
def test_no_document_is_named_without_need(question: dict[str, Any]) -> None:
    for path in question["documents"]:
        assert any(wanted in text_of(path) for wanted in question["expected"]), path


def test_questions_cover_every_kind_and_every_effort_that_is_fixed() -> None:
    assert {q["kind"] for q in QUESTIONS} == KINDS
    assert {q["effort"] for q in QUESTIONS} == set(get_args(Effort)) - {"auto"}


def test_questions_have_ids_of_their_own() -> None:
    assert len({q["id"] for q in QUESTIONS}) == len(QUESTIONS) >= 20


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["id"])
def test_sources_are_those_of_the_documents(question: dict[str, Any]) -> None:
    named = [FOLDERS[path.partition("/")[0]] for path in question["documents"]]

    assert question["sources"] == list(dict.fromkeys(named))


@pytest.mark.parametrize("question", ANSWERED, ids=lambda q: q["id"])
def test_a_question_needs_as_many_documents_as_its_kind_says(question: dict[str, Any]) -> None:
    assert len(question["documents"]) >= PARTS.get(question["kind"], 1)


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q["kind"].endswith("_sources")], ids=lambda q: q["id"]
)
def test_a_question_for_many_sources_cannot_be_answered_from_one(question: dict[str, Any]) -> None:
    words = {"two_sources": 2, "three_sources": 3}
    assert len(question["sources"]) == words[question["kind"]]
    for path in question["documents"]:
        assert not all(wanted in text_of(path) for wanted in question["expected"])


def test_whoever_asks_an_answered_question_may_read_its_documents() -> None:
    for question in ANSWERED:
        principals = {f"group:{group}" for group in question["groups"]}
        for path in question["documents"]:
            access = readers(path)
            assert access is None or principals & set(access), question["id"]


def test_forbidden_strings_are_only_in_documents_that_the_asker_may_not_read() -> None:
    for question in QUESTIONS:
        principals = {f"group:{group}" for group in question["groups"]}
        for path in documents():
            access = readers(path)
            if access is None or principals & set(access):
                text = f"{path} {text_of(path)}"
                assert not any(secret in text for secret in question["forbidden"]), path


def test_every_hr_page_and_no_other_is_protected() -> None:
    protected = {path for path in documents() if readers(path) is not None}

    assert protected == {path for path in documents() if path.startswith("hr/")}
    assert readers("hr/reorganisation.md") == ["group:management"]
    assert readers("hr/salary-bands.md") == ["group:hr"]
    assert readers("hr/training.md") == ["group:hr", "group:management", "group:staff"]


def test_what_only_a_french_or_chinese_page_says_is_nowhere_else() -> None:
    kinds = {"french", "chinese", "cross_language"}
    for question in (q for q in QUESTIONS if q["kind"] in kinds):
        for wanted in question["expected"]:
            holders = [path for path in documents() if wanted in text_of(path)]
            assert holders == question["documents"]


def test_french_and_chinese_pages_are_in_the_language_their_name_says() -> None:
    french = [path for path in documents() if path.endswith(".fr.md")]
    chinese = [path for path in documents() if path.endswith(".zh.md")]

    assert len(french) >= 3
    assert all(re.search(r"[éèàç]", text_of(path)) for path in french)
    assert len(chinese) >= 2
    assert all(is_cjk(text_of(path)) for path in chinese)


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q["kind"] == "contradiction"], ids=lambda q: q["id"]
)
def test_documents_that_contradict_each_other_do_so_in_comparable_words(
    question: dict[str, Any],
) -> None:
    older, newer = question["expected"]
    statements = [
        Statement(number, sentence)
        for number, text in enumerate(map(text_of, question["documents"]))
        for sentence in (span.of(text) for span in sentences(text))
        if older in sentence or newer in sentence
    ]

    found = [(conflict.first.text, conflict.second.text) for conflict in conflicts(statements)]

    assert any(older in first and newer in second for first, second in found)


def test_two_pages_are_nearly_the_same() -> None:
    first, second = (set(terms(text_of(f"{f}/winter-storage.md"))) for f in ("manuals", "policies"))

    assert first != second
    assert len(first & second) / len(first | second) > 0.9


def test_nobody_says_how_loud_the_x_180_is() -> None:
    loud = [path for path in documents() if re.search(r"\bdB\b|decibel", text_of(path))]

    assert loud == ["manuals/x-300.pdf"]


def test_no_page_says_who_founded_the_company() -> None:
    assert not any(re.search(r"found(ed|er)\b", text_of(path)) for path in documents())


def test_tickets_have_the_same_fields_and_ids_of_their_own() -> None:
    tickets = load_lines("tickets/tickets.jsonl")

    assert 25 <= len(tickets) == len({ticket["id"] for ticket in tickets})
    assert {frozenset(ticket) for ticket in tickets} == {
        frozenset({"id", "title", "text", "date", "status", "product"})
    }


def test_generated_files_are_what_their_script_writes() -> None:
    for path, content in files().items():
        assert (FOLDER / path).read_bytes() == content, path
