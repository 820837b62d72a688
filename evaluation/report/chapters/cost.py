"""Milliseconds, tokens and calls of a question."""

from collections.abc import Iterable

import numpy as np

from ..asked import Asked
from ..cells import count, decimal, percent, word
from ..collection import Collection
from ..document import Cell, Column, Plot, Section, Table
from ..plots.steps import steps_plot

STEPS = ("plan", "select", "federate", "rank", "classify", "reflect", "merge", "answer")
"""In the order of a run; a step that is not among them comes last."""

_STEP_COLUMNS = [
    Column("Setting"),
    Column("Step"),
    Column("Mean (ms)", numeric=True),
    Column("Median (ms)", numeric=True),
    Column("90th percentile (ms)", numeric=True),
    Column("Share of steps", numeric=True),
    Column("Questions", numeric=True),
]
_RUN_COLUMNS = [
    Column("Setting"),
    Column("Mean (ms)", numeric=True),
    Column("Median (ms)", numeric=True),
    Column("90th percentile (ms)", numeric=True),
    Column("Sub-queries", numeric=True),
    Column("Rounds", numeric=True),
    Column("Questions", numeric=True),
]
_MODEL_COLUMNS = [
    Column("Setting"),
    Column("Model"),
    Column("Calls", numeric=True),
    Column("Tokens in", numeric=True),
    Column("Tokens out", numeric=True),
    Column("Questions", numeric=True),
]


def cost(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where nothing was timed."""
    parts: list[Table | Plot] = []
    times = {setting: _means(collected.under(setting)) for setting in collected.settings}
    timed = {setting: steps for setting, steps in times.items() if steps}
    if timed:
        parts.append(_plot(collected, timed))
    if any(asked.elapsed_ms is not None for asked in collected.asked):
        parts.append(_runs(collected))
    models = _models(collected)
    if models.rows:
        parts.append(models)
    if not parts:
        return None
    text = "Per question. A step that runs for several sub-queries or rounds is summed."
    return Section(name="cost", title="Time and tokens", text=[text], parts=parts)


def _steps(asked: Iterable[Asked]) -> list[str]:
    found = {step for one in asked for step in one.step_ms}
    return [step for step in STEPS if step in found] + sorted(found - set(STEPS))


def _means(asked: list[Asked]) -> dict[str, float]:
    """Mean milliseconds over all timed questions: a step that a run skipped took none of it."""
    timed = [one.step_ms for one in asked if one.step_ms]
    return {step: sum(t.get(step, 0.0) for t in timed) / len(timed) for step in _steps(asked)}


def _plot(collected: Collection, times: dict[str, dict[str, float]]) -> Plot:
    ordered = _steps(collected.asked)
    drawn = {
        setting: {step: means[step] for step in ordered if step in means}
        for setting, means in times.items()
    }
    totals = "; ".join(f"{setting} {sum(t.values()):,.0f} ms" for setting, t in drawn.items())
    return Plot(
        name="step-times",
        title="Time of each step",
        alt=f"Stacked bars of the mean time of each step. In all: {totals}.",
        svg=steps_plot(drawn, steps=ordered, name="step-times"),
        numbers=Table(
            name="step-times-numbers",
            title="Milliseconds of each step",
            columns=_STEP_COLUMNS,
            rows=[
                _step(setting, step, collected.under(setting), sum(means.values()))
                for setting, means in drawn.items()
                for step in means
            ],
        ),
    )


def _step(setting: str, step: str, asked: list[Asked], total: float) -> list[Cell]:
    values = [one.step_ms.get(step, 0.0) for one in asked if one.step_ms]
    mean, *rest = _spread(values)
    share = percent(sum(values) / len(values) / total if total else None)
    return [word(setting), word(step), mean, *rest, share, count(len(values))]


def _spread(values: list[float]) -> list[Cell]:
    """Mean, median, 90th percentile."""
    if not values:
        return [decimal(None)] * 3
    median, high = np.quantile(values, [0.5, 0.9])
    return [
        decimal(number, 1) for number in (sum(values) / len(values), float(median), float(high))
    ]


def _runs(collected: Collection) -> Table:
    rows = [_run(setting, collected.under(setting)) for setting in collected.settings]
    return Table(name="run-times", title="Whole questions", columns=_RUN_COLUMNS, rows=rows)


def _run(setting: str, asked: list[Asked]) -> list[Cell]:
    timed = [one for one in asked if one.elapsed_ms is not None]
    elapsed = [one.elapsed_ms for one in timed if one.elapsed_ms is not None]
    return [
        word(setting),
        *_spread(elapsed),
        decimal(_mean([one.sub_queries for one in timed]), 2),
        decimal(_mean([one.rounds for one in timed]), 2),
        count(len(timed)),
    ]


def _mean(values: list[int]) -> float | None:
    return sum(values) / len(values) if values else None


def _models(collected: Collection) -> Table:
    rows = [
        _model(setting, model, collected.under(setting))
        for setting in collected.settings
        for model in sorted(
            {m for one in collected.under(setting) for m in (*one.calls, *one.tokens)}
        )
    ]
    return Table(
        name="model-use", title="Models: mean of a question", columns=_MODEL_COLUMNS, rows=rows
    )


def _model(setting: str, model: str, asked: list[Asked]) -> list[Cell]:
    n = sum(one.error is None for one in asked)  # a failed run counted nothing
    counted = [one.tokens[model] for one in asked if model in one.tokens]
    calls = [one.calls[model] for one in asked if model in one.calls]
    return [
        word(setting),
        word(model),
        decimal(sum(calls) / n if calls else None, 2),
        decimal(sum(read for read, _ in counted) / n if counted else None, 1),
        decimal(sum(written for _, written in counted) / n if counted else None, 1),
        count(n),
    ]
