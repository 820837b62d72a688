"""From the final state of a run to the result that a caller reads."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..domain.fate import Fate
from ..domain.passage import Passage, passage_key
from ..domain.ports import PassageStore
from ..domain.result import Exit, Fates, Reference, Result, SubQueryReport, Usage
from ..domain.sentences import Span
from ..domain.state import RunOutput


async def result_of(state: RunOutput, passages: PassageStore, *, explain: bool = False) -> Result:
    """Give the result of a finished run, with the texts of its references.

    With `explain` the fates hold one row a candidate; those cut by access are only counted.

    Raises:
        PassageLostError: the text of a reference can no longer be had.
    """
    run = state["run"]
    keys = [passage_key(ref.source, ref.id) for ref in state["references"]]
    bodies = await passages.get(run, keys)
    ledger = state["ledger"]
    activity = state["activity"]
    end = max(record.started * 1_000 + record.elapsed_ms for record in activity)
    return Result(
        run_id=run.id,
        status=state["status"],
        effort=run.effort,
        rounds=max(query.round for query in state["sub_queries"]),
        question=run.question,
        answer=state.get("answer"),
        gaps=state["gaps"],
        references=[_with_text(ref, bodies) for ref in state["references"]],
        sub_queries=_reports(state),
        activity=activity,
        fates=Fates(ledger.found, ledger.kept, ledger.cut, _rows(state) if explain else []),
        usage=_usage(state),
        elapsed_ms=end - run.started * 1_000,
        warnings=list(dict.fromkeys(_warnings(state))),
    )


def _with_text(reference: Reference, bodies: Mapping[str, Passage]) -> Reference:
    body = bodies[passage_key(reference.source, reference.id)]
    return replace(reference, text=Span(*reference.span).of(body.text))


def _reports(state: RunOutput) -> list[SubQueryReport]:
    routes = {route.sub_query: route.sources for route in state["routes"]}
    exits = {
        judgement.sub_query: Exit(judgement.probability, judgement.threshold, judgement.decision)
        for judgement in state.get("judgements", [])
    }
    return [
        SubQueryReport(
            id=query.id,
            text=query.text,
            round=query.round,
            sources=routes.get(query.id, []),
            rationale=query.rationale,
            parent=query.parent,
            exit=exits.get(query.id),
        )
        for query in state["sub_queries"]
    ]


def _rows(state: RunOutput) -> list[Fate]:
    kept = [
        Fate(ref.sub_query, passage_key(ref.source, ref.id), None) for ref in state["references"]
    ]
    cut = [
        Fate(cut.sub_query, key, cut.reason, detail)
        for cut in state.get("cuts", [])
        for key, detail in zip(cut.passages, cut.details, strict=True)
    ]
    return kept + cut


def _usage(state: RunOutput) -> list[Usage]:
    """Sum calls and tokens by model; a model that nobody counted tokens for has `None`."""
    names = dict.fromkeys(record.model for record in state["activity"] if record.model)
    usage = []
    for name in names:
        records = [record for record in state["activity"] if record.model == name]
        usage.append(
            Usage(
                model=name,
                calls=len(records),
                input_tokens=_sum(record.input_tokens for record in records),
                output_tokens=_sum(record.output_tokens for record in records),
            )
        )
    return usage


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _warnings(state: RunOutput) -> Iterable[str]:
    for record in state["activity"]:
        if record.error:
            yield record.error
        if record.warning:
            yield f"{record.step}: {record.warning}"
