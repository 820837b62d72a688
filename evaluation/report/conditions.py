"""The conditions of a run as pairs of a label and a value."""

from collections.abc import Mapping
from typing import Any

_SHOWN_ELSEWHERE = {"question", "title", "excluded", "problems"}
_COMPARED = ("split", "sample", "seed", "passages_a_source", "data", "models", "machine")
"""What must be alike, or be known to be unlike, where results are set side by side."""
THEN = ", then "
"""Between the commits of a folder that was gone on with."""
_FIRST = ("experiment", "date", "commit", "command", "seed", "split", "sample", "machine")
"""The order in which a reader looks for them; the others follow as they were written."""


def conditions(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what is known of a run, the most asked for first; what is empty is left out."""
    names = [*(name for name in _FIRST if name in run), *(n for n in run if n not in _FIRST)]
    pairs = [(_label(name), shown(run[name])) for name in names if name not in _SHOWN_ELSEWHERE]
    return [(label, value) for label, value in pairs if value]


def differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """Return what two runs that are compared have unlike, as a sentence each, `first` before.

    What differs by design, such as the commit, is not told.
    """
    pairs = [(name, first.get(name), second.get(name)) for name in _COMPARED]
    return [
        f"{_label(name)}: {shown(one) or 'none'}, then {shown(other) or 'none'}."
        for name, one, other in pairs
        if one != other
    ]


def not_asked(run: Mapping[str, Any]) -> dict[str, int]:
    """Return how many questions were left out before the run, by reason."""
    said = run.get("excluded")
    if not isinstance(said, Mapping):
        return {}
    return {str(why): number for why, number in said.items() if isinstance(number, int)}


def mixed_notice(run: Mapping[str, Any]) -> list[str]:
    """Return the sentence on rows of several commits; none where one made them all."""
    commits = str(run.get("commit") or "").split(THEN)
    if len(commits) < 2:
        return []
    return [f"Rows of {len(commits)} commits are mixed here: the folder was gone on with."]


def problem_notice(run: Mapping[str, Any]) -> list[str]:
    """Return the sentence on what was wrong with the data; none where nothing was."""
    said = run.get("problems")
    if not isinstance(said, list) or not said:
        return []
    others = f" and {len(said) - 1} more, named in run.json" if len(said) > 1 else ""
    return [f"The data has problems: {said[0]}{others}"]


def shown(value: object) -> str:
    """Return a JSON value in words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {text}" for name, text in _parts(value))
    if isinstance(value, list):
        return ", ".join(filter(None, map(shown, value)))
    return str(value)


def _parts(value: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(str(name), text) for name, part in value.items() if (text := shown(part))]


def _label(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
