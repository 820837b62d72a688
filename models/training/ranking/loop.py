"""The training loop: steps of several lists, a rate that falls to nothing, checkpoints, a log."""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import torch
from torch import Tensor

from ....domain.errors import ConfigurationError
from ....domain.ports import Clock
from ...cache import write_once
from ...ranker.adapter import HEAD
from ...ranker.network import CrossEncoder
from ...ranker.reading import PairReader
from .batches import logits_of, low_precision, windows
from .evaluate import Figures
from .lists import TrainingList
from .losses import LOSSES

CHECKPOINT, LOG = "checkpoint.pt", "train.jsonl"

EVERY_SECONDS = 180.0
"""Between checkpoints."""

LOG_EVERY = 10
"""Steps."""

WARM_UP = 0.06
"""Share of the training in which the rate rises."""

FULL_RATE = 1e-4
"""Highest rate where whole matrices are learned."""

CLIP = 1.0
"""Norm to which a step's gradient is cut."""

DECAY = 0.01
"""Weight decay of the matrices."""

Measure: TypeAlias = Callable[[CrossEncoder], Figures]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How long and how fast is learned: for a number of `steps`, or for `seconds`."""

    steps: int | None = None
    seconds: float | None = None
    rate: float = FULL_RATE
    """Highest rate of the encoder."""
    head_rate: float = 5e-4
    lists: int = 8
    """Lists a step."""
    loss: str = "listwise"
    measure_every: int = 200
    """Steps between two measurements on dev."""

    def progress(self, step: int, elapsed: float) -> float:
        """Tell how much of the training is over before this step, in [0, 1]."""
        by_steps = step / self.steps if self.steps else 0.0
        by_time = elapsed / self.seconds if self.seconds else 0.0
        return min(1.0, max(by_steps, by_time))


def rate_at(progress: float) -> float:
    """Give the share of the highest rate: rising in the warm-up, then falling to 0."""
    if progress < WARM_UP:
        return (progress + 0.01) / (WARM_UP + 0.01)
    return (1.0 - progress) / (1.0 - WARM_UP)


@dataclass(slots=True)
class Progress:
    """Where the training stands; seconds do not count what happened between two runs."""

    step: int = 0
    seconds: float = 0.0
    pairs: int = 0
    tokens: int = 0


class Training:
    """Trains one network on a stream of lists; `out` gets the log and the checkpoint."""

    def __init__(
        self,
        model: CrossEncoder,
        reader: PairReader,
        out: Path,
        *,
        schedule: Schedule,
        clock: Clock = time.monotonic,
    ) -> None:
        self.progress = Progress()
        self._model = model
        self._reader = reader
        self._out = out
        self._schedule = schedule
        self._clock = clock
        self._loss = LOSSES[schedule.loss]
        self._optimiser = _optimiser(model, schedule)
        self._since: list[tuple[int, int]] = []
        """Pairs and tokens of each step since the last line of the log."""
        self._spent = 0.0
        """Seconds of these steps."""

    def resume(self) -> None:
        """Go back to the checkpoint in `out`.

        Raises:
            ConfigurationError: there is none, or it is of another network.
        """
        self.progress = restore(self._model, self._out, self._optimiser)

    def run(self, stream: Iterator[TrainingList], measure: Measure) -> None:
        """Train until the schedule's end; `stream` starts at its first list, also on resuming."""
        for _ in range(self.progress.step * self._schedule.lists):
            next(stream)
        self._model.train()
        started = saved = self._clock()
        before = self.progress.seconds
        if self.progress.step == 0:
            (self._out / LOG).unlink(missing_ok=True)  # of an earlier training
            self._log({"step": 0, **_rounded(measure(self._model))})
            started = self._clock()  # what was measured before the start costs no training time
        while (over := self._schedule.progress(self.progress.step, self.progress.seconds)) < 1.0:
            self._step([next(stream) for _ in range(self._schedule.lists)], over)
            self.progress.seconds = before + self._clock() - started
            if self.progress.step % self._schedule.measure_every == 0:
                self._log({"step": self.progress.step, **_rounded(measure(self._model))})
                self.progress.seconds = before + self._clock() - started
            if self._clock() - saved >= EVERY_SECONDS:
                self.save()
                saved = self._clock()
        self.save()

    def save(self) -> None:
        """Write the checkpoint; one that is there is replaced in one step."""
        held = {
            "model": trained(self._model),
            "optimiser": self._optimiser.state_dict(),
            "progress": {
                name: getattr(self.progress, name) for name in Progress.__dataclass_fields__
            },
            "random": torch.get_rng_state(),
        }
        write_once(self._out / CHECKPOINT, lambda fresh: torch.save(held, fresh))

    def _step(self, lists: list[TrainingList], over: float) -> None:
        started = self._clock()
        for group in self._optimiser.param_groups:
            group["lr"] = group["highest"] * rate_at(over)
        items = [[i for i in one.items if i.passage.text.strip()] for one in lists]
        flat = [item for one in items for item in one]
        read = windows(self._reader, [(item.query, item.passage) for item in flat])
        device = self._model.cosine_scale.device
        with low_precision(device):
            logits = logits_of(self._model, read, len(flat))
        grades = torch.tensor([item.grade for item in flat], device=device)
        loss = self._loss(logits, grades, [len(one) for one in items])
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        learned = [p for p in self._model.parameters() if p.requires_grad]
        norm = torch.nn.utils.clip_grad_norm_(learned, CLIP)
        self._optimiser.step()
        self._count(len(flat), read.tokens)
        self._report(loss.item(), norm.item(), self._clock() - started)

    def _count(self, pairs: int, tokens: int) -> None:
        self.progress.step += 1
        self.progress.pairs += pairs
        self.progress.tokens += tokens
        self._since.append((pairs, tokens))

    def _report(self, loss: float, norm: float, seconds: float) -> None:
        """Log now and then; speeds are those since the last time."""
        self._spent += seconds
        if self.progress.step % LOG_EVERY == 0 or self.progress.step == 1:
            spent = max(self._spent, 1e-9)
            self._log(
                {
                    "step": self.progress.step,
                    "seconds": round(self.progress.seconds, 1),
                    "loss": round(loss, 4),
                    "gradient": round(norm, 3),
                    "lr": self._optimiser.param_groups[0]["lr"],
                    "pairs_per_s": round(sum(pairs for pairs, _ in self._since) / spent, 1),
                    "tokens_per_s": round(sum(tokens for _, tokens in self._since) / spent),
                    "pairs": self.progress.pairs,
                }
            )
            self._since, self._spent = [], 0.0
        if not math.isfinite(loss):
            raise ConfigurationError(
                f"The loss is no longer finite at step {self.progress.step}.",
                fix="Resume from the checkpoint with a lower --rate.",
            )

    def _log(self, row: Mapping[str, float]) -> None:
        line = json.dumps(row)
        with (self._out / LOG).open("a", encoding="utf-8") as log:
            log.write(line + "\n")
        print(line, flush=True)


