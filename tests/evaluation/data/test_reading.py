import gzip
from pathlib import Path

import pytest

from headwater.domain.request import Turn
from headwater.evaluation.data.reading import find, read_rows
from headwater.evaluation.data.rows import CorpusRow, QrelRow, QueryRow, SufficiencyRow
from headwater.evaluation.errors import DataError
from tests.evaluation.data.corpora import write_rows


def read(path: Path, *, strict: bool = False) -> tuple[list[QueryRow], list[str]]:
    problems: list[str] = []
    rows = list(read_rows(path, QueryRow, strict=strict, on_problem=problems.append))
    return rows, problems


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "queries.jsonl"
    path.write_text(
        '{"id": "a", "question": "One?"}\n\n{"id": "b", "question": \n'
        '{"id": "", "question": "Three?"}\n{"id": "d", "question": "Four?", "hops": "many"}\n'
        '{"id": "e", "question": "Five?"}\n',
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("name", ["queries.jsonl", "queries.jsonl.gz"])
def test_plain_and_compressed_files_give_the_same_rows(tmp_path: Path, name: str) -> None:
    path = write_rows(
        tmp_path / name, [{"id": "a", "question": "Où ?"}, {"id": "b", "question": "几"}]
    )

    rows, problems = read(path)

    assert [row.question for row in rows] == ["Où ?", "几"]
    assert problems == []


def test_a_broken_line_is_named_with_its_number_and_the_others_go_on(broken: Path) -> None:
    rows, problems = read(broken)

    assert [row.id for row in rows] == ["a", "e"]
    assert [problem.split(": ")[0] for problem in problems] == [f"{broken}:{n}" for n in (3, 4, 5)]
    assert "hops" in problems[2]


def test_a_strict_reader_stops_at_the_first_broken_line(broken: Path) -> None:
    with pytest.raises(DataError, match=rf"{broken}:3: .*--strict") as caught:
        read(broken, strict=True)

    assert caught.value.place == f"{broken}:3"


def test_rows_before_a_broken_line_are_given_before_it_is_met(broken: Path) -> None:
    rows = read_rows(broken, QueryRow, strict=True, on_problem=print)

    assert next(rows).id == "a"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.jsonl: There is no such file"):
        read(tmp_path / "gone.jsonl")


@pytest.mark.parametrize("content", [b"no gzip at all", None], ids=["other", "cut"])
def test_a_damaged_compressed_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "queries.jsonl.gz"
    whole = gzip.compress(b'{"id": "a", "question": "One?"}\n' * 50)
    path.write_bytes(content or whole[: len(whole) // 2])

    with pytest.raises(DataError, match="cannot be read to its end"):
        read(path)


def test_a_decomposition_gives_its_questions_and_history_its_turns(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "queries.jsonl",
        [
            {
                "id": "a",
                "question": "And its moon?",
                "decomposition": [{"question": "Which planet?", "from": "x"}, "Its moon?"],
                "history": [
                    {"role": "user", "text": "Which is red?"},
                    {"role": "assistant", "content": "Mars."},
                ],
                "answerable": "partial",
            }
        ],
    )

    [row], problems = read(path)

    assert problems == []
    assert row.decomposition == ["Which planet?", "Its moon?"]
    assert row.history == [
        Turn(role="user", content="Which is red?"),
        Turn(role="assistant", content="Mars."),
    ]
    assert row.answerable == "partial"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"grade": 5}, "grade"),
        ({"spans": [[3, 1]]}, "ends before it starts"),
        ({"spans": [[1, 2, 3]]}, "spans"),
        ({"spans": [[-1, 2]]}, "spans"),
        ({"docid": ""}, "docid"),
    ],
)
def test_an_impossible_gold_passage_is_refused(
    tmp_path: Path, row: dict[str, object], said: str
) -> None:
    path = write_rows(tmp_path / "qrels.jsonl", [{"qid": "a", "docid": "x"} | row])
    problems: list[str] = []

    rows = list(read_rows(path, QrelRow, strict=False, on_problem=problems.append))

    assert rows == []
    assert said in problems[0]


def test_an_exit_row_keeps_what_is_not_known_apart_from_zero(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "s.jsonl",
        [
            {"id": "1", "qid": "a", "docids": ["x"], "label": 0, "gold": 0},
            {"id": "2", "qid": "a", "docids": ["x"], "label": 1},
            {"id": "3", "qid": "a", "docids": [], "label": 1},
        ],
    )
    problems: list[str] = []

    rows = list(read_rows(path, SufficiencyRow, strict=False, on_problem=problems.append))

    assert [row.gold for row in rows] == [0, None]
    assert "docids" in problems[0]


def test_the_plain_file_is_found_before_the_compressed_one(tmp_path: Path) -> None:
    compressed = write_rows(tmp_path / "corpus.jsonl.gz", [{"id": "a", "text": "x"}])
    assert find(tmp_path, "corpus") == compressed

    plain = write_rows(tmp_path / "corpus.jsonl", [{"id": "b", "text": "y"}])

    assert find(tmp_path, "corpus") == plain
    assert find(tmp_path, "queries") is None
    rows = read_rows(plain, CorpusRow, strict=True, on_problem=print)
    assert [row.id for row in rows] == ["b"]
