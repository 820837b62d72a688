"""Reasoning effort as data: what each preset allows."""

from dataclasses import dataclass

from .request import Effort


@dataclass(frozen=True, slots=True)
class Preset:
    """Bounds of one effort. Counts are per run, or per sub-query where the name says so."""

    max_sub_queries: int
    max_sources: int
    max_rounds: int
    content_budget: int
    """Tokens of merged content."""
    remote: bool
    """Whether web and MCP sources are asked."""
    answer: bool
    candidates: int = 50
    """Per source and sub-query."""
    rank_depth: int = 150
    """Per sub-query, spread evenly over its sources."""
    classify_depth: int = 10
    """Per sub-query."""


PRESETS: dict[Effort, Preset] = {
    "minimal": Preset(
        max_sub_queries=1,
        max_sources=10,
        max_rounds=1,
        content_budget=5_000,
        remote=False,
        answer=False,
    ),
    "low": Preset(
        max_sub_queries=3,
        max_sources=3,
        max_rounds=1,
        content_budget=5_000,
        remote=True,
        answer=True,
    ),
    "medium": Preset(
        max_sub_queries=5,
        max_sources=5,
        max_rounds=2,
        content_budget=10_000,
        remote=True,
        answer=True,
    ),
    "auto": Preset(
        max_sub_queries=5,
        max_sources=5,
        max_rounds=2,
        content_budget=10_000,
        remote=True,
        answer=True,
    ),
}
"""The contract's table; every number can be overridden per knowledge base and per request."""
