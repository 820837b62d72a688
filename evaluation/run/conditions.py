"""`run.json`: under which conditions results came about."""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..data.own import KNOWLEDGE_BASE_FILE, documents_of
from ..errors import DataError
from ..report.conditions import THEN, shown
from .experiment import Experiment, Request
from .runner import Outcome

RUN = "run.json"
_QUESTIONS = "*/q*.jsonl*"
"""Questions and qrels of every data set."""
_PROBLEMS = 20
"""Named in the file; a data set that is broken throughout would fill it."""
_OTHERS = "rows_of_other_experiments"
"""Number of rows that were made by another experiment, under the same setting."""
_PACKAGES = ("headwater", "langgraph", "torch", "onnxruntime", "chromadb", "whoosh", "ir-measures")
_CHECKOUT = Path(__file__).resolve().parents[2]

_SAME = (
    "experiment",
    "knowledge_bases",
    "split",
    "sample",
    "seed",
    "passages_a_source",
    "models",
    "data",
)
"""Rows made under another one of these must not stand in the same file."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What `run.json` says, as it grows."""

    folder: Path
    said: dict[str, Any]
    made_by: str | None = None
    """The commit, or commits, of the rows that were there before."""

    @classmethod
    def begin(
        cls, folder: Path, experiment: Experiment, request: Request, *, command: Sequence[str]
    ) -> "Conditions":
        """Write the conditions of results that are about to be made, or to go on.

        Raises:
            DataError: the folder holds results of other conditions, or cannot be written.
        """
        said = _said(experiment, request, command)
        before = _read(folder)
        for name in _SAME if before else ():
            if before.get(name) != said[name]:
                raise DataError(
                    f"It holds results of other conditions: {name.replace('_', ' ')} was "
                    f"{shown(before.get(name)) or 'not said'}, and is "
                    f"{shown(said[name]) or 'not said'}.",
                    place=str(folder / RUN),
                    fix="Name another folder with --out.",
                )
        made_by = before.get("commit")
        said["commit"] = _after(made_by, said["commit"])
        # Rows of settings that an earlier call asked for stay in the folder, and in their order.
        there = {*said["settings"], *(before.get("settings") or ())}
        said["settings"] = [name for name in experiment.settings if name in there]
        said |= {name: before[name] for name in ("excluded", _OTHERS) if name in before}
        conditions = cls(folder, said, made_by)
        conditions._write()
        return conditions

    def end(self, outcome: Outcome, *, problems: Sequence[str], taken: int = 0) -> None:
        """Add what was left out, what was taken over, what was wrong with the data.

        Raises DataError.
        """
        if not outcome.asked and self.made_by is not None:
            self.said["commit"] = self.made_by
        if taken:
            self.said[_OTHERS] = self.said.get(_OTHERS, 0) + taken
        reasons: dict[str, int] = {}
        for one in outcome.excluded:
            reason = f"{one.dataset}: {_kind(one.reason)}"
            reasons[reason] = reasons.get(reason, 0) + 1
        self.said["excluded"] = reasons
        self.said["problems"] = list(dict.fromkeys(problems))[:_PROBLEMS]
        self._write()

    def _write(self) -> None:
        path = self.folder / RUN
        part = path.with_name(f"{RUN}.part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(self.said, indent=2, ensure_ascii=False) + "\n", "utf-8")
            os.replace(part, path)
        except OSError as error:
            raise DataError(
                f"Cannot be written: {error.strerror}.",
                place=str(path),
                fix="Make room, or name another folder with --out.",
            ) from error


def _said(experiment: Experiment, request: Request, command: Sequence[str]) -> dict[str, Any]:
    choice, opening = request.choice, request.opening
    return {
        "experiment": experiment.name,
        "title": experiment.name,
        "question": experiment.question,
        "settings": experiment.asked(request),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "command": " ".join(command),
        "knowledge_bases": _bases(request),
        "split": choice.split,
        "sample": choice.sample,
        "seed": choice.seed,
        "passages_a_source": request.passages,
        "models": opening.models.model_dump(exclude_none=True),
        "data": digest_of(request),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}, "
        f"Python {platform.python_version()}",
        "versions": _versions(),
    }


def _after(before: str | None, now: str | None) -> str | None:
    """Name the commits of all rows in a folder, in order; one that goes on is not named again."""
    if before is None or now is None or before.split(THEN)[-1] == now:
        return now if before is None else before
    return f"{before}{THEN}{now}"


def _bases(request: Request) -> list[str]:
    return [str(request.own.resolve())] if request.own else list(request.bases)


def digest_of(request: Request) -> str:
    """Give a digest of the questions and evidence that may be asked for, by content.

    Of a user's own knowledge base it is also one of the documents: what changes with them is what
    an evaluation is to show, and rows from before must not pass for rows from after.
    """
    if request.own is None:
        folder = request.folder
        return _digest(folder, [*folder.glob("knowledge_bases/*.json"), *folder.glob(_QUESTIONS)])
    files = [request.own / KNOWLEDGE_BASE_FILE, *documents_of(request.own)]
    for place in filter(None, (request.own, request.queries)):
        files += place.glob("q*.jsonl*")
    # Where a source is the whole folder, the results of the last evaluation lie in it.
    return _digest(request.own, [path for path in files if not (path.parent / RUN).exists()])


def _digest(folder: Path, files: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted({*files}):
        name = path.relative_to(folder) if path.is_relative_to(folder) else path.name
        whole.update(f"{name}\0".encode())
        try:
            whole.update(hashlib.sha256(path.read_bytes()).digest())
        except OSError as error:
            raise DataError(f"It cannot be read: {error.strerror}.", place=str(path)) from error
    return whole.hexdigest()[:16]


def commit() -> str | None:
    """Give the commit of the checkout that this code runs from, `+` where files were changed."""
    if not (_CHECKOUT / ".git").exists():
        return None
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{head}+" if changed else head


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(_CHECKOUT), *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout.strip()


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _kind(reason: str) -> str:
    """Take the names out of a reason, so that equal ones are counted together."""
    return "its gold passage is not in the corpus" if "gold passage" in reason else reason


def _read(folder: Path) -> Mapping[str, Any]:
    """Give what is there; a file that cannot be read says nothing."""
    try:
        value = json.loads((folder / RUN).read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
