"""What the tests of experiments share."""

import json
from pathlib import Path

import pytest

from tests.evaluation.data.corpora import sky, write_base, write_data, write_rows


@pytest.fixture(scope="session")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that tests share: indexes are built once."""
    return tmp_path_factory.mktemp("indexes")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Small evaluation data with answers, graded pairs, translations and other names."""
    folder = write_data(tmp_path / "data")
    base = sky()
    for number, source in enumerate(base["sources"]):
        source |= {
            "acronym": f"S{number}",
            "opaque": f"ks_0{number}",
            "verbose": "Everything in the sky and on the ground",
            "blurred": "Things in the sky",
        }
    write_base(folder, "sky", base)
    write_rows(
        folder / "planets" / "pairs.dev.jsonl",
        [
            {"qid": "p1", "docid": "mars", "grade": 4},
            {"qid": "p1", "docid": "venus", "grade": 1},
            {"qid": "p1", "docid": "saturn", "grade": 1},
            {"qid": "p1", "docid": "saturn", "grade": 2},
            {"qid": "p2", "docid": "nowhere", "grade": 4},
        ],
    )
    return folder


def rows_of(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
