from pathlib import Path

import pytest

from headwater.evaluation.data.questions import Choice
from headwater.evaluation.errors import DataError
from headwater.evaluation.record import ResultRow
from headwater.evaluation.run.experiment import Request
from headwater.evaluation.run.experiments.gap_fill import scenes


async def _rows(request: Request) -> dict[str, ResultRow]:
    rows = {}
    for scene in scenes(request):
        async with scene.open(lambda _: None) as ask:
            for task in scene.tasks:
                row = await ask(task)
                if row is not None and row.qid == "p1":
                    rows[row.setting] = row
    return rows


async def test_evidence_of_removed_sources_is_missed_and_the_stand_in_has_it(
    small: Path, indexes: Path
) -> None:
    request = Request(choice=Choice(), cache=indexes, data=small, bases=["sky"])

    rows = await _rows(request)

    found = {setting: "mars" in {p.doc for p in row.content} for setting, row in rows.items()}
    assert found == {"all-sources": True, "some-removed": False, "removed-and-web": True}
    assert rows["some-removed"].gold_sources == ["inner_planets"]
    assert rows["removed-and-web"].gold_sources == ["web"]
    assert {row.base for row in rows.values()} == {"sky"}


def test_a_base_that_does_not_say_what_to_remove_is_an_error(small: Path, tmp_path: Path) -> None:
    request = Request(choice=Choice(), cache=tmp_path, data=small, bases=["planets"])

    with pytest.raises(DataError, match="redaction"):
        scenes(request)
