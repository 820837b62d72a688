import json
from pathlib import Path

import pytest

from headwater.cli.eval_init import write_template
from headwater.domain.request import Overrides
from headwater.evaluation.data.corpora import Building, Opening
from headwater.evaluation.data.own import documents_of, open_own
from headwater.evaluation.data.questions import Choice, place, select_own
from headwater.evaluation.errors import DataError
from tests.evaluation.data.corpora import write_rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_template(tmp_path / "mine", force=False)
    return tmp_path / "mine"


async def test_ones_own_questions_find_the_documents_that_answer_them(folder: Path) -> None:
    built: list[Building] = []
    async with await open_own(folder, Opening(on_progress=built.append)) as base:
        questions = select_own(folder, Choice(split="test"))
        placed, excluded = await place(base, questions)
        found = {}
        for question in placed:
            result = await base.kb.retrieve(question.text, effort="low")
            found[question.row.id] = {
                (r.source, base.doc_of(r.source, r.url)) for r in result.references
            }

    assert excluded == []
    for question in placed:
        assert {(gold.source, gold.doc) for gold in question.gold} <= found[question.row.id]
    assert placed[1].gold_sources == ["garden_guides", "customer_questions"]
    assert {b.passages for b in built} == {None}


def test_the_documents_are_the_files_that_the_sources_read(folder: Path) -> None:
    (folder / "documents" / "guides" / "picture.xyz").write_text("no document")

    found = [path.relative_to(folder.resolve()).as_posix() for path in documents_of(folder)]

    assert found == ["documents/guides/tomatoes.md", "documents/questions.jsonl"]


async def test_a_document_that_is_not_there_is_no_evidence(folder: Path) -> None:
    rows = [
        {"qid": "q1", "docid": "questions.jsonl#c-99"},
        {"qid": "q2", "docid": "potatoes.md"},
    ]
    write_rows(folder / "qrels.jsonl", rows)

    async with await open_own(folder) as base:
        placed, excluded = await place(base, select_own(folder, Choice(split="test")))

    assert placed == []
    assert [e.reason for e in excluded] == [
        "its gold passage 'questions.jsonl#c-99' is not in the corpus",
        "its gold passage 'potatoes.md' is not in the corpus",
    ]


async def test_a_document_with_an_address_is_taken_as_it_is_named(folder: Path) -> None:
    address = "https://example.org/compost"
    record = {"id": "c-20", "text": "A bag of compost costs nine euros.", "url": address}
    write_rows(folder / "documents" / "questions.jsonl", [record])
    write_rows(
        folder / "qrels.jsonl", [{"qid": "q3", "docid": address, "source": "customer_questions"}]
    )

    async with await open_own(folder) as base:
        [placed], _ = await place(base, select_own(folder, Choice(split="dev")))
        result = await base.kb.retrieve(placed.text, effort="low")

    assert placed.gold_sources == ["customer_questions"]
    assert address in {base.doc_of(r.source, r.url) for r in result.references}
    assert base.text("customer_questions", address) is None
    assert base.span("customer_questions", address, (3, 7)) == (3, 7)


async def test_settings_of_an_experiment_come_before_those_of_the_file(folder: Path) -> None:
    file = folder / "headwater.toml"
    settings = "[settings]\nmax_sources = 1\nsources = ['garden_guides']\n"
    file.write_text(file.read_text().replace("[[sources]]", f"{settings}\n[[sources]]", 1))

    opening = Opening(settings=Overrides(sources=["customer_questions"]))
    async with await open_own(folder, opening) as base:
        assert base.kb.config is not None
        assert base.kb.config.settings.sources == ["customer_questions"]
        assert base.kb.config.settings.max_sources == 1


async def test_a_file_that_cannot_be_read_is_told_and_stops_only_who_is_strict(
    folder: Path,
) -> None:
    (folder / "documents" / "guides" / "empty.md").write_bytes(b"")
    problems: list[str] = []

    async with await open_own(folder, Opening(on_problem=problems.append)):
        pass
    assert problems == ["garden_guides: empty.md: The file is empty (zero bytes)."]

    with pytest.raises(DataError, match=r"empty\.md.*--strict"):
        await open_own(folder, Opening(strict=True))


async def test_a_folder_without_a_knowledge_base_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="headwater eval init"):
        await open_own(tmp_path)


def test_the_template_names_every_document_it_writes(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "qrels.jsonl").read_text().splitlines()]

    names = {row["docid"].partition("#")[0] for row in rows}
    written = {path.name for path in (folder / "documents").rglob("*") if path.is_file()}
    assert names == written


def test_gold_passages_of_other_splits_are_no_problem(folder: Path) -> None:
    problems: list[str] = []

    for split in ("dev", "test"):
        select_own(folder, Choice(split=split, on_problem=problems.append))

    assert problems == []


def test_gold_passages_of_no_question_are_told(folder: Path) -> None:
    rows = [{"qid": qid, "docid": "tomatoes.md"} for qid in ("q1", "q7", "Q2")]
    write_rows(folder / "qrels.jsonl", rows)
    problems: list[str] = []

    select_own(folder, Choice(split="test", on_problem=problems.append))

    assert problems == [f"{folder}: qrels name no question: 'Q2' and 1 more."]
    with pytest.raises(DataError, match="qrels name no question: 'Q2'"):
        select_own(folder, Choice(split="test", strict=True))


def test_of_two_questions_with_one_id_the_first_is_asked_and_the_other_told(folder: Path) -> None:
    rows = [{"id": "q1", "question": "When?"}, {"id": "q1", "question": "Where?"}]
    write_rows(folder / "queries.jsonl", rows)
    (folder / "qrels.jsonl").unlink()
    problems: list[str] = []

    [question] = select_own(folder, Choice(split="test", on_problem=problems.append))

    assert question.row.question == "When?"
    assert problems == [f"{folder}: two questions have the id 'q1', the first is asked."]
    with pytest.raises(DataError, match="two questions have the id"):
        select_own(folder, Choice(split="test", strict=True))
