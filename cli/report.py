"""A result for a reader: the answer, where it comes from, and what it does not cover."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from ..domain.result import Reference, Result
from .report_run import activity_table, fate_lines, fate_table, stop_lines, sub_query_lines
from .screen import Screen, clean, one_line, styled

_INDENT = 6

_STRONG = re.compile(r"\*\*([^*\n]+)\*\*")
_CITATION = re.compile(r"\[ref_id:(\d+)\]")


@dataclass(frozen=True, slots=True)
class Indented:
    """Text that is wrapped and set in, without blanks at the end of its lines."""

    text: Text
    label: str = ""
    """Stands before the first line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        label = f"{self.label} "
        for line in self.text.wrap(console, max(1, options.max_width - _INDENT)):
            line.rstrip()
            yield Text().append(label.rjust(_INDENT), style="cyan").append_text(line)
            label = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One titled part of a report."""

    title: str
    body: RenderableType


def print_report(screen: Screen, result: Result, *, explain: bool = False) -> None:
    """Print the whole result; with `explain` all captions and the fate of every candidate."""
    screen.print(answer_text(result), soft_wrap=True)
    for section in sections(result, explain=explain):
        screen.print()
        screen.print(styled(section.title, "bold"))
        screen.print(section.body, soft_wrap=isinstance(section.body, Text))


def sections(result: Result, *, explain: bool = False) -> list[Section]:
    """Give what follows the answer, empty parts left out."""
    parts = []
    if result.references:
        parts.append(Section("References", references_block(result, full=explain)))
    if result.gaps:
        parts.append(Section("Not covered", _bullets([gap.text for gap in result.gaps])))
    parts.append(Section("Asked", _bullets(sub_query_lines(result))))
    parts.append(Section(_steps_title(result), activity_table(result)))
    parts.append(Section("Why it stopped", _bullets(stop_lines(result))))
    parts.append(Section("What became of the candidates", _bullets(fate_lines(result))))
    if explain and result.fates.rows:
        parts.append(Section("Candidate by candidate", fate_table(result)))
    if result.warnings:
        parts.append(Section("Warnings", _bullets(result.warnings)))
    return parts


def readable_answer(answer: str) -> str:
    """Write `[ref_id:3]` as `[3]`."""
    return _CITATION.sub(r"[\1]", answer)


def cited(result: Result) -> frozenset[int]:
    """Give the references that the answer names."""
    return frozenset(int(number) for number in _CITATION.findall(result.answer or ""))


def answer_text(result: Result) -> Text:
    """Give the answer, or one sentence on why there is none."""
    if result.answer:
        return _with_strong(clean(readable_answer(result.answer)))
    if result.references:
        return styled("No answer was composed; these passages were found.", "italic")
    return styled("Nothing was found that answers this.", "italic")


def _with_strong(answer: str) -> Text:
    """Show what is between double asterisks, such as a sub-question, in bold."""
    text = Text()
    for number, piece in enumerate(_STRONG.split(answer)):
        text.append(piece, style="bold" if number % 2 else "")
    return text


def references_block(result: Result, *, full: bool = False) -> RenderableType:
    """Give the references that the answer cites; all of them with `full`, or if it cites none."""
    used = cited(result)
    shown = [ref for ref in result.references if full or not used or ref.ref_id in used]
    blocks: list[RenderableType] = []
    for reference in shown:
        blocks += [_heading(reference), Indented(_caption(reference))]
    rest = len(result.references) - len(shown)
    if rest:
        more = f"and {rest} more that the answer does not cite; --explain lists them"
        blocks.append(Indented(styled(more, "dim")))
    return Group(*blocks)


def place(reference: Reference) -> str:
    """Say where a passage stands: its document, page, and headings below the title."""
    page = "" if reference.page is None else f"p. {reference.page}"
    heading = " > ".join(part for part in reference.heading if part != reference.title)
    return one_line(" · ".join(filter(None, [reference.url, page, heading])))


def _heading(reference: Reference) -> Indented:
    facts = [one_line(reference.source), place(reference), _scores(reference)]
    head = Text().append(one_line(reference.title or reference.id, 80), style="bold")
    head.append("".join(f" · {fact}" for fact in facts if fact), style="dim")
    return Indented(head, f"[{reference.ref_id}]")


def _scores(reference: Reference) -> str:
    known = {"ranked": reference.scores.ranker, "graded": reference.scores.classifier}
    return ", ".join(f"{name} {score:.1f}" for name, score in known.items() if score is not None)


def _caption(reference: Reference) -> Text:
    """Mark the highlighted words and the answer; their offsets are those of the caption itself."""
    marked = [*reference.highlights, *([reference.answer] if reference.answer else [])]
    edges = sorted({0, len(reference.caption), *(edge for mark in marked for edge in mark)})
    text = Text()
    for start, end in pairwise(edges):
        strong = any(low <= start and end <= high for low, high in reference.highlights)
        answers = bool(reference.answer) and reference.answer[0] <= start < reference.answer[1]
        style = " ".join(["bold yellow"] * strong + ["underline"] * answers)
        text.append(_flat(reference.caption[start:end]), style=style or None)
    return text


def _flat(piece: str) -> str:
    return re.sub(r"\s+", " ", clean(piece))


def _steps_title(result: Result) -> str:
    rounds = f"{result.rounds} round{'s' if result.rounds > 1 else ''}"
    return (
        f"Steps · effort {result.effort} · {rounds} · {result.elapsed_ms:,.0f} ms"
        f" · status {result.status}"
    )


def _bullets(lines: Sequence[str]) -> Text:
    return Text("\n").join(styled(f"  - {one_line(line)}") for line in lines)
