"""Make an experiment from beginning to end: conditions, rows, reports."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import DataError
from ..extra import optional
from ..record import from_json
from ..report.write import write_reports
from .conditions import Conditions
from .experiment import Experiment, Request
from .journal import RESULTS, Journal, rows_in
from .runner import Outcome, Watcher, run
from .task import Key, Scene

_EXTRA = ("ir_measures", "scipy.stats", "matplotlib")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """How experiments are made."""

    request: Request
    workers: int
    watcher: Watcher
    command: Sequence[str]
    problems: list[str]
    """What was wrong with the data; grows meanwhile."""

    async def __call__(
        self, experiment: Experiment, folder: Path, *, made: Sequence[Path] = ()
    ) -> Outcome:
        """Make one experiment; questions whose row is there are not asked again.

        Those whose row has an error are.
        Rows that an experiment of the same request has `made` in another folder are taken over:
        the same question under the same setting is the same run.

        Raises:
            DataError, ConfigurationError, ModelError, IndexStoreError: see `Experiment.plan`,
                `open_base`, `Journal` and `write_reports`.
            MissingDependencyError: a package of the extra `eval` is not installed.
        """
        for module in _EXTRA:
            optional(module)
        known = len(self.problems)
        scenes = experiment.plan(self.request)
        conditions = Conditions.begin(folder, experiment, self.request, command=self.command)
        with Journal.open(folder) as journal:
            if journal.repaired:
                self.problems.append(f"{journal.path}: a torn last line was taken off.")
            taken = take_over(journal, _keys(scenes), made, experiment=experiment.name)
            outcome = await run(
                scenes,
                journal,
                workers=self.workers,
                watcher=self.watcher,
                failed=self.request.rows(experiment.name).failed,
            )
            rows = len(journal)
        self.problems.extend(f"{one.dataset}: {one}" for one in outcome.excluded if one.at_fault)
        # Problems of the experiments before are none of this one's; what it read it was told again.
        conditions.end(outcome, problems=self.problems[known:], taken=taken)
        if not rows:
            raise _nothing_asked(outcome, folder)
        write_reports(folder)
        if experiment.finish is not None:
            experiment.finish(folder, self.request)
        return outcome


def _nothing_asked(outcome: Outcome, folder: Path) -> DataError:
    """Say why no question was asked, by the first one that was left out."""
    why = f" For one, {outcome.excluded[0]}." if outcome.excluded else ""
    return DataError(
        f"No question could be asked.{why}",
        place=str(folder / RESULTS),
        fix="Correct the questions or what they name as evidence; run.json has the counts.",
    )


def take_over(journal: Journal, wanted: set[Key], made: Iterable[Path], *, experiment: str) -> int:
    """Copy rows without an error that are wanted and not there; give their number."""
    taken = 0
    for folder in made:
        for value in rows_in(folder / RESULTS):
            key = (value["base"], value["setting"], value["dataset"], value["qid"])
            if key in wanted and key not in journal.done and value.get("error") is None:
                journal.append(replace(from_json(value), experiment=experiment))
                taken += 1
    return taken


def _keys(scenes: Sequence[Scene]) -> set[Key]:
    return {task.key for scene in scenes for task in scene.tasks}
