"""A result with something in every part, and results that differ from it in one."""

from dataclasses import replace
from typing import Any

from headwater.domain.activity import ActivityRecord
from headwater.domain.fate import Fate
from headwater.domain.result import (
    Exit,
    Fates,
    Gap,
    Reference,
    Result,
    Scores,
    SubQueryReport,
    Usage,
)

RESULT = Result(
    run_id="run-1",
    status="partial",
    effort="medium",
    rounds=2,
    question="Which seal?",
    answer="The seal is S-14 [ref_id:1]. It lasts 4,000 hours [ref_id:1][ref_id:2].",
    gaps=[Gap("q1", "The price was not found.", "not_found")],
    references=[
        Reference(
            ref_id=1,
            source="manuals",
            id="x#1",
            sub_query="q1",
            round=1,
            title="X-200",
            page=3,
            heading=["Parts", "Seals"],
            caption="The seal is S-14.",
            highlights=[[4, 8]],
            scores=Scores(3.5, 4.0),
            text="The seal is S-14.",
        ),
        Reference(
            ref_id=2, source="policies", id="p#1", sub_query="q2", round=2, caption="Every 4,000 h."
        ),
        Reference(
            ref_id=3, source="policies", id="p#2", sub_query="q2", round=2, caption="Not used."
        ),
    ],
    sub_queries=[
        SubQueryReport("q1", "Which seal?", 1, ["manuals"], exit=Exit(0.91, 0.8, "exit")),
        SubQueryReport("q2", "How long?", 1, ["policies"], exit=Exit(0.4, 0.8, "reflect")),
        SubQueryReport(
            "q3", "S-14 hours", 2, ["policies"], "bridge", "q2", Exit(None, 0.8, "reflect")
        ),
    ],
    activity=[
        ActivityRecord(
            step="federate",
            round=1,
            started=0,
            elapsed_ms=12.3,
            sub_query="q1",
            source="manuals",
            count=7,
        ),
        ActivityRecord(
            step="federate",
            round=1,
            started=0,
            elapsed_ms=1,
            sub_query="q1",
            source="web",
            error="it is down",
        ),
        ActivityRecord(
            step="merge", round=1, started=0, elapsed_ms=0.4, count=0, detail="nothing new"
        ),
    ],
    fates=Fates(
        found=7,
        kept=3,
        cut={"ranker_threshold": 3, "access": 1, "duplicate": 0},
        rows=[
            Fate("q1", "manuals:x#1", None),
            Fate("q1", "manuals:x#9", "duplicate", "repeats manuals:x#1"),
        ],
    ),
    usage=[Usage("similarity", 2, None, None)],
    elapsed_ms=1234.5,
    warnings=["plan: the chat model was too slow"],
)


def result(**changes: Any) -> Result:
    return replace(RESULT, **changes)
