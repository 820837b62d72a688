"""What the example knowledge base promises, checked on its files alone."""

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from examples.make_office_files import files
from headwater.domain.conflict import Statement, conflicts
from headwater.domain.passage import may_read
from headwater.domain.request import Effort
from headwater.domain.sentences import sentences
from headwater.domain.words import terms
from headwater.sources.document import Document, FileEntry
from headwater.sources.parse.registry import ParseLimits, parse
from headwater.sources.walk import WalkRules, walk

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
def ingested() -> dict[str, list[Document]]:
    """What ingestion reads of each file, by its path in the example."""
    read = {}
    for folder in FOLDERS:
        for entry in walk(FOLDER / folder, WalkRules()):
            assert isinstance(entry, FileEntry), entry
            read[f"{folder}/{entry.path}"] = list(parse(entry, ParseLimits()))
    return read


@cache
def text_of(path: str) -> str:
    """The text of one file, white space made single."""
    pieces = [piece for d in ingested()[path] for piece in (d.title, *(s.text for s in d.sections))]
    return " ".join(" ".join(pieces).split())


def may_read_file(path: str, groups: list[str]) -> bool:
    principals = frozenset(f"group:{group}" for group in groups)
    return all(may_read(document.access, principals) for document in ingested()[path])


def test_it_holds_about_sixty_documents_in_five_described_sources() -> None:
    records = len(load_lines("tickets/tickets.jsonl"))

    assert len(FOLDERS) == 5
    assert all(len(source["description"].split()) >= 8 for source in CONFIGURATION["sources"])
    assert 55 <= len(ingested()) - 1 + records <= 75


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
        for path in question["documents"]:
            assert may_read_file(path, question["groups"]), (question["id"], path)


def test_forbidden_strings_are_only_in_documents_that_the_asker_may_not_read() -> None:
    for question in QUESTIONS:
        for path in ingested():
            if may_read_file(path, question["groups"]):
                text = f"{path} {text_of(path)}"
                assert not any(secret in text for secret in question["forbidden"]), path


def test_every_hr_page_and_no_other_is_protected() -> None:
    protected = {path for path in ingested() if not may_read_file(path, [])}

    assert protected == {path for path in ingested() if path.startswith("hr/")}


def test_folder_sidecar_file_sidecar_and_front_matter_each_protect_a_page() -> None:
    access = {path: documents[0].access for path, documents in ingested().items()}

    assert access["hr/training.md"] == ["group:hr", "group:management", "group:staff"]
    assert access["hr/salary-bands.md"] == ["group:hr"]
    assert access["hr/reorganisation.md"] == ["group:management"]


def test_every_file_is_read_without_a_warning() -> None:
    assert not [d.warnings for documents in ingested().values() for d in documents if d.warnings]


def test_what_only_a_french_or_chinese_page_says_is_nowhere_else() -> None:
    kinds = {"french", "chinese", "cross_language"}
    for question in (q for q in QUESTIONS if q["kind"] in kinds):
        for wanted in question["expected"]:
            holders = [path for path in ingested() if wanted in text_of(path)]
            assert holders == question["documents"]


def test_french_and_chinese_pages_are_told_by_their_text() -> None:
    for suffix, language, least in ((".fr.md", "fr", 3), (".zh.md", "zh", 2)):
        pages = [d for path, (d, *_) in ingested().items() if path.endswith(suffix)]
        assert len(pages) >= least
        assert {page.language for page in pages} == {language}


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
    loud = [path for path in ingested() if re.search(r"\bdB\b|decibel", text_of(path))]

    assert loud == ["manuals/x-300.pdf"]


def test_no_page_says_who_founded_the_company() -> None:
    assert not any(re.search(r"found(ed|er)\b", text_of(path)) for path in ingested())


def test_tickets_have_the_same_fields_and_ids_of_their_own() -> None:
    tickets = load_lines("tickets/tickets.jsonl")

    assert 25 <= len(tickets) == len({ticket["id"] for ticket in tickets})
    assert {frozenset(ticket) for ticket in tickets} == {
        frozenset({"id", "title", "text", "date", "status", "product"})
    }


def test_generated_files_are_what_their_script_writes() -> None:
    for path, content in files().items():
        assert (FOLDER / path).read_bytes() == content, path
