"""Two folders of results side by side."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..domain.errors import ConfigurationError
from ..evaluation.comparison import Change, ComparedGroup, Comparison, compare
from ..evaluation.errors import DataError
from ..evaluation.report.cells import p_value, questions
from ..evaluation.report.conditions import differing
from ..evaluation.report.document import MISSING
from ..evaluation.report.markdown import plain
from ..evaluation.report.results import Results, read_run
from ..evaluation.statistics import Interval
from .plain import print_json
from .screen import one_line, plain_table, stderr, stdout, styled


def compare_folders(
    first: Path, second: Path, *, seed: int, out: Path | None, as_json: bool
) -> None:
    """Print what changed from `first` to `second`, and write it to `out` as Markdown.

    Raises:
        DataError: a folder has no results, or they have no question in common.
        ConfigurationError: `out` cannot be written.
    """
    notices: list[str] = []
    found = compare(Results(first, notices).rows(), Results(second, notices).rows(), seed=seed)
    if not any(group.questions for group in found.groups):
        raise DataError(
            f"They have no question in common. Only on one side: {', '.join(found.unmatched)}.",
            place=f"{first}, {second}",
            fix="Rows pair by knowledge base, setting, data set and question; a data set of your "
            "own is called like its folder.",
        )
    unlike = differing(read_run(first, notices), read_run(second, notices))
    notices += [f"Conditions are unlike. {one}" for one in unlike]
    for notice in notices:
        stderr().print(styled(f"warning: {one_line(notice)}", "yellow"), soft_wrap=True)
    if out is not None:
        _write(out, as_markdown(found, first, second, notices=notices))
    if as_json:
        named = {"first": str(first), "second": str(second), "notices": notices}
        print_json({**named, **asdict(found)})
        return
    _print(found)


def as_markdown(
    found: Comparison, first: Path, second: Path, *, notices: Sequence[str] = ()
) -> str:
    """Write the comparison as a page, one table a group."""
    lines = [f"# {plain(f'{first} and {second}')}", "", *map(plain, _notes(found))]
    for notice in notices:
        lines += ["", f"> **Note.** {plain(notice)}"]
    for group in found.groups:
        lines += ["", f"## {plain(_title(group))}", "", f"| {' | '.join(_HEADERS)} |", _RULE]
        lines += [f"| {' | '.join(_cells(change))} |" for change in _tested(group)]
    return "\n".join(lines) + "\n"


_HEADERS = ("measure", "first", "second", "difference", "95 % interval", "p (Holm)", "n", "")
_RULE = "| --- | ---: | ---: | ---: | --- | ---: | ---: | --- |"


def _notes(found: Comparison) -> list[str]:
    notes = ["Paired by question; p values after Holm over the measures of a group."]
    if found.unmatched:
        notes.append(f"Only on one side: {', '.join(found.unmatched)}.")
    return notes


def _title(group: ComparedGroup) -> str:
    alone = [
        f"{count} only in the {side}"
        for count, side in ((group.only_first, "first"), (group.only_second, "second"))
        if count
    ]
    counted = ", ".join([questions(group.questions), *alone])
    return f"{group.base} · {group.setting} · {group.dataset} ({counted})"


def _tested(group: ComparedGroup) -> list[Change]:
    return [change for change in group.changes if change.test is not None]


def _cells(change: Change) -> list[str]:
    test = change.test
    if test is None or change.first is None or change.second is None:
        return [change.measure, *[MISSING] * (len(_HEADERS) - 1)]
    return [
        change.measure,
        f"{change.first:,.3f}",
        f"{change.second:,.3f}",
        f"{test.difference:+,.3f}",
        _between(test.interval),
        p_value(change.p_corrected).text,
        str(test.n),
        _verdict(change),
    ]


def _between(interval: Interval | None) -> str:
    return f"{interval.low:+,.3f} to {interval.high:+,.3f}" if interval else MISSING


def _verdict(change: Change) -> str:
    """Say whether it got better or worse, where that is more than chance and has a direction."""
    if not change.significant or change.test is None or change.higher_is_better is None:
        return ""
    return "better" if (change.test.difference > 0) == change.higher_is_better else "worse"


def _print(found: Comparison) -> None:
    screen = stdout()
    for note in _notes(found):
        screen.print(styled(note), soft_wrap=True)
    for group in found.groups:
        screen.print()
        screen.print(styled(one_line(_title(group)), "bold"))
        table = plain_table(*_HEADERS)
        for change in _tested(group):
            table.add_row(*_cells(change))
        screen.print(table)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigurationError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
