"""Plans of a folder of results against reference decompositions, in files of their own."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..data.questions import question_text
from ..data.rows import QueryRow
from ..errors import DataError
from ..record import from_json
from ..report.cells import count, decimal, interval, mean_interval, mean_percent, word
from ..report.collection import estimate
from ..report.conditions import conditions
from ..report.document import Column, Report, Section, Table
from ..report.markdown import as_markdown
from ..report.page import as_page
from ..report.results import read_run
from .journal import RESULTS, rows_in
from .plans import COVERED, SAME, PlanQuality, quality

STEM = "decomposition"


@dataclass(frozen=True, slots=True)
class Compared:
    """One plan with what it was compared by."""

    setting: str
    dataset: str
    qid: str
    quality: PlanQuality


def write_decomposition(
    folder: Path, asked: Mapping[tuple[str, str], QueryRow], *, question: str
) -> None:
    """Write `decomposition.jsonl`, one line a plan, `.md` and `.html`, from `results.jsonl`.

    `asked` has the questions by (dataset, id); rows of others are passed over.

    Raises:
        DataError: there are no results, or a file cannot be written.
    """
    found = list(_compared(folder, asked))
    lines = [json.dumps(_flat(one), ensure_ascii=False) + "\n" for one in found]
    notices: list[str] = []
    report = _report(found, question, run=read_run(folder, notices), notices=notices)
    for suffix, text in (
        (".jsonl", "".join(lines)),
        (".md", as_markdown(report)),
        (".html", as_page(report)),
    ):
        path = folder / f"{STEM}{suffix}"
        try:
            path.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            cause = f"Cannot be written: {error.strerror}."
            raise DataError(cause, place=str(path), fix="Make room.") from error


def _compared(folder: Path, asked: Mapping[tuple[str, str], QueryRow]) -> Iterator[Compared]:
    for value in rows_in(folder / RESULTS):
        row = from_json(value)
        query = asked.get((row.dataset, row.qid))
        if query is None or row.error is not None:
            continue
        planned = [sub_query.text for sub_query in row.sub_queries]
        found = quality(question_text(query), query.decomposition, planned)
        yield Compared(row.setting, row.dataset, row.qid, found)


def _flat(one: Compared) -> dict[str, object]:
    named = {"setting": one.setting, "dataset": one.dataset, "qid": one.qid}
    return named | asdict(one.quality)


_MEANS: dict[str, Callable[[PlanQuality], float | None]] = {
    "sub-queries": lambda q: float(q.sub_queries),
    "parts in the reference": lambda q: float(q.parts) if q.parts else None,
    "duplicates": lambda q: float(q.duplicates),
}
_SHARES: dict[str, Callable[[PlanQuality], float | None]] = {
    "parts covered": lambda q: q.covered,
    "numbers and names kept": lambda q: q.kept,
}


def _report(
    found: Sequence[Compared], question: str, *, run: Mapping[str, Any], notices: list[str]
) -> Report:
    groups: dict[tuple[str, str], list[PlanQuality]] = defaultdict(list)
    for one in found:
        groups[one.dataset, one.setting].append(one.quality)
    columns = [Column("data set"), Column("setting"), Column("questions", numeric=True)]
    for title in (*_MEANS, *_SHARES):
        columns += [Column(title, numeric=True), Column("95 % interval")]
    rows = []
    for (dataset, setting), plans in groups.items():
        cells = [word(dataset), word(setting), count(len(plans))]
        for mean in _MEANS.values():
            value = estimate(map(mean, plans), shares=False)
            cells += [
                decimal(value.mean if value else None, 2),
                interval(value.ends if value else None, digits=2),
            ]
        for share in _SHARES.values():
            value = estimate(map(share, plans))
            cells += [mean_percent(value), mean_interval(value)]
        rows.append(cells)
    table = Table(name="plans", title="Plans by data set and setting", columns=columns, rows=rows)
    text = (
        f"A part counts as covered when one sub-query holds at least {COVERED:.0%} of its terms. "
        f"Two sub-queries are duplicates from a similarity of terms of {SAME:.0%}. Parts that "
        "ask about the answer of an earlier part cannot be planned in full."
    )
    return Report(
        title="Decomposition",
        question=question,
        conditions=conditions(run),
        notices=notices,
        figures=[],
        sections=[Section(name="decomposition", title="Decomposition", text=[text], parts=[table])],
    )
