"""Making experiments from the command line."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypedDict, Unpack

import click

from ..domain.errors import ConfigurationError
from ..domain.request import Effort
from ..evaluation.data.corpora import Opening
from ..evaluation.data.dataset import data_folder
from ..evaluation.data.own import KNOWLEDGE_BASE_FILE
from ..evaluation.data.questions import Choice
from ..evaluation.judge import TriadJudge, prefer, write_judged
from ..evaluation.report.results import Results
from ..evaluation.run.conduct import Conduct
from ..evaluation.run.experiment import Experiment, Request
from ..evaluation.run.experiments.catalogue import EXPERIMENTS
from ..evaluation.run.runner import Outcome
from ..graph.config import ModelsSection
from ..models.cache import cache_folder
from ..models.chat import open_chat
from . import exits
from .eval import ALL
from .eval_progress import Progress
from .plain import print_json
from .running import run
from .screen import one_line, stderr, stdout, styled

_PASSAGES_A_QUESTION = 20
"""`all` with a sample cuts each source to so many passages a sampled question, so that a small
pass is done soon: most of its time would go into indexes that few questions use."""

_SHOWN_PROBLEMS = 5


class Options(TypedDict):
    """What the command line says."""

    bases: tuple[str, ...]
    queries: Path | None
    data: Path | None
    split: str
    efforts: tuple[Effort, ...]
    sample: int | None
    seed: int
    passages: int | None
    workers: int
    out: Path | None
    cache: Path | None
    ranker: str | None
    strict: bool
    judge: str | None
    as_json: bool


def evaluate(name: str, **options: Unpack[Options]) -> None:
    """Make one experiment, or all, and say where the reports are."""
    problems: list[str] = []
    request = _request(name, options, problems)
    out = options["out"] or Path("eval") / "-".join([name, *map(_stem, options["bases"])])
    experiments = list(EXPERIMENTS.values()) if name == ALL else [EXPERIMENTS[name]]
    if name == ALL and (request.bases or request.own):
        raise click.UsageError("`all` takes the knowledge bases of each experiment, no --kb.")
    experiments = _with_efforts(experiments, options["efforts"])
    outcomes = run(_make(experiments, request, options, out=out, problems=problems))
    _print(outcomes, problems, as_json=options["as_json"])
    if any(outcome.failed for outcome in outcomes.values()):
        click.get_current_context().exit(exits.INCOMPLETE)


def _with_efforts(experiments: Sequence[Experiment], efforts: Sequence[Effort]) -> list[Experiment]:
    """Give the experiments that can be made with these efforts, the others told.

    Of `all`, one that varies something else is made as it is.
    """
    if not efforts:
        return list(experiments)
    if len(experiments) == 1 and not experiments[0].varies_effort:
        raise click.UsageError(f"{experiments[0].name!r} does not vary the effort; no --effort.")
    kept = [e for e in experiments if not (e.varies_effort and {*e.settings}.isdisjoint(efforts))]
    for experiment in experiments if kept else ():
        if experiment not in kept:
            stderr().print(styled(f"{experiment.name}: left out, it has none of these efforts"))
    return kept or list(experiments)


async def _make(
    experiments: Sequence[Experiment],
    request: Request,
    options: Options,
    *,
    out: Path,
    problems: list[str],
) -> dict[Path, Outcome]:
    screen = stderr()
    outcomes: dict[Path, Outcome] = {}
    several = len(experiments) > 1
    judge = open_chat(options["judge"]) if options["judge"] else None
    for experiment in experiments:
        if several:
            screen.print(styled(experiment.name, "bold"))
        folder = out / experiment.name if several else out
        with Progress(screen) as progress:
            conduct = Conduct(
                request=replace(request, witness=TriadJudge(judge, folder) if judge else None),
                workers=options["workers"],
                watcher=progress,
                command=["headwater", *sys.argv[1:]],
                problems=problems,
            )
            outcomes[folder] = await conduct(experiment, folder, made=list(outcomes))
        if judge is not None:
            rows = Results(folder, []).rows()
            await prefer(judge, folder, rows, settings=experiment.settings)
            screen.print(styled(f"verdicts of {judge.name}: {write_judged(folder)}"))
    return outcomes


def _request(name: str, options: Options, problems: list[str]) -> Request:
    own = _own(options["bases"])
    choice = Choice(
        split=options["split"],
        sample=options["sample"],
        seed=options["seed"],
        strict=options["strict"],
        on_problem=problems.append,
    )
    sample = options["sample"]
    passages = options["passages"]
    if passages is None and name == ALL and sample is not None:
        passages = _PASSAGES_A_QUESTION * sample
    request = Request(
        choice=choice,
        cache=options["cache"] or cache_folder() / "evaluation",
        data=None if own else data_folder(options["data"]),
        bases=() if own else options["bases"],
        own=own,
        queries=_folder(options["queries"]),
        efforts=options["efforts"],
        passages=passages,
        opening=Opening(strict=options["strict"], on_problem=problems.append),
    )
    if own and passages is not None:
        raise click.UsageError("--passages cuts evaluation data, not your own files.")
    if own is None and options["queries"] is not None:
        raise click.UsageError("--queries goes with your own knowledge base; name it with --kb.")
    if own and options["ranker"] is not None:
        raise click.UsageError("--ranker goes with evaluation data; your own file names its own.")
    models = _models(own, options["ranker"])
    return replace(request, opening=replace(request.opening, models=models))


def _models(own: Path | None, ranker: str | None) -> ModelsSection:
    """Give the models that are measured: those of a user's own file, or the built-in ones."""
    if own is not None:
        from ..graph.config_file import read

        return read(own / KNOWLEDGE_BASE_FILE).models
    return ModelsSection() if ranker is None else ModelsSection(ranker=ranker)


