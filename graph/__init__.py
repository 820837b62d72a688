"""Wiring: edges and their conditions, policies, and `KnowledgeBase`.

Names resolve on first use, so that importing the folder loads no model and no index.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .builder import Models, build
    from .knowledge_base import KnowledgeBase
    from .opening import Defaults
    from .policies import Policy
    from .results import result_of

__all__ = ["Defaults", "KnowledgeBase", "Models", "Policy", "build", "result_of"]

_HOMES = {
    "Defaults": "opening",
    "KnowledgeBase": "knowledge_base",
    "Models": "builder",
    "Policy": "policies",
    "build": "builder",
    "result_of": "results",
}


def __getattr__(name: str) -> object:
    """Load a public name from its home the first time it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
