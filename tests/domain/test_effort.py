from typing import get_args

import pytest

from headwater.domain.effort import PRESETS
from headwater.domain.request import Effort, Overrides


@pytest.mark.parametrize(
    ("effort", "sub_queries", "sources", "rounds", "budget", "remote", "answer"),
    [
        ("minimal", 1, 10, 1, 5_000, False, False),
        ("low", 3, 3, 1, 5_000, True, True),
        ("medium", 5, 5, 2, 10_000, True, True),
        ("auto", 5, 5, 2, 10_000, True, True),
    ],
)
def test_presets_allow_what_is_promised(
    effort: Effort,
    *,
    sub_queries: int,
    sources: int,
    rounds: int,
    budget: int,
    remote: bool,
    answer: bool,
) -> None:
    preset = PRESETS[effort]

    assert (preset.max_sub_queries, preset.max_sources) == (sub_queries, sources)
    assert (preset.max_rounds, preset.content_budget) == (rounds, budget)
    assert (preset.remote, preset.answer) == (remote, answer)
    assert (preset.candidates, preset.classify_depth) == (50, 10)


def test_every_effort_has_a_preset() -> None:
    assert set(PRESETS) == set(get_args(Effort))


@pytest.mark.parametrize("effort", get_args(Effort))
def test_every_preset_could_be_asked_for_by_overrides(effort: Effort) -> None:
    preset = PRESETS[effort]
    names = set(Overrides.model_fields) & set(preset.__dataclass_fields__)

    assert set(preset.__dataclass_fields__) <= names
    assert Overrides.model_validate({name: getattr(preset, name) for name in names})
