"""Full support at each budget: the headline."""

from ...measures.support import BUDGETS
from ..asked import MAIN_BUDGET
from ..cells import count, mean_percent, percent, percent_interval, word
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
    curves = [_curve(collected, setting) for setting in collected.settings]
    if not any(curve.points for curve in curves):
        return None
    drawn = [curve for curve in curves if curve.points]
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
    text = (
        "The share of questions whose every gold passage is in the merged content. One missing "
        "passage counts as no support; questions without gold passages are left out."
    )
    return Section(name="support", title="Full support", text=[text], parts=[plot])


def headline_figures(collected: Collection) -> list[Figure]:
    """Return one large number a setting, full support at the main budget, where there is one."""
    if all(asked.main_support is None for asked in collected.asked):
        return []
    return [_figure(collected, setting) for setting in collected.settings]


def _figure(collected: Collection, setting: str) -> Figure:
    found = estimate(asked.main_support for asked in collected.under(setting))
    what = f"full support at {MAIN_BUDGET:,} tokens"
    if found is None:
        return Figure(setting, MISSING, what)
    ends = percent_interval(found).text
    return Figure(setting, percent(found.mean).text, f"{what}, {ends}, {found.n:,} questions")


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
        percent_interval(found),
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
