"""The built-in models as the command shows them."""

from collections.abc import Sequence

from ..models.registry import ModelInfo, builtin_models
from .plain import plain, print_json
from .screen import plain_table, stdout, styled

_MEANING = {
    "ok": "as published",
    "missing": "missing: install headwater again",
    "optional": "not installed; pip install 'headwater[multilingual]' adds it",
    "changed": "not as published: install headwater again from a source you trust",
}

WRONG = frozenset({"missing", "changed"})
"""States of a model file in which something does not work."""


def show_models(*, as_json: bool) -> None:
    """Print one row a model."""
    models = builtin_models()
    if as_json:
        _print_json(models)
        return
    table = plain_table("role", "name", "licence", "size", "state")
    for model in models:
        size = "" if model.bytes is None else _size(model.bytes)
        table.add_row(model.role, model.name, model.licence, size, meaning(model))
    stdout().print(table)


def show_sums(*, as_json: bool) -> bool:
    """Print one line a model with the sum that was found; tell whether none is wrong."""
    models = builtin_models()
    if as_json:
        _print_json(models)
    else:
        screen = stdout()
        for model in models:
            told = f"{model.role}: {model.name}: {meaning(model)}"
            screen.print(styled(told, "bold red" if model.state in WRONG else ""), soft_wrap=True)
            if model.file:
                shown = f"  sha256 {model.sha256}  {model.file}"
                screen.print(styled(shown, "dim"), soft_wrap=True)
    return not any(model.state in WRONG for model in models)


def meaning(model: ModelInfo) -> str:
    """Say in words what the state of a model file is, and what to do about it."""
    return _MEANING[model.state]


def _print_json(models: Sequence[ModelInfo]) -> None:
    print_json({"models": plain(list[ModelInfo], list(models))})


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"
