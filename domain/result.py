"""The result of a run, as a typed object and, field by field, as JSON."""

from dataclasses import dataclass, field
from typing import Literal

from .activity import ActivityRecord
from .fate import Fate, Reason
from .request import Effort

Status = Literal["ok", "partial", "failed"]
"""ok: every step did what was asked. partial: a source or a model failed, the activity says which.
failed: no source could be asked."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Both scores in [0, 4]; `None` where that model did not score the passage."""

    ranker: float | None = None
    classifier: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One passage of the merged content. `[ref_id:n]` in the answer points to `ref_id` n."""

    ref_id: int
    """From 1, in reading order."""
    source: str
    id: str
    sub_query: str
    round: int
    title: str = ""
    url: str | None = None
    page: int | None = None
    heading: list[str] = field(default_factory=list)
    language: str | None = None
    caption: str = ""
    """Verbatim from the passage."""
    highlights: list[list[int]] = field(default_factory=list)
    """[start, end] in characters of `caption`."""
    answer: list[int] = field(default_factory=list)
    """[start, end] in characters of `caption`: the sentence that answers the sub-query, verbatim;
    empty where it is no question, another reference answers it, or nothing convinces."""
    scores: Scores = Scores()
    span: list[int] = field(default_factory=list)
    """[start, end] of the passage's text that went into the content."""
    tokens: int = 0
    text: str = ""
    """The content itself; empty inside the state, filled where the run is handed out."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something the answer does not cover, or on which its sources disagree."""

    sub_query: str | None
    text: str
    """One sentence for the reader."""
    reason: Literal["not_found", "partly_found", "source_failed", "conflict"]


@dataclass(frozen=True, slots=True)
class Exit:
    """The exit decision on one sub-query."""

    probability: float | None
    threshold: float
    decision: Literal["exit", "reflect"]


@dataclass(frozen=True, slots=True)
class SubQueryReport:
    """One sub-query with where it went and how it was judged."""

    id: str
    text: str
    round: int
    sources: list[str]
    rationale: str = ""
    parent: str | None = None
    exit: Exit | None = None
    """`None` where the classifier did not run."""


@dataclass(frozen=True, slots=True)
class Fates:
    """The fate ledger of the run; `rows` only where it was asked to explain."""

    found: int
    kept: int
    cut: dict[Reason, int]
    rows: list[Fate] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model was used for in the run; tokens are `None` where nobody counted."""

    model: str
    calls: int
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everything a caller learns of a run."""

    run_id: str
    status: Status
    effort: Effort
    rounds: int
    question: str
    answer: str | None
    """With `[ref_id:n]`; `None` where no answer was asked for or nothing was found."""
    gaps: list[Gap]
    references: list[Reference]
    sub_queries: list[SubQueryReport]
    activity: list[ActivityRecord]
    fates: Fates
    usage: list[Usage]
    elapsed_ms: float
    warnings: list[str]