def _own(bases: Sequence[str]) -> Path | None:
    """Give the folder of the user's own knowledge base, where one is named."""
    paths = [Path(name) for name in bases if _is_path(name)]
    if not paths:
        return None
    if len(bases) > 1:
        raise click.UsageError("Name one knowledge base file, or names of evaluation data.")
    path = paths[0]
    if path.is_dir():
        return path
    if path.is_file() and path.name == KNOWLEDGE_BASE_FILE:
        return path.parent
    raise ConfigurationError(
        f"{str(path)!r} is no {KNOWLEDGE_BASE_FILE} and no folder with one.",
        fix="Make one with `headwater eval init`.",
    )


def _is_path(name: str) -> bool:
    return "/" in name or "\\" in name or name.endswith(".toml") or Path(name).is_dir()


def _stem(base: str) -> str:
    """Give the name of a knowledge base, or that of the folder of a user's own."""
    if not _is_path(base):
        return base
    path = Path(base).resolve()
    return path.parent.name if path.suffix == ".toml" else path.name


def _folder(queries: Path | None) -> Path | None:
    return queries.parent if queries is not None and queries.is_file() else queries


def _print(outcomes: dict[Path, Outcome], problems: Sequence[str], *, as_json: bool) -> None:
    warnings, problems = stderr(), list(dict.fromkeys(problems))
    for problem in problems[:_SHOWN_PROBLEMS]:
        warnings.print(styled(f"warning: {one_line(problem)}", "yellow"), soft_wrap=True)
    if len(problems) > _SHOWN_PROBLEMS:
        warnings.print(
            styled(f"and {len(problems) - _SHOWN_PROBLEMS} more; see run.json", "yellow")
        )
    if as_json:
        folders = [
            {
                "folder": str(folder),
                "asked": outcome.asked,
                "skipped": outcome.skipped,
                "failed": outcome.failed,
                "excluded": [asdict(one) for one in outcome.excluded],
            }
            for folder, outcome in outcomes.items()
        ]
        print_json({"folders": folders, "problems": problems})
        return
    screen = stdout()
    for folder, outcome in outcomes.items():
        screen.print(styled(f"{folder / 'report.html'}: {_summary(outcome)}"), soft_wrap=True)


def _summary(outcome: Outcome) -> str:
    left_out = len(outcome.excluded)
    counts = {
        "asked": outcome.asked,
        "kept from before": outcome.skipped,
        "failed": outcome.failed,
        f"question{'' if left_out == 1 else 's'} left out": left_out,
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing"
