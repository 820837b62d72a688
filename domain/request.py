"""What a caller decides: the question, its history, who asks, and the settings of the run."""

import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Effort = Literal["minimal", "low", "medium", "auto"]
"""Reasoning effort. `auto` starts small and escalates to at most `medium`."""

Output = Literal["answer", "extractive"]
"""`answer` composes with the chat model where there is one; `extractive` only quotes."""


class Turn(BaseModel):
    """One earlier message of the conversation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["user", "assistant"]
    content: str = Field(max_length=100_000)


class Identity(BaseModel):
    """Who asks. Without one, only unprotected passages are found.

    The host vouches for it: Headwater trusts what it is given here.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    user: str | None = None
    groups: list[str] = Field(default_factory=list)

    @property
    def principals(self) -> frozenset[str]:
        """The names that access lists are compared with, in Unicode's NFC as those are."""
        users = [f"user:{self.user}"] if self.user else []
        named = [*users, *(f"group:{group}" for group in self.groups)]
        return frozenset(unicodedata.normalize("NFC", name) for name in named)


class Overrides(BaseModel):
    """Settings of one run that replace those of the effort preset and the knowledge base."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    output: Output | None = None
    answer: bool | None = Field(None, description="Compose an answer, or return passages only.")
    max_sub_queries: int | None = Field(None, ge=1, le=10)
    max_sources: int | None = Field(None, ge=1, le=10, description="Sources per sub-query.")
    candidates: int | None = Field(None, ge=1, le=200, description="Per source and sub-query.")
    rank_depth: int | None = Field(None, ge=1, le=1000, description="Ranked per sub-query.")
    classify_depth: int | None = Field(None, ge=1, le=50)
    ranker_threshold: float | None = Field(None, ge=0, le=4)
    classifier_threshold: float | None = Field(None, ge=0, le=4)
    exit_threshold: float | None = Field(None, ge=0, le=1.01)
    max_rounds: int | None = Field(None, ge=1, le=2)
    content_budget: int | None = Field(None, ge=1, le=200_000, description="Tokens.")
    remote: bool | None = Field(None, description="Ask web and MCP sources as well.")
    sources: list[str] | None = Field(None, description="Ask only these.")
    always_query: list[str] | None = None
    never_query: list[str] | None = None
    retrieval_instructions: str | None = Field(None, max_length=10_000)
    answer_instructions: str | None = Field(None, max_length=10_000)


@dataclass(frozen=True, slots=True)
class Run:
    """One run with its settings resolved: nothing in it has to be looked up again."""

    id: str
    question: str
    started: float
    """Seconds, by the run's clock."""
    effort: Effort
    output: Output
    answer: bool
    max_sub_queries: int
    max_sources: int
    candidates: int
    rank_depth: int
    classify_depth: int
    ranker_threshold: float
    classifier_threshold: float
    exit_threshold: float
    max_rounds: int
    content_budget: int
    remote: bool
    sources: list[str] = field(default_factory=list)
    """The sources that may be asked, in the order of the knowledge base."""
    always_query: list[str] = field(default_factory=list)
    principals: list[str] = field(default_factory=list)
    retrieval_instructions: str = ""
    answer_instructions: str = ""
