"""One row of `results.jsonl`: a question asked once, with all that its measures are made from.

Every measure is a pure function of such rows, so that a report can be made again, or a new
measure added, without asking anything again. `None` is "not known" or "did not happen".
"""

from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from .errors import DataError

_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A passage that the data set names as evidence for the question."""

    source: str
    doc: str
    """Id of the passage in the data set's corpus."""
    grade: int
    """4 answers on its own, 3 is a part of what is needed."""
    spans: list[list[int]] = field(default_factory=list)
    """[start, end] in characters of the passage's text; empty where the set names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubQueryRow:
    """A sub-query, where it went and how its exit was decided."""

    id: str
    text: str
    round: int
    sources: list[str]
    parent: str | None = None
    probability: float | None = None
    """P(sufficient), in [0, 1]; `None` where the classifier did not run."""
    threshold: float | None = None
    decision: str | None = None
    """exit | reflect"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentPiece:
    """A part of the merged content."""

    doc: str
    source: str
    start: int
    """In characters of the corpus passage's text; `end` is exclusive."""
    end: int
    tokens: int
    ref_id: int
    sub_query: str
    score: float | None = None
    """By the ranker, in [0, 4]."""
    grade: float | None = None
    """By the classifier, in [0, 4]."""
    caption: list[int] = field(default_factory=list)
    """[start, end], like `start` and `end`; empty where there is none."""
    sentence: list[int] = field(default_factory=list)
    """The best lexical sentence, which captions are compared with; empty where nobody looked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    """A sentence of the answer and the `ref_id`s that it cites."""

    sentence: str
    refs: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class GapRow:
    """Something that the answer says it lacks."""

    sub_query: str | None
    text: str
    reason: str
    """not_found | partly_found | source_failed | conflict"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """A question under one setting of one knowledge base, and what came of it."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    experiment: str
    base: str
    setting: str
    """What is varied, such as `medium`."""
    dataset: str
    split: str
    qid: str
    question: str
    lang: str
    hops: int
    type: str
    answerable: bool | str | None
    answers: list[str]
    gold: list[Gold]
    gold_sources: list[str]

    run_id: str
    status: str
    effort: str
    rounds: int
    error: str | None = None
    """Why there is no run; the rest is then empty."""
    max_rounds: int | None = None
    """Rounds that the run was allowed; `None` in rows that do not say."""
    sources_open: int | None = None
    """Sources that might have been asked; `None` in rows that do not say."""
    sub_queries: list[SubQueryRow] = field(default_factory=list)
    layers: dict[str, list[str]] = field(default_factory=dict)
    """federate, rank, classify: ids of passages, best first, each once, at most 100. `ranking`
    keeps every order of `measures/orders.py`."""
    scores: dict[str, list[float]] = field(default_factory=dict)
    """rank, classify: the scores of the layer's passages, in [0, 4]; probability: P(grade >= 3)
    of those of `rank`, in [0, 1], where the ranker states it."""
    ranker_threshold: float | None = None
    """Score below which the ranker drops a passage, in [0, 4]; noted by `ranking`."""
    neutral: list[str] = field(default_factory=list)
    """Passages that say what a gold one says in another language: neither right nor wrong. They are
    in the content where they were found, but in no layer."""
    content: list[ContentPiece] = field(default_factory=list)
    """In reading order."""
    contains_answer: bool | None = None
    """Whether the text of the content holds a reference answer; found while the text is at hand."""
    answer: str | None = None
    cited: list[CitedSentence] = field(default_factory=list)
    gaps: list[GapRow] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    step_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds of each step that ran."""
    tokens: dict[str, list[int]] = field(default_factory=dict)
    """[in, out] of each model."""
    calls: dict[str, int] = field(default_factory=dict)
    elapsed_ms: float | None = None


def to_json(row: ResultRow) -> dict[str, Any]:
    """Give a row as a value that `json` writes."""
    return asdict(row)


def to_line(row: ResultRow) -> bytes:
    """Write a row as one line of JSON, its end included; what `to_json` gives, but at once."""
    return _adapter().dump_json(row) + b"\n"


def from_json(value: object) -> ResultRow:
    """Read back what `to_json` gave; fields with a default may be missing.

    Raises:
        DataError: a field is missing, unknown or of another type; says which.
    """
    try:
        return _adapter().validate_python(value)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the row"
        raise DataError(f"Not a row of results: {where}: {first['msg']}.") from exc


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[ResultRow]:
    return TypeAdapter(ResultRow)
