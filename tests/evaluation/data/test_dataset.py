from pathlib import Path

import pytest

from headwater.evaluation.data.dataset import VARIABLE, Dataset, data_folder
from headwater.evaluation.errors import DataError
from tests.evaluation.data.corpora import write_rows


def test_the_named_folder_wins_over_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "b"))

    assert data_folder(tmp_path / "a") == tmp_path / "a"
    assert data_folder(None) == tmp_path / "b"


def test_without_a_folder_both_ways_to_name_one_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)

    with pytest.raises(DataError, match=rf"--data, or set {VARIABLE}"):
        data_folder()


@pytest.mark.parametrize("named", [True, False])
def test_a_folder_that_is_not_there_says_who_named_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, named: bool
) -> None:
    gone = str(tmp_path / "gone")
    monkeypatch.setenv(VARIABLE, gone)

    with pytest.raises(DataError, match=f"Correct {'--data' if named else VARIABLE};"):
        data_folder(gone if named else None)


def test_a_set_that_is_not_there_names_those_that_are(small: Path) -> None:
    with pytest.raises(DataError, match="Known are knowledge_bases, planets, stars"):
        Dataset(small / "moons")


def test_questions_bear_the_names_of_their_set_and_split(small: Path) -> None:
    dataset = Dataset(small / "planets")

    assert dataset.splits == ["dev"]
    assert {(q.dataset, q.split) for q in dataset.queries("dev")} == {("planets", "dev")}
    assert [qrel.docid for qrel in dataset.qrels("dev")] == ["mars", "mars", "saturn", "saturn"]
    assert [row.id for row in dataset.corpus()] == ["mars", "venus", "saturn"]


def test_a_missing_split_names_the_splits_that_are_there(small: Path) -> None:
    with pytest.raises(DataError, match=r"no queries\.test\.jsonl .* questions: dev"):
        Dataset(small / "planets").queries("test")


@pytest.mark.parametrize("kind", ["pairs", "sufficiency"])
def test_a_set_without_a_kind_of_rows_says_so_at_once(small: Path, kind: str) -> None:
    dataset = Dataset(small / "planets")

    assert not dataset.has(kind, "dev")
    with pytest.raises(DataError, match=kind):
        getattr(dataset, kind)("dev")


def test_a_file_without_a_row_is_an_error(small: Path) -> None:
    (small / "stars" / "queries.dev.jsonl").write_text("\n\n")

    with pytest.raises(DataError, match="There is not one row in it"):
        list(Dataset(small / "stars").queries("dev"))


def test_a_broken_line_goes_to_whoever_listens(small: Path) -> None:
    path = small / "stars" / "queries.dev.jsonl"
    path.write_text(path.read_text() + "oops\n")
    problems: list[str] = []

    questions = list(Dataset(small / "stars", on_problem=problems.append).queries("dev"))

    assert [question.id for question in questions] == ["s1"]
    assert problems[0].startswith(f"{path}:2: ")
    with pytest.raises(DataError, match=r":2: "):
        list(Dataset(small / "stars", strict=True).queries("dev"))


def test_a_file_without_a_split_serves_each_by_what_its_rows_say(tmp_path: Path) -> None:
    write_rows(
        tmp_path / "own" / "queries.jsonl",
        [
            {"id": "a", "question": "A?", "split": "test"},
            {"id": "b", "question": "B?", "split": "dev"},
            {"id": "c", "question": "C?"},
        ],
    )
    dataset = Dataset(tmp_path / "own")

    assert [q.id for q in dataset.queries("test")] == ["a", "c"]
    assert [q.id for q in dataset.queries("dev")] == ["b", "c"]
    assert {q.split for q in dataset.queries("dev")} == {"dev"}


def test_every_row_of_the_public_data_can_be_read(data: Path) -> None:
    problems: list[str] = []
    for folder in sorted(path.parent for path in data.glob("*/queries.test.jsonl.gz")):
        dataset = Dataset(folder, on_problem=problems.append)
        for kind in ("queries", "qrels", "pairs", "sufficiency"):
            if dataset.has(kind, "test"):
                assert sum(1 for _ in getattr(dataset, kind)("test"))

    # One question of the published set is empty.
    assert [problem.split(": ")[0].rsplit("/", 2)[-2:] for problem in problems] == [
        ["cmrc2018", "queries.test.jsonl.gz:248"]
    ]
