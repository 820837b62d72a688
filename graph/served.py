"""The graph as a LangGraph server loads it: `langgraph dev` reads `langgraph.json`."""

import asyncio
import os
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

_OPENING = threading.Lock()

EXAMPLE = Path("examples/field-service/headwater.toml")
"""Served when HEADWATER_KB names no other file; relative to the working directory."""


async def graph() -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Open the knowledge base that the environment variable HEADWATER_KB names and give its graph.

    The graph has no checkpointer: the server brings its own. Raises ConfigurationError.
    """
    # The server calls this for each run, on its loop, where it refuses work that blocks.
    return await asyncio.to_thread(_compiled)


def _compiled() -> "CompiledStateGraph[Any, Any, Any, Any]":
    with _OPENING:
        return _knowledge_base().graph


@cache
def _knowledge_base() -> KnowledgeBase:
    return KnowledgeBase.open(os.environ.get("HEADWATER_KB", EXAMPLE))
