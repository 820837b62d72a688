"""The rows of a data set, each file of JSON Lines with its own kind.

A field that a row does not have takes its default; a field that is not named here is passed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field

from ...domain.request import Turn

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")

Grade = Annotated[int, Field(ge=0, le=4)]
Filled = Annotated[str, Field(min_length=1)]
Place = Annotated[int, Field(ge=0)]


def _turn(value: object) -> object:
    """Take a turn whose words are called `text`, as well as one of the `Turn` of a request."""
    if isinstance(value, Mapping) and "text" in value:
        return {"role": value.get("role"), "content": value["text"]}
    return value


def _question(value: object) -> object:
    """Take the question of one step of a decomposition; other facts about it are left."""
    return value.get("question") if isinstance(value, Mapping) else value


def _span(value: object) -> object:
    """Refuse a span that ends before it starts."""
    if isinstance(value, list) and len(value) == 2 and value[0] > value[1]:
        raise ValueError(f"the span {value!r} ends before it starts")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusRow:
    """One passage of a corpus."""

    id: Filled
    title: str = ""
    text: str
    source: str = ""
    """The part of the corpus that it belongs to; a knowledge base may take parts."""
    lang: str | None = None
    split: str = "both"
    """`train`: may be learned from; `eval`: must not; `both`: never gold in an evaluation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRow:
    """One question with what is known about its answer."""

    id: Filled
    question: Filled
    answers: list[str] = field(default_factory=list)
    """Reference answers, any of which is right; for some sets the beginning of the answer."""
    lang: str | None = None
    type: str = ""
    hops: int = 0
    """Gold passages or steps that are needed; 0 where that is not known."""
    answerable: bool | str | None = None
    """`partial` and `underspecified` beside yes and no; `None` where nobody judged it."""
    split: str = ""
    sources: list[str] = field(default_factory=list)
    """Gold sources, by the names that the corpus gives them."""
    history: list[Annotated[Turn, BeforeValidator(_turn)]] = field(default_factory=list)
    """Earlier turns, oldest first."""
    scenario: str = ""
    """The asker's situation; it is asked together with the question."""
    decomposition: list[Annotated[str, BeforeValidator(_question)]] = field(default_factory=list)
    """The steps of a reference plan, as questions."""
    parallel: str = ""
    """Shared by the translations of one question."""
    dataset: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QrelRow:
    """One passage that is gold for one question."""

    qid: Filled
    docid: Filled
    source: str = ""
    """Needed only where two sources of a knowledge base have a document of that id."""
    grade: Grade = 4
    basis: str = "human"
    """`human`, or `parallel_translation`: the gold passage in another language."""
    spans: list[
        Annotated[list[Place], Field(min_length=2, max_length=2), BeforeValidator(_span)]
    ] = field(default_factory=list)
    """[start, end] of the answer or the supporting sentences, in characters of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """One question with one passage and the grade of the passage for it."""

    qid: Filled
    docid: Filled
    grade: Grade
    basis: str = ""
    """`human` or `derived`."""
    kind: str = ""
    """How the label came about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SufficiencyRow:
    """One question with several passages; `label` is 1 where they satisfy it, else 0."""

    id: Filled
    qid: Filled
    docids: Annotated[list[str], Field(min_length=1)]
    label: Annotated[int, Field(ge=0, le=1)]
    kind: str = ""
    basis: str = ""
    gold: int | None = None
    """Gold passages among them; `None` where that is not known."""
    gold_total: int | None = None
    removed: str = ""
    """The passage that was taken away, where one was."""


Row = TypeVar("Row", CorpusRow, QueryRow, QrelRow, PairRow, SufficiencyRow)
