"""The summary as JSON, for programs that read results."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..summary import Group, Line, Summary
from .chapters.gains import Gain

FORMAT = 1
"""Grows when a name changes its meaning or goes."""


def as_json(
    summary: Summary,
    found: list[Gain],
    *,
    run: Mapping[str, Any],
    notices: list[str],
    ranking: Mapping[str, Any] | None = None,
) -> str:
    """Return the text of `summary.json`; `ranking` stands in it where there is such.

    `ci` is [low, high] of the 95 % interval; a number that is not known is null, never 0.
    """
    value = {
        "format": FORMAT,
        "conditions": run,
        "notices": notices,
        "groups": [_group(group) for group in summary.groups],
        "gains": [_gain(gain) for gain in found],
    }
    if ranking is not None:
        value["ranking"] = ranking
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _group(group: Group) -> dict[str, Any]:
    return {
        "base": group.base,
        "dataset": group.dataset,
        "setting": group.setting,
        "rows": group.rows,
        "errors": group.errors,
        "measures": {line.measure: _line(line) for line in group.lines},
        "calibration": group.calibration and asdict(group.calibration),
        "costs": [asdict(cost) for cost in group.costs],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "mean": line.mean,
        "ci": None if line.low is None else [line.low, line.high],
        "median": line.median,
        "n": line.n,
        "excluded": line.excluded,
    }


def _gain(gain: Gain) -> dict[str, Any]:
    result = gain.paired
    return {
        "questions_of": gain.label,
        "setting": gain.setting,
        "measure": "full_support",
        "budget": gain.budget,
        "first": gain.before,
        "mean": gain.after,
        "gain": gain.difference,
        "ci": gain.ends and [gain.ends.low, gain.ends.high],
        "p": result and result.p_value,
        "p_holm": gain.corrected,
        "n": result and result.n,
    }
