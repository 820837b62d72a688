"""What each setting gains over the first, question by question."""

from dataclasses import dataclass, replace
from statistics import fmean

from ...measures.support import BUDGETS
from ...statistics import Interval, Paired, holm, mean_of_means_ci, paired
from ..asked import MAIN_BUDGET, Asked
from ..cells import count, p_value, percent, percent_interval, points, relative, word
from ..collection import SEED, Collection, label
from ..document import MISSING, Cell, Column, Plot, Section, Table
from ..plots.estimate import Effect, Estimate
from ..plots.gains import gains_plot

OVERALL = "all questions"
MEAN = "mean of data sets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """One setting against the first on one set of questions at one budget.

    `paired` is `None` for the mean of data sets: a mean of means has no questions of its own.
    """

    label: str
    setting: str
    budget: int
    before: float
    after: float
    ends: Interval | None
    """Of the difference; of the mean of data sets it is bootstrapped within them. `None` where
    there are too few questions."""
    paired: Paired | None
    corrected: float | None = None
    """p value after Holm’s correction over the data sets of the same setting and budget."""

    @property
    def difference(self) -> float:
        """In shares, positive where the setting is better than the first."""
        return self.after - self.before


def gains(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where nothing can be compared."""
    found = all_gains(collected)
    if not found:
        return None
    text = (
        f"Each setting against “{collected.first}”, over the questions that both have scored. "
        "Rows that show no gain are here as well. p values: McNemar’s exact test; after "
        "Holm’s correction over the data sets of one setting and budget. In the mean of data sets "
        "each counts the same, and its interval is bootstrapped within them."
    )
    main = [gain for gain in found if gain.budget == MAIN_BUDGET]
    return Section(
        name="gains",
        title="Gains",
        text=[text],
        parts=[
            _plot(main or found, collected.first),
            _table("gains-all", "At every budget", found),
        ],
    )


def all_gains(collected: Collection) -> list[Gain]:
    """Return the gain of each setting over the first: budget by budget, data set by data set."""
    return [
        gain
        for setting in collected.settings[1:]
        for budget in BUDGETS
        for gain in _of_setting(collected, setting, budget)
    ]


def _of_setting(collected: Collection, setting: str, budget: int) -> list[Gain]:
    before = _support(collected.under(collected.first), budget)
    after = _support(collected.under(setting), budget)
    pairs = {key: (first, after[key]) for key, first in before.items() if key in after}
    groups = collected.groups()
    made, changes = [], []
    for group in groups:
        own = [pair for key, pair in pairs.items() if key[:2] == group]
        gain = _gain(label(group, groups), own, setting=setting, budget=budget)
        if gain is not None:
            made.append(gain)
            changes.append([second - first for first, second in own])
    corrected = holm([gain.paired.p_value for gain in made if gain.paired])
    made = [replace(gain, corrected=p) for gain, p in zip(made, corrected, strict=True)]
    overall = _gain(OVERALL, list(pairs.values()), setting=setting, budget=budget)
    ends = mean_of_means_ci(changes, seed=SEED)
    if len(made) < 2 or overall is None:
        return made
    return [*made, overall, _mean(made, ends)]


def _mean(made: list[Gain], ends: Interval | None) -> Gain:
    return replace(
        made[0],
        label=MEAN,
        before=fmean(gain.before for gain in made),
        after=fmean(gain.after for gain in made),
        ends=ends,
        paired=None,
        corrected=None,
    )


def _support(asked: list[Asked], budget: int) -> dict[tuple[str, str, str], float]:
    return {
        (*one.group, one.qid): value
        for one in asked
        if (value := one.support.get(budget)) is not None
    }


def _gain(
    label: str, pairs: list[tuple[float, float]], *, setting: str, budget: int
) -> Gain | None:
    before, after = [first for first, _ in pairs], [second for _, second in pairs]
    result = paired(before, after, seed=SEED)
    if result is None:
        return None
    return Gain(
        label=label,
        setting=setting,
        budget=budget,
        before=fmean(before),
        after=fmean(after),
        ends=result.interval,
        paired=result,
    )


def _plot(found: list[Gain], first: str) -> Plot:
    effects = [
        Effect(gain.label, gain.setting, Estimate(p.difference, p.interval, p.n))
        for gain in found
        if (p := gain.paired) is not None
    ]
    name, budget = "gain-forest", found[0].budget
    ends = [effect.estimate.ends for effect in effects]
    clear = sum(of is not None and of.low > 0 for of in ends)
    worse = sum(of is not None and of.high < 0 for of in ends)
    title = f"Gain in full support at {budget:,} tokens"
    return Plot(
        name=name,
        title=title,
        alt=f"Forest plot of gains over {first}: of {len(effects)} comparisons {clear} lie wholly "
        f"above zero, {worse} wholly below; the others touch zero or have no interval.",
        svg=gains_plot(effects, name=name, first=first, total=OVERALL),
        numbers=_table("gain-forest-numbers", title, found),
    )


def _table(name: str, title: str, found: list[Gain]) -> Table:
    columns = [
        Column("Questions of"),
        Column("Setting"),
        Column("Budget", numeric=True),
        Column("Before", numeric=True),
        Column("After", numeric=True),
        Column("Gain (points, 95 %)", numeric=True),
        Column("Relative", numeric=True),
        Column("Better / worse", numeric=True),
        Column("p", numeric=True),
        Column("p (Holm)", numeric=True),
        Column("n", numeric=True),
    ]
    return Table(name=name, title=title, columns=columns, rows=list(map(_row, found)))


def _row(gain: Gain) -> list[Cell]:
    result = gain.paired
    return [
        word(gain.label),
        word(gain.setting),
        count(gain.budget),
        percent(gain.before),
        percent(gain.after),
        _with_ends(gain),
        relative(gain.difference, base=gain.before),
        _changes(result),
        p_value(result.p_value if result else None),
        p_value(gain.corrected),
        count(result.n if result else None),
    ]


def _with_ends(gain: Gain) -> Cell:
    cell = points(gain.difference)
    ends = f" {percent_interval(gain.ends).text}" if gain.ends else ""
    return Cell(f"{cell.text}{ends}", cell.order)


def _changes(result: Paired | None) -> Cell:
    if result is None:
        return Cell(MISSING)
    return Cell(f"{result.rose} / {result.fell}", result.rose - result.fell)
