"""Headwater: an open, self-hosted knowledge layer for agents.

Nothing is loaded when this package is imported: `KnowledgeBase` and its friends resolve on
first use, so that `import headwater` costs no torch and no chromadb.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .domain.result import Result
    from .graph.knowledge_base import KnowledgeBase

__all__ = ["KnowledgeBase", "Result", "__version__"]

__version__ = "0.1.0"

_HOMES = {"KnowledgeBase": ".graph.knowledge_base", "Result": ".domain.result"}


def __getattr__(name: str) -> object:
    """Load a public name from its home the first time it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name], __name__), name)
