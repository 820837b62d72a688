from pathlib import Path

import pytest

from headwater.cli.eval_init import write_template
from headwater.domain.errors import ConfigurationError
from headwater.evaluation.data.dataset import Dataset
from headwater.graph.config_file import read


def test_the_template_can_be_read_as_it_is(tmp_path: Path) -> None:
    written = write_template(tmp_path / "new" / "mine", force=False)

    assert all(path.is_file() for path in written)
    folder = tmp_path / "new" / "mine"
    config = read(folder / "headwater.toml")
    assert all((folder / source.path).exists() for source in config.sources)
    dataset = Dataset(folder, strict=True)
    assert {query.id for query in dataset.queries("test")} == {"q1", "q2"}
    assert {query.id for query in dataset.queries("dev")} == {"q3"}
    assert {qrel.qid for qrel in dataset.qrels("test")} <= {"q1", "q2"}


def test_nothing_is_written_over_unless_it_is_forced(tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text("mine\n")

    with pytest.raises(ConfigurationError, match=r"queries\.jsonl.*--force"):
        write_template(tmp_path, force=False)
    assert [path.name for path in tmp_path.iterdir()] == ["queries.jsonl"]

    write_template(tmp_path, force=True)
    assert queries.read_text() != "mine\n"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigurationError, match="cannot be written"):
        write_template(tmp_path / "file" / "mine", force=False)
