"""A result for whoever wants to know how it came about: steps, exits, fates."""

from rich.table import Table

from ..domain.fate import Fate, Reason
from ..domain.result import Exit, Result, SubQueryReport
from .screen import one_line, plain_table

_REASONS: dict[Reason, str] = {
    "access": "closed to whoever asks",
    "rank_depth": "beyond the depth that is ranked",
    "ranker_threshold": "scored too low by the ranker",
    "classifier_threshold": "graded too low by the classifier",
    "duplicate": "repeated a passage that was kept",
    "budget": "did not fit into the tokens that were left",
    "turn": "the budget was spent before its turn",
}


def activity_table(result: Result) -> Table:
    """Give one row a record: step, round, sub-query, source, count, time, and what to know."""
    table = plain_table("step", "round", "sub-query", "source", "count", "ms", "")
    for name in ("round", "count", "ms"):
        next(column for column in table.columns if column.header == name).justify = "right"
    for record in result.activity:
        said = [("", record.detail), ("warning: ", record.warning), ("error: ", record.error)]
        table.add_row(
            record.step,
            str(record.round),
            record.sub_query or "",
            one_line(record.source or ""),
            "" if record.count is None else str(record.count),
            f"{record.elapsed_ms:.1f}",
            "; ".join(one_line(f"{kind}{text}", 160) for kind, text in said if text),
        )
    return table


def sub_query_lines(result: Result) -> list[str]:
    """Give one line a sub-query: its text and where it was sent."""
    return [
        f"{query.id}: {query.text} → {', '.join(query.sources) or 'no source'}"
        for query in result.sub_queries
    ]


def stop_lines(result: Result) -> list[str]:
    """Say why the run ended where it did, sub-query by sub-query."""
    judged = [_stop(query, query.exit, result) for query in result.sub_queries if query.exit]
    if judged:
        return judged
    if result.status == "failed":
        return ["No source could be asked."]
    if result.effort == "auto":
        return ["Each sub-query had a passage with a high score; nothing had to be judged."]
    return [f"Effort {result.effort} has one round and does not judge the evidence."]


def fate_lines(result: Result) -> list[str]:
    """Give the balance: found, kept, and how many were cut for which reason."""
    fates = result.fates
    cut = [f"{count} {_REASONS[reason]}" for reason, count in fates.cut.items() if count]
    return [f"{fates.found} found, {fates.kept} kept", *cut]


def fate_table(result: Result) -> Table:
    """Give one row a candidate. Those that may not be read are not among them."""
    table = plain_table("sub-query", "passage", "fate", "")
    for fate in result.fates.rows:
        table.add_row(fate.sub_query, one_line(fate.passage), *_fate(fate))
    return table


def _fate(fate: Fate) -> tuple[str, str]:
    return ("kept" if fate.reason is None else fate.reason), one_line(fate.detail)


def _stop(query: SubQueryReport, decision: Exit, result: Result) -> str:
    told = f"{query.id}: {_probability(decision)}"
    if decision.decision == "exit":
        return f"{told}, the evidence suffices"
    if query.round < result.rounds:
        return f"{told}, asked again in round {query.round + 1}"
    if query.round > 1:
        return f"{told}, and this was the last round"
    return f"{told}, {_reflected(result)}"


def _reflected(result: Result) -> str:
    """Say what reflection left at; its own words are in the activity."""
    said = [record.detail for record in result.activity if record.step == "reflect"]
    return next((text for text in said if text), "and there was nothing more to ask")


def _probability(decision: Exit) -> str:
    if decision.probability is None:
        return "P(enough) is not known"
    if decision.threshold > 1:
        return f"P(enough) {decision.probability:.2f}, which alone never ends a run here"
    sign = "≥" if decision.probability >= decision.threshold else "<"
    return f"P(enough) {decision.probability:.2f} {sign} {decision.threshold:.2f}"
