"""What each step did."""

from dataclasses import dataclass
from typing import Literal

Step = Literal["plan", "select", "federate", "rank", "classify", "reflect", "merge", "answer"]

STEPS: tuple[Step, ...] = (
    "plan",
    "select",
    "federate",
    "rank",
    "classify",
    "reflect",
    "merge",
    "answer",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityRecord:
    """One thing one step did. `None` is "not known" or "does not apply"; 0 is a measurement."""

    step: Step
    round: int
    started: float
    """Seconds, by the run's clock."""
    elapsed_ms: float
    sub_query: str | None = None
    source: str | None = None
    count: int | None = None
    """How many things came out: sub-queries, hits, passages, sentences."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    model: str | None = None
    device: str | None = None
    detail: str = ""
    """One phrase for a reader, such as why the run stopped here."""
    warning: str | None = None
    """The step went on, but not in the way that was asked for."""
    error: str | None = None
    """Something of the step's work is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressEvent:
    """Something that just happened, for whoever watches the run."""

    step: Step
    kind: Literal["started", "finished", "token"]
    round: int = 1
    sub_query: str | None = None
    source: str | None = None
    count: int | None = None
    elapsed_ms: float | None = None
    error: str | None = None
    text: str = ""
    """For `token`: the next piece of the answer."""
