"""Full support at each budget: the headline."""

from ...measures.support import BUDGETS
from ..asked import MAIN_BUDGET
from ..cells import count, mean_interval, mean_percent, percent, questions, word
from ..collection import Collection, estimate
from ..document import MISSING, Cell, Column, Figure, Plot, Section, Table
from ..plots.estimate import Curve, Estimate
from ..plots.support import support_plot

_COLUMNS = [
    Column("Setting"),
    Column("Budget (tokens)", numeric=True),
    Column("Full support", numeric=True),
    Column("95 % interval", numeric=True),
    Column("Questions", numeric=True),
]


def headline(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where no question has gold passages."""
    curves = [_curve(collected, setting) for setting in _shown(collected)]
    drawn = [curve for curve in curves if curve.points]
    if not drawn:
        return None
    plot = Plot(
        name="full-support",
        title="Full support against the content budget",
        alt=_described(drawn),
        svg=support_plot(drawn, name="full-support"),
        numbers=Table(
            name="full-support-numbers",
            title="Full support at each budget",
            columns=_COLUMNS,
            rows=[row for curve in curves for row in _rows(curve)],
        ),
    )
    text = [
        "The share of questions whose every needed gold passage is in the merged content; passages "
        "that each answer on their own are alternatives. One missing passage counts as no support; "
        "questions without gold passages are left out.",
        f"{_longest(collected, drawn)} A budget beyond that adds nothing, so that a setting with "
        "less content has less to show there.",
    ]
    return Section(name="support", title="Full support", text=text, parts=[plot])


def _longest(collected: Collection, curves: list[Curve]) -> str:
    most = {c.name: max(a.content_tokens for a in collected.under(c.name)) for c in curves}
    said = ", ".join(f"{tokens:,} under “{setting}”" for setting, tokens in most.items())
    return f"The longest content of a question has, in tokens: {said}."


def headline_figures(collected: Collection) -> list[Figure]:
    """Return one large number a setting, full support at the main budget, where there is one."""
    if all(asked.main_support is None for asked in collected.asked):
        return []
    return [_figure(collected, setting) for setting in _shown(collected)]


def _shown(collected: Collection) -> list[str]:
    """Settings with a question that was scored or failed; others search for no evidence."""
    return list(
        dict.fromkeys(
            setting
            for setting in collected.settings
            for asked in collected.under(setting)
            if asked.main_support is not None or asked.error is not None
        )
    )


def _figure(collected: Collection, setting: str) -> Figure:
    found = estimate(asked.main_support for asked in collected.under(setting))
    what = f"full support at {MAIN_BUDGET:,} tokens"
    if found is None:
        return Figure(setting, MISSING, what)
    ends = f"{mean_interval(found).text}, " if found.ends else ""
    return Figure(setting, percent(found.mean).text, f"{what}, {ends}{questions(found.n)}")


def _curve(collected: Collection, setting: str) -> Curve:
    asked = collected.under(setting)
    found = [(budget, estimate(one.support.get(budget) for one in asked)) for budget in BUDGETS]
    return Curve(setting, [(float(budget), e) for budget, e in found if e is not None])


def _rows(curve: Curve) -> list[list[Cell]]:
    known = dict(curve.points)
    return [_row(curve.name, budget, known.get(budget)) for budget in BUDGETS]


def _row(setting: str, budget: int, found: Estimate | None) -> list[Cell]:
    return [
        word(setting),
        count(budget),
        mean_percent(found),
        mean_interval(found),
        count(found.n if found else 0),
    ]


def _described(curves: list[Curve]) -> str:
    ends = "; ".join(
        f"{curve.name} from {curve.points[0][1].mean:.0%} to {curve.points[-1][1].mean:.0%}"
        for curve in curves
    )
    return (
        f"Line plot of full support with 95 % intervals, from the least budget to the most: {ends}."
    )
