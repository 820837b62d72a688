"""Asking a question from the command line."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..domain.errors import InvalidRequestError
from ..domain.request import Effort, Identity, Overrides
from ..domain.result import Result
from . import exits
from .base import Base, base_of_folder, configured

if TYPE_CHECKING:
    from ..graph.knowledge_base import KnowledgeBase
    from .screen import Screen

_MOST_BYTES = 1_000_000
"""Read from stdin; a question of so many bytes is refused as too long anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says."""

    question: str
    kb: Path | None = None
    files: Path | None = None
    effort: Effort | None = None
    sources: tuple[str, ...] = ()
    identities: tuple[str, ...] = ()
    max_tokens: int | None = None
    answer: bool | None = None
    explain: bool = False
    as_json: bool = False
    no_ingest: bool = False


def ask(asked: Asked) -> int:
    """Ask, print the result, and give the exit code.

    What is wrong with the input is found before anything is loaded. Raises HeadwaterError.
    """
    if asked.kb and asked.files:
        raise click.UsageError("--kb and --files exclude each other.")
    question = read_question(asked.question)
    identity = identity_of(asked.identities)
    base = base_of_folder(asked.files) if asked.files else configured(asked.kb)
    overrides = Overrides(
        sources=base.known(asked.sources) or None,
        answer=asked.answer,
        content_budget=asked.max_tokens,
    )
    from .running import run

    result = run(_run(asked, base, question, identity=identity, overrides=overrides))
    _print(result, asked)
    return exits.OK if result.status == "ok" else exits.INCOMPLETE


def read_question(argument: str) -> str:
    """Give the question, from stdin for `-`. Raises InvalidRequestError where it is empty."""
    question = argument
    if argument == "-":
        question = sys.stdin.buffer.read(_MOST_BYTES).decode("utf-8", "replace")
    if not question.strip():
        raise InvalidRequestError("The question is empty.", fix="Give some text, or `-` for stdin.")
    return question


def identity_of(names: tuple[str, ...]) -> Identity | None:
    """Read `user:NAME` and `group:NAME`; `None` where nobody is named. Raises UsageError."""
    pairs = [name.partition(":") for name in names]
    for kind, _, name in pairs:
        if kind not in ("user", "group") or not name:
            raise click.UsageError("--identity takes user:NAME or group:NAME.")
    users = [name for kind, _, name in pairs if kind == "user"]
    if len(users) > 1:
        raise click.UsageError("--identity names more than one user.")
    groups = [name for kind, _, name in pairs if kind == "group"]
    return Identity(user=next(iter(users), None), groups=groups) if names else None


async def _run(
    asked: Asked,
    base: Base,
    question: str,
    *,
    identity: Identity | None,
    overrides: Overrides,
) -> Result:
    from ..graph.knowledge_base import KnowledgeBase
    from .live import Quiet, Steps, watched
    from .screen import stderr

    screen = stderr()
    screen.quiet = asked.as_json and not screen.is_terminal
    async with KnowledgeBase.from_config(base.config, folder=base.folder) as kb:
        if not asked.no_ingest:
            await _follow(kb, screen, asked.files)
        with Quiet() if screen.quiet else Steps(screen) as watcher:
            return await watched(
                kb.stream(
                    question,
                    effort=asked.effort,
                    identity=identity,
                    overrides=overrides,
                    explain=asked.explain,
                ),
                watcher,
            )


async def _follow(kb: "KnowledgeBase", screen: "Screen", folder: Path | None) -> None:
    """Bring the index of a folder up to date; of a knowledge base, fill those that are empty."""
    from .indexing import file_sources, ingest, ingest_if_empty, print_reports

    if folder is None:
        await ingest_if_empty(kb, screen)
        return
    reports = await ingest(kb, screen, file_sources(kb))
    print_reports(screen, reports)
    if not any(report.chunks for report in reports.values()):
        raise InvalidRequestError(
            f"Nothing in {str(folder)!r} can be read.",
            fix="Text, Markdown, HTML, PDF, Office files, CSV, JSON and code can be.",
        )


def _print(result: Result, asked: Asked) -> None:
    if asked.as_json:
        from .plain import plain, print_json

        print_json(plain(Result, result))
        return
    from .report import print_report
    from .screen import stdout

    print_report(stdout(), result, explain=asked.explain)
