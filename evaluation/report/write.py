"""Write the three reports of a results folder."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..summary import summarise
from .chapters.gains import all_gains
from .contents import contents
from .gather import gather
from .markdown import as_markdown
from .page import as_page
from .ranked_json import ranked_json
from .results import Results, read_run
from .summary_json import as_json

SUMMARY, MARKDOWN, PAGE = "summary.json", "report.md", "report.html"


def write_reports(folder: Path) -> None:
    """Read `results.jsonl` and `run.json` in `folder`; write summary.json, report.md, report.html.

    The same results give the same reports, byte for byte. The results are read line by line; only
    their numbers are held in memory.

    Raises:
        DataError: there are no results, or a report cannot be written.
        MissingDependencyError: a package of the extra `eval` is not installed.
    """
    notices: list[str] = []
    run = read_run(folder, notices)
    results = Results(folder, notices)
    collected = gather(results.rows(), settings=_settings(run))
    summary = summarise(results.rows())
    report = contents(collected, summary, run=run, notices=notices)
    found = all_gains(collected)
    numbers = as_json(
        summary, found, run=run, notices=notices, ranking=ranked_json(collected.ranked)
    )
    _write(folder / SUMMARY, numbers)
    _write(folder / MARKDOWN, as_markdown(report))
    _write(folder / PAGE, as_page(report))


def _settings(run: Mapping[str, Any]) -> list[str]:
    named = run.get("settings")
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, "utf-8", newline="\n")
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(
            f"Cannot be written: {error.strerror}.",
            place=str(path),
            fix="Make room, or name another folder.",
        ) from error
