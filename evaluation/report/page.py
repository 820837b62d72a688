"""A report as one HTML file that needs no network and opens from disk.

Every text from the data is escaped. A content security policy lets only the page's own script
run, so that even an escape that was forgotten could not do harm.
"""

import base64
import hashlib
from html import escape
from importlib.resources import files

from .document import MISSING, Cell, Column, Figure, Plot, Report, Section, Table

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the results</a>
<header><div class="wrap">
<div class="kicker">Headwater evaluation</div>
<h1>{title}</h1>
<p class="question">{question}</p>
{figures}</div></header>
<nav aria-label="Chapters"><div class="wrap"><ul>
{links}
</ul><button id="theme" type="button">Light or dark</button></div></nav>
<main id="content" class="wrap">
{notices}
{sections}
<section id="conditions" aria-labelledby="conditions-title">
<h2 id="conditions-title">Conditions</h2>
<div class="card"><dl class="conditions">
{conditions}
</dl></div>
</section>
</main>
<footer><div class="wrap">Everything here is recomputed from results.jsonl in the same folder.
“{missing}” means not measured; it never stands for zero.</div></footer>
<script>{script}</script>
</body>
</html>
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{digest}'"


def as_page(report: Report) -> str:
    """Return the whole page: style, script and drawings included."""
    script = _asset("page.js")
    return _PAGE.format(
        policy=_POLICY.format(digest=_digest(script)),
        title=escape(report.title),
        question=escape(report.question),
        style=_asset("page.css"),
        script=script,
        figures=_figures(report.figures),
        links="\n".join(map(_link, _chapters(report))),
        notices="\n".join(map(_notice, report.notices)),
        sections="\n".join(map(_section, report.sections)),
        conditions="\n".join(_condition(*condition) for condition in report.conditions),
        missing=MISSING,
    )


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _digest(script: str) -> str:
    sha = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(sha).decode()}"


def _chapters(report: Report) -> list[tuple[str, str]]:
    sections = [(section.name, section.title) for section in report.sections]
    return [*sections, ("conditions", "Conditions")]


def _link(chapter: tuple[str, str]) -> str:
    name, title = chapter
    return f'<li><a href="#{escape(name)}">{escape(title)}</a></li>'


def _notice(notice: str) -> str:
    return f'<p class="notice" role="note"><b>Note.</b> {escape(notice)}</p>'


def _condition(label: str, value: str) -> str:
    return f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>"


def _figures(figures: list[Figure]) -> str:
    if not figures:
        return ""
    entries = "\n".join(
        f'<div><dt>{escape(figure.label)}</dt><dd class="value">{escape(figure.value)}</dd>'
        f'<dd class="note">{escape(figure.note)}</dd></div>'
        for figure in figures
    )
    return f'<dl class="figures">\n{entries}\n</dl>\n'


def _section(section: Section) -> str:
    text = "\n".join(f"<p>{escape(line)}</p>" for line in section.text)
    parts = "\n".join(_part(part) for part in section.parts)
    name = escape(section.name)
    return (
        f'<section id="{name}" aria-labelledby="{name}-title">\n'
        f'<h2 id="{name}-title">{escape(section.title)}</h2>\n{text}\n{parts}\n</section>'
    )


def _part(part: Table | Plot) -> str:
    if isinstance(part, Plot):
        return _plot(part)
    return f'<div class="card"><h3>{escape(part.title)}</h3>{_note(part.note)}{_table(part)}</div>'


def _note(note: str) -> str:
    return f'<p class="note">{escape(note)}</p>' if note else ""


def _plot(plot: Plot) -> str:
    label = f'<svg role="img" aria-label="{escape(plot.alt)}" '
    drawing = plot.svg.replace("<svg ", label, 1)
    return (
        f'<figure id="{escape(plot.name)}"><figcaption><h3>{escape(plot.title)}</h3>'
        f"{_note(plot.numbers.note)}</figcaption>\n{drawing}\n"
        f"<details><summary>The numbers of this plot</summary>{_table(plot.numbers)}</details>"
        "</figure>"
    )


def _table(table: Table) -> str:
    head = "".join(map(_head, table.columns))
    rows = "\n".join(_row(row, table.columns) for row in table.rows)
    # A region that scrolls can be reached by the keyboard.
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f'<table id="{escape(table.name)}-table"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _head(column: Column) -> str:
    kind = ' class="number"' if column.numeric else ""
    title = escape(column.title)
    return f'<th scope="col" aria-sort="none"{kind}><button type="button">{title}</button></th>'


def _row(row: list[Cell], columns: list[Column]) -> str:
    cells = zip(row, columns, strict=True)
    return f"<tr>{''.join(_cell(cell, column) for cell, column in cells)}</tr>"


def _cell(cell: Cell, column: Column) -> str:
    names = (
        ("number", column.numeric),
        ("prose", column.prose),
        ("none", cell.text == MISSING),
    )
    kinds = " ".join(name for name, holds in names if holds)
    kind = f' class="{kinds}"' if kinds else ""
    order = "" if cell.order is None else f' data-order="{escape(str(cell.order))}"'
    return f"<td{kind}{order}>{escape(cell.text)}</td>"
