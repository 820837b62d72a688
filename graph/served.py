"""The graph as a LangGraph server loads it: `langgraph dev` reads `langgraph.json`."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

EXAMPLE = Path("examples/field-service/headwater.toml")
"""Served when HEADWATER_KB names no other file; relative to the working directory."""


def graph() -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Open the knowledge base that the environment variable HEADWATER_KB names and give its graph.

    The graph has no checkpointer: the server brings its own.
    """
    return _knowledge_base().graph


@cache
def _knowledge_base() -> KnowledgeBase:
    return KnowledgeBase.open(os.environ.get("HEADWATER_KB", EXAMPLE))
