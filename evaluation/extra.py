"""Packages that only an evaluation needs, loaded when they are used."""

from importlib import import_module
from types import ModuleType

from ..domain.errors import MissingDependencyError


def optional(module: str) -> ModuleType:
    """Load a module of the extra `eval`, such as `scipy.stats`.

    Raises:
        MissingDependencyError: its package is not installed; names the extra.
    """
    try:
        return import_module(module)
    except ImportError as exc:
        package = module.partition(".")[0].replace("_", "-")
        raise MissingDependencyError(package, extra="eval") from exc