def trained(model: CrossEncoder) -> dict[str, Tensor]:
    """Give copies of the parameters that are learned, by name."""
    return {
        name: parameter.detach().cpu().clone()
        for name, parameter in model.named_parameters()
        if parameter.requires_grad
    }


def restore(
    model: CrossEncoder, out: Path, optimiser: torch.optim.Optimizer | None = None
) -> Progress:
    """Put a checkpoint's weights into the model, and what else it holds back where it was.

    Raises:
        ConfigurationError: there is no checkpoint, or it is of another network.
    """
    path = out / CHECKPOINT
    if not path.is_file():
        raise ConfigurationError(
            f"There is no checkpoint {str(path)!r}.", fix="Start without --resume."
        )
    held = torch.load(path, map_location="cpu", weights_only=True)
    known = {name: value.shape for name, value in trained(model).items()}
    if {name: value.shape for name, value in held["model"].items()} != known:
        raise ConfigurationError(f"The checkpoint {str(path)!r} is of another network.")
    model.load_state_dict(held["model"], strict=False)
    if optimiser is not None:
        optimiser.load_state_dict(held["optimiser"])
        torch.set_rng_state(held["random"])
    return Progress(**held["progress"])


def _optimiser(model: CrossEncoder, schedule: Schedule) -> torch.optim.AdamW:
    """Decay matrices of the encoder; the head has a rate of its own and no decay."""
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            in_head = name in HEAD
            decay = DECAY if parameter.ndim == 2 and not in_head else 0.0
            rate = schedule.head_rate if in_head else schedule.rate
            groups.setdefault((rate, decay), []).append(parameter)
    return torch.optim.AdamW(
        [
            {"params": found, "lr": rate, "highest": rate, "weight_decay": decay}
            for (rate, decay), found in sorted(groups.items(), key=lambda group: group[0])
        ]
    )


def _rounded(figures: Figures) -> Figures:
    return {name: round(value, 4) for name, value in figures.items()}
