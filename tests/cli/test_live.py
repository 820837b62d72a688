from collections.abc import AsyncIterator
from typing import Any

import pytest

from headwater.cli.live import Quiet, Steps, event_line, watched
from headwater.domain.activity import ProgressEvent
from headwater.domain.result import Result
from tests.cli.output import printed
from tests.cli.sample import RESULT


def event(**facts: Any) -> ProgressEvent:
    return ProgressEvent(**{"step": "plan", "kind": "finished", **facts})


EVENTS = [
    event(kind="started"),
    event(count=2, elapsed_ms=5.2, text="two parts"),
    event(step="federate", sub_query="q1", source="manuals", count=7, elapsed_ms=1200.0),
    event(step="answer", kind="token", text="The seal"),
]


async def run(*items: ProgressEvent | Result) -> AsyncIterator[ProgressEvent | Result]:
    for item in items:
        yield item


def watch(screen: Any) -> None:
    with Steps(screen) as steps:
        for happened in EVENTS:
            steps(happened)


def test_where_there_is_no_terminal_only_finished_things_are_lines() -> None:
    assert printed(watch).splitlines() == [
        "plan      2 out · 5 ms · two parts",
        "          q1 → manuals · 7 hits · 1,200 ms",
    ]


def test_on_a_terminal_the_answer_is_seen_as_it_is_written() -> None:
    shown = printed(watch, terminal=True)

    assert "two parts" in shown
    assert "The seal" in shown


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({"round": 2, "count": 1}, "plan      round 2 · 1 out"),
        ({"error": "it is\ndown"}, "plan      error: it is down"),
        ({"step": "classify"}, "classify  "),
    ],
)
def test_a_line_holds_what_is_known_and_nothing_else(facts: dict[str, Any], line: str) -> None:
    assert event_line(event(**facts)).plain == line


async def test_watching_hands_over_each_event_and_gives_the_result() -> None:
    seen: list[ProgressEvent] = []

    assert await watched(run(*EVENTS, RESULT), seen.append) is RESULT
    assert seen == EVENTS


async def test_a_quiet_watcher_still_gives_the_result() -> None:
    with Quiet() as quiet:
        assert await watched(run(*EVENTS, RESULT), quiet) is RESULT


async def test_a_run_without_result_is_a_fault() -> None:
    with pytest.raises(RuntimeError, match="without a result"):
        await watched(run(*EVENTS), print)
