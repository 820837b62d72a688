"""A small report that was written by hand, for the tests of the two renderers."""

from headwater.evaluation.report.cells import percent, word
from headwater.evaluation.report.document import (
    Column,
    Figure,
    Plot,
    Report,
    Section,
    Table,
)

HOSTILE = '<script>alert("1")</script> & | `a` [b](c) *d*\nnew line'
"""What a question, a name or an error message may hold."""


def table(name: str = "support", *, entry: str = "manuals") -> Table:
    """Two rows, the second with a number that is not known."""
    return Table(
        name=name,
        title="Support",
        columns=[Column("Data set"), Column("Share", numeric=True)],
        rows=[[word(entry), percent(0.5)], [word("tickets"), percent(None)]],
        note="A note.",
    )


def report(text: str = "plain") -> Report:
    """A report that has one of everything, with `text` wherever text can stand."""
    drawing = Plot(
        name="curve",
        title=text,
        alt=text,
        svg='<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>',
        numbers=table("curve-numbers", entry=text),
    )
    return Report(
        title=text,
        question=text,
        conditions=[("Commit", text)],
        notices=[text],
        figures=[Figure(text, "50.0 %", text)],
        sections=[
            Section(name="first", title=text, text=[text], parts=[table(entry=text), drawing])
        ],
    )
