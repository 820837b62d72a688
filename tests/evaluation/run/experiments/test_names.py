from pathlib import Path

import pytest

from headwater.evaluation.data.bases import BaseSpec, read_base
from headwater.evaluation.data.questions import Choice
from headwater.evaluation.errors import DataError
from headwater.evaluation.record import ResultRow
from headwater.evaluation.run.experiment import Request
from headwater.evaluation.run.experiments.names import VARIANTS, renamed, scenes
from tests.evaluation.data.corpora import sky, write_base


def _said(spec: BaseSpec) -> list[tuple[str, str]]:
    return [(source.name, source.description) for source in spec.sources]


def test_variants_change_names_and_descriptions_and_nothing_else(small: Path) -> None:
    spec = read_base(small, "sky")

    for variant in VARIANTS:
        other = renamed(spec, variant, 0)
        assert [s.parts for s in other.sources] == [s.parts for s in spec.sources]
        assert (_said(other) == _said(spec)) == (variant == "strong")
        assert len({s.name for s in other.sources}) == len(spec.sources)


def test_swapped_sources_carry_each_others_name_and_description(small: Path) -> None:
    spec = read_base(small, "sky")

    assert _said(renamed(spec, "swapped", 0)) == _said(spec)[::-1]


def test_random_descriptions_depend_on_the_seed_alone(small: Path) -> None:
    spec = read_base(small, "sky")

    assert _said(renamed(spec, "random", 1)) == _said(renamed(spec, "random", 1))
    assert _said(renamed(spec, "random", 1)) != _said(renamed(spec, "random", 2))


def test_sources_without_other_names_are_an_error(small: Path) -> None:
    write_base(small, "plain", sky() | {"name": "plain"})

    with pytest.raises(DataError, match="'acronym'"):
        renamed(read_base(small, "plain"), "weak", 0)


async def test_gold_is_found_under_the_new_names_and_nothing_is_searched(
    small: Path, indexes: Path
) -> None:
    request = Request(choice=Choice(), cache=indexes, data=small, bases=["sky"])
    rows: dict[str, ResultRow] = {}
    for scene in scenes(request):
        async with scene.open(lambda _: None) as ask:
            for task in scene.tasks:
                row = await ask(task)
                if row is not None and row.qid == "p1":
                    rows[row.setting] = row

    gold = {setting: row.gold_sources for setting, row in rows.items()}
    assert gold == {
        "strong": ["inner_planets"],
        "weak": ["S0"],
        "random": ["ks_00"],
        "adversarial": ["ks_00"],
        "swapped": ["far_away"],
    }
    assert all(len(row.sub_queries[0].sources) == 1 and not row.layers for row in rows.values())
