from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.models.training.ranking.sets import read_sets
from tests.models.training.ranking.made import write_parts, write_rows


def test_training_reads_only_rows_and_passages_of_its_split(tmp_path: Path) -> None:
    (found,) = read_sets(write_parts(tmp_path), "train", seed=1)

    assert {query.id for query in found.queries} == {f"{k}{n}" for k in "qu" for n in range(5)}
    assert set(found.passages) == {f"{n}{k}" for n in (0, 1, 2, 3, 4, 8, 9) for k in "ab"}


def test_dev_is_read_without_the_passages_of_training(tmp_path: Path) -> None:
    (found,) = read_sets(write_parts(tmp_path), "dev", seed=1)

    assert {query.id for query in found.queries} == {f"{k}{n}" for k in "qu" for n in (5, 6, 7)}
    assert not {f"{n}a" for n in range(5)} & set(found.passages)


@pytest.mark.parametrize("kind", ["pairs", "qrels"])
def test_a_label_on_a_passage_kept_for_evaluation_is_refused(tmp_path: Path, kind: str) -> None:
    write_parts(tmp_path)
    row = {"qid": "q0", "docid": "6a", "grade": 1}
    write_rows(tmp_path / "parts", f"{kind}.train", [row, row | {"docid": "0a"}])

    with pytest.raises(ConfigurationError, match=r"'6a'.*kept for another split"):
        read_sets(tmp_path, "train", seed=1)


def test_sets_for_evaluation_only_are_never_read_for_training(tmp_path: Path) -> None:
    write_parts(tmp_path)
    (tmp_path / "parts").rename(tmp_path / "financebench")

    assert read_sets(tmp_path, "train", seed=1) == []
    assert read_sets(tmp_path, "dev", seed=1) != []


def test_a_limit_draws_queries_by_the_seed(tmp_path: Path) -> None:
    write_parts(tmp_path)

    drawn = [
        [query.id for query in read_sets(tmp_path, "train", seed=seed, limit=4)[0].queries]
        for seed in (1, 1, 2)
    ]

    assert drawn[0] == drawn[1] != drawn[2]
    assert len(drawn[0]) == 4


def test_labels_history_scenario_and_answer_places_are_read(tmp_path: Path) -> None:
    write_parts(tmp_path)
    row = {
        "id": "q0", "question": "And its weight?", "scenario": "I have a pump.", "lang": "en",
        "history": [{"role": "user", "text": "What about the pump?"}],
    }  # fmt: skip
    write_rows(tmp_path / "parts", "queries.train", [row])

    (query,) = read_sets(tmp_path, "train", seed=1)[0].queries

    assert query.question == "I have a pump.\n\nAnd its weight?"
    assert [turn.content for turn in query.history] == ["What about the pump?"]
    assert query.gold == ["0a"]
    text = read_sets(tmp_path, "train", seed=1)[0].passages["0a"].text
    ((start, end),) = query.spans["0a"]
    assert text[start:end] == "w0kg"
