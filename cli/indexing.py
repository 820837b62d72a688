"""Ingestion as a command shows it: a bar a source on a terminal, a line a source elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed

from ..domain.errors import IndexStoreError
from ..graph.knowledge_base import KnowledgeBase
from ..sources.files import FilesSource, IngestProgress, IngestReport
from .screen import Screen, one_line, styled

_SHOWN_PROBLEMS = 20

_EVERY_S = 10.0
"""Between two lines of progress where there is no terminal."""


class Bars:
    """A progress bar a source; where the screen is no terminal, a line every now and then."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._told = 0.0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("files · {task.fields[chunks]} passages"),
            Elapsed(),
            TextColumn("{task.fields[current]}", style="dim"),
            console=screen,
            disable=not screen.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, source: str, progress: IngestProgress) -> None:
        if not self._screen.is_terminal:
            self._tell(source, progress)
            return
        if source not in self._tasks:
            name = one_line(source)
            self._tasks[source] = self._progress.add_task(name, total=None, chunks=0, current="")
        self._progress.update(
            self._tasks[source],
            completed=progress.files_done,
            total=progress.files_total,
            chunks=progress.chunks,
            current=one_line(progress.current, 40),
        )

    def _tell(self, source: str, progress: IngestProgress) -> None:
        if progress.seconds < _EVERY_S:
            self._told = 0.0
        elif progress.seconds - self._told >= _EVERY_S:
            self._told = progress.seconds
            files = f"{progress.files_done} of {progress.files_total or 'unknown'} files"
            self._screen.print(styled(f"{source}: {files}, {progress.chunks} passages"))


async def ingest(
    kb: KnowledgeBase, screen: Screen, names: Sequence[str], *, rebuild: bool = False
) -> dict[str, IngestReport]:
    """Bring the sources of these names up to date, one after the other, with progress.

    Raises the errors of `KnowledgeBase.ingest`.
    """
    reports: dict[str, IngestReport] = {}
    with Bars(screen) as bars:
        for name in names:
            reports |= await kb.ingest(name, rebuild=rebuild, on_progress=bars)
    return reports


async def ingest_if_empty(kb: KnowledgeBase, screen: Screen) -> None:
    """Fill the indexes that hold nothing; one that cannot be used is named, and left to the run."""
    for source in kb.sources:
        if not isinstance(source, FilesSource) or (await source.health()).chunks:
            continue
        try:
            report = await ingest(kb, screen, [source.name])
        except IndexStoreError as exc:
            screen.print(styled(f"warning: {one_line(str(exc))}", "yellow"))
        else:
            print_reports(screen, report)


def file_sources(kb: KnowledgeBase) -> list[str]:
    """Give the names of the sources that can be ingested."""
    return [source.name for source in kb.sources if isinstance(source, FilesSource)]


def print_reports(
    screen: Screen, reports: Mapping[str, IngestReport], *, problems: int = _SHOWN_PROBLEMS
) -> None:
    """Print one line a source, then the files that were left out, at most `problems` a source."""
    for name, report in reports.items():
        screen.print(styled(f"{name}: {summary(report)}"))
        for problem in report.problems[:problems]:
            line = one_line(f"skipped {problem.path}: {problem.cause}")
            screen.print(styled(f"  {line}", "yellow"), soft_wrap=True)
        hidden = len(report.problems) - problems
        if hidden > 0:
            screen.print(styled(f"  and {hidden} more skipped files", "yellow"))
        for warning in report.warnings[:problems]:
            line = one_line(f"warning: {warning}")
            screen.print(styled(f"  {line}", "yellow"), soft_wrap=True)


def summary(report: IngestReport) -> str:
    """Say in one line what an ingestion did."""
    counts = {
        "added": report.added,
        "changed": report.changed,
        "deleted": report.deleted,
        "skipped": len(report.problems),
    }
    did = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    kept = f"{report.unchanged} unchanged"
    files = f"{did}, {kept}" if did else f"nothing changed, {kept}"
    return f"{files} · {report.chunks} passages · {report.seconds:.1f} s"
