"""`headwater eval`: measure a knowledge base, compare results, make a template."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .ask import EFFORTS
from .group import debug_option

EXPERIMENTS = {
    "effort": "All efforts side by side, on every knowledge base.",
    "sources": "Questions that need one, two or three sources.",
    "gap-fill": "Some sources taken away, then a stand-in for the web added.",
    "exit": "How often a run stops early, and how often that was wrong.",
    "languages": "English, French, Chinese: same language and across languages.",
    "names": "Good, weak, random, misleading and exchanged names of sources.",
    "sub-queries": "Plans against reference decompositions.",
    "ranking": "Candidates in every order, scores of known grades, captions.",
    "multi-hop": "With and without the second round.",
}
ALL = "all"
_ALL_SUMMARY = "All of these, one after the other."
_PATH = click.Path(path_type=Path)

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--kb",
        "bases",
        multiple=True,
        metavar="NAME|FILE|FOLDER",
        help="A knowledge base of the evaluation data, a data set, or your own knowledge base "
        "file; names may be repeated. Default: those of the experiment.",
    ),
    click.option(
        "--queries",
        type=_PATH,
        help="Folder of queries.jsonl for your own knowledge base; default: beside its file.",
    ),
    click.option("--data", type=_PATH, help="Folder of evaluation data; default: HEADWATER_DATA."),
    click.option(
        "--split",
        type=click.Choice(("train", "dev", "test")),
        default="test",
        show_default=True,
        help="Report on test, choose settings on dev.",
    ),
    click.option(
        "--effort",
        "efforts",
        multiple=True,
        type=click.Choice(EFFORTS),
        help="Only this effort, where the experiment varies it; may be repeated.",
    ),
    click.option(
        "--sample",
        type=click.IntRange(1),
        help="At most so many questions of each knowledge base, evenly over its data sets.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Of the sample."),
    click.option(
        "--passages",
        type=click.IntRange(1),
        help="Cut each source to so many passages, gold ones always among them; figures then "
        "compare only with those of the same cut.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 64),
        default=1,
        show_default=True,
        help="Questions asked at once; with more than one, times per question grow.",
    ),
    click.option(
        "--out",
        type=_PATH,
        help="Folder of the results; default: eval/NAME, with the knowledge bases that are named.",
    ),
    click.option("--cache", type=_PATH, help="Folder of the indexes; default: the user's cache."),
    click.option(
        "--ranker",
        metavar="NAME|FOLDER",
        help="Rank with this one; your own knowledge base file names its own. Default: builtin.",
    ),
    click.option("--strict", is_flag=True, help="Stop at a broken line of the data."),
    click.option(
        "--judge",
        metavar="MODEL",
        help="Also let this chat model judge the answers; its verdicts stand apart.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print what came of it as JSON."),
)


class Experiments(click.Group):
    """One command an experiment, beside `all`, `compare` and `init`; all take the same options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*EXPERIMENTS, ALL, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in EXPERIMENTS or cmd_name == ALL:
            return _experiment(cmd_name)
        return super().get_command(ctx, cmd_name)


_HELP = """Measure a knowledge base on questions with known evidence and answers.

\b
headwater eval effort --kb finance_sectors_9 --sample 40
headwater eval effort --kb my-folder/headwater.toml
headwater eval compare before after

A folder gets results.jsonl, report.md, report.html and summary.json. A run that was stopped goes
on where it was. Needs the extra `eval`: pip install "headwater[eval]".
"""


@click.group("eval", cls=Experiments, no_args_is_help=True, help=_HELP)
def command() -> None:
    """Hold the commands below."""


def _experiment(name: str) -> click.Command:
    summary = EXPERIMENTS.get(name, _ALL_SUMMARY)

    def callback(**options: Any) -> None:  # noqa: ANN401 - the options of click, by name
        from .evaluating import evaluate

        evaluate(name, **options)

    made = click.Command(name, callback=callback, help=summary, short_help=summary)
    for option in _OPTIONS:
        made = option(made)
    return debug_option(made)


@command.command("compare")
@click.argument("first", type=_PATH)
@click.argument("second", type=_PATH)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@click.option("--out", type=_PATH, help="Write the table there too, as Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Print every measure as one JSON object.")
@debug_option
def compare(first: Path, second: Path, *, seed: int, out: Path | None, as_json: bool) -> None:
    """Compare two folders of results, question by question, with paired tests."""
    from .comparing import compare_folders

    compare_folders(first, second, seed=seed, out=out, as_json=as_json)


@command.command("init")
@click.argument("folder", type=_PATH, default=Path())
@click.option("--force", is_flag=True, help="Write over files that are there.")
@debug_option
def init(folder: Path, *, force: bool) -> None:
    """Write a knowledge base with questions, to fill with your own."""
    from .eval_init import write_template

    for path in write_template(folder, force=force):
        click.echo(path)
    click.echo(f"\nNext: headwater eval effort --kb {folder}")
