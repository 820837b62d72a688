import json
import math
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.errors import ConfigurationError
from headwater.domain.ports import Scorable
from headwater.models.ranker.network import CrossEncoder
from headwater.models.training.ranking.evaluate import Figures
from headwater.models.training.ranking.lists import Item, TrainingList
from headwater.models.training.ranking.loop import (
    CHECKPOINT,
    LOG,
    Schedule,
    Training,
    rate_at,
    restore,
    trained,
)
from tests.fakes import ticking_clock
from tests.models.training.ranking.made import PARTS, WORDS, reader


def lists() -> Iterator[TrainingList]:
    """Each part asked for its weight: one passage on it, two on others."""
    for n in count():
        here, next_one, last = (PARTS[(n + k) % len(PARTS)] for k in range(3))
        texts = [(f"The weight of the {here} .", 4), (f"The {next_one} .", 1), (f"a {last}", 0)]
        query = f"What is the {here} ?"
        yield TrainingList("parts", [Item(query, Scorable(text), g) for text, g in texts])


def nothing(_: CrossEncoder) -> Figures:
    return {}


def training(out: Path, *, steps: int, seed: int = 3, **changes: object) -> Training:
    torch.manual_seed(seed)
    settings = {"steps": steps, "lists": 4, "rate": 1e-3, "head_rate": 1e-3} | changes
    return Training(
        CrossEncoder.tiny(words=WORDS),
        reader(),
        out,
        schedule=Schedule(**settings),  # type: ignore[arg-type]
    )


def log_of(out: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (out / LOG).read_text().splitlines()]


@pytest.mark.parametrize("loss", ["listwise", "margin", "bce"])
def test_the_loss_falls(tmp_path: Path, loss: str) -> None:
    training(tmp_path, steps=60, loss=loss).run(lists(), nothing)

    losses = [row["loss"] for row in log_of(tmp_path) if "loss" in row]
    assert losses[-1] < 0.8 * losses[0]


def test_resuming_gives_the_weights_of_an_uninterrupted_run(tmp_path: Path) -> None:
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    whole.mkdir()
    parted.mkdir()
    uninterrupted = training(whole, steps=8)
    uninterrupted.run(lists(), nothing)

    with pytest.raises(KeyboardInterrupt):
        _until(training(parted, steps=8), 5)
    resumed = training(parted, steps=8, seed=99)
    resumed.resume()
    assert resumed.progress.step == 5
    resumed.run(lists(), nothing)

    restored = [CrossEncoder.tiny(words=WORDS, seed=7) for _ in range(2)]
    for model, out in zip(restored, (whole, parted), strict=True):
        restore(model, out)
    for name, value in trained(restored[0]).items():
        torch.testing.assert_close(value, trained(restored[1])[name], rtol=0, atol=0)
    assert uninterrupted.progress.pairs == resumed.progress.pairs == 8 * 4 * 3


def _until(run: Training, step: int) -> None:
    """Save after so many steps and be interrupted."""

    def stop() -> Iterator[TrainingList]:
        for one in lists():
            if run.progress.step == step:
                run.save()
                raise KeyboardInterrupt
            yield one

    run.run(stop(), nothing)


def test_the_tables_of_the_base_stay_as_they_are(tmp_path: Path) -> None:
    run = training(tmp_path, steps=3)
    before = CrossEncoder.tiny(words=WORDS)

    run.run(lists(), nothing)

    after = CrossEncoder.tiny(words=WORDS)
    restore(after, tmp_path)
    for name, value in after.encoder.embeddings.named_parameters():
        same = torch.equal(value, dict(before.encoder.embeddings.named_parameters())[name])
        assert same == name.endswith("_embeddings.weight")


def test_dev_is_measured_at_the_start_and_every_so_many_steps(tmp_path: Path) -> None:
    run = training(tmp_path, steps=7, measure_every=3)

    run.run(lists(), lambda _: {"ndcg": 0.5})

    assert [row["step"] for row in log_of(tmp_path) if "ndcg" in row] == [0, 3, 6]


def test_a_new_training_starts_a_new_log_and_a_resumed_one_goes_on(tmp_path: Path) -> None:
    training(tmp_path, steps=1).run(lists(), nothing)
    training(tmp_path, steps=1).run(lists(), nothing)
    longer = training(tmp_path, steps=20)
    longer.resume()

    longer.run(lists(), nothing)

    assert [row["step"] for row in log_of(tmp_path)] == [0, 1, 10, 20]


def test_a_training_by_time_ends_when_the_time_is_over(tmp_path: Path) -> None:
    torch.manual_seed(1)
    schedule = Schedule(seconds=30.0, lists=1)
    run = Training(
        CrossEncoder.tiny(words=WORDS),
        reader(),
        tmp_path,
        schedule=schedule,
        clock=ticking_clock(1.0),
    )

    run.run(lists(), nothing)

    assert 30.0 <= run.progress.seconds < 40.0
    assert 2 < run.progress.step < 30


def test_passages_without_text_are_passed_over(tmp_path: Path) -> None:
    items = [
        Item("pump", Scorable(text), grade) for text, grade in (("pump", 4), (" ", 1), ("a", 0))
    ]
    run = training(tmp_path, steps=1, lists=1)

    run.run(iter([TrainingList("s", items)]), nothing)

    assert run.progress.pairs == 2
    assert math.isfinite(log_of(tmp_path)[-1]["loss"])


def test_without_a_checkpoint_nothing_is_resumed(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no checkpoint"):
        training(tmp_path, steps=1).resume()


def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    training(tmp_path, steps=1).run(lists(), nothing)

    with pytest.raises(ConfigurationError, match="another network"):
        restore(CrossEncoder.tiny(words=WORDS, width=16), tmp_path)


def test_a_loss_that_is_not_finite_ends_the_training_and_saves_nothing(tmp_path: Path) -> None:
    run = training(tmp_path, steps=3, rate=float("inf"))

    with pytest.raises(ConfigurationError, match="no longer finite"):
        run.run(lists(), nothing)

    assert not (tmp_path / CHECKPOINT).exists()


@given(st.floats(0.0, 1.0))
def test_the_rate_stays_between_nothing_and_its_highest(progress: float) -> None:
    assert 0.0 <= rate_at(progress) <= 1.0


def test_the_rate_rises_then_falls_to_nothing() -> None:
    assert 0.0 < rate_at(0.0) < rate_at(0.03) < rate_at(0.06) == 1.0
    assert rate_at(0.06) > rate_at(0.5) > rate_at(1.0) == 0.0
