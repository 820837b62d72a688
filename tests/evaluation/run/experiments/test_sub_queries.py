import json
from pathlib import Path

import pytest

from headwater.evaluation.data.questions import Choice
from headwater.evaluation.run.conduct import Conduct
from headwater.evaluation.run.experiment import Request
from headwater.evaluation.run.experiments.sub_queries import EXPERIMENT
from tests.evaluation.data.corpora import write_rows
from tests.evaluation.run.conftest import rows_of
from tests.evaluation.run.scenes import Watching


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    """A folder in which two questions were planned at low and medium effort."""
    write_rows(
        tmp_path / "data" / "towns" / "queries.dev.jsonl",
        [
            {
                "id": "t1",
                "question": "Who founded Arles and who founded Nimes?",
                "decomposition": ["Who founded Arles?", {"question": "Who founded Nimes?"}],
            },
            {"id": "t2", "question": "Where is Arles?"},
        ],
    )
    return tmp_path


async def _make(folder: Path) -> Path:
    request = Request(
        choice=Choice(), cache=folder / "cache", data=folder / "data", bases=["towns"]
    )
    conduct = Conduct(
        request=request, workers=2, watcher=Watching(), command=["headwater"], problems=[]
    )
    await conduct(EXPERIMENT, folder / "out")
    return folder / "out"


async def test_plans_are_kept_and_nothing_is_searched(planned: Path) -> None:
    rows = rows_of(await _make(planned))

    assert {(row["setting"], row["qid"]) for row in rows} == {
        (s, q) for s in ("low", "medium") for q in ("t1", "t2")
    }
    assert all(row["error"] is None and row["sub_queries"] and not row["layers"] for row in rows)


async def test_plans_are_compared_with_the_reference(planned: Path) -> None:
    out = await _make(planned)

    lines = [json.loads(line) for line in (out / "decomposition.jsonl").read_text().splitlines()]
    [found] = [line for line in lines if line["qid"] == "t1" and line["setting"] == "medium"]
    assert (found["parts"], found["covered"], found["lost"]) == (2, 1.0, [])
    [bare] = [line for line in lines if line["qid"] == "t2" and line["setting"] == "medium"]
    assert bare["covered"] is None
    assert "parts covered" in (out / "decomposition.md").read_text()
    assert "- Commit:" in (out / "decomposition.md").read_text()
    assert "<table" in (out / "decomposition.html").read_text()
