"""What steps report, as whoever streams the graph gets it."""

from dataclasses import asdict

from headwater.domain.activity import ProgressEvent
from headwater.graph.progress import stream_progress
from tests.graph.worlds import World


async def test_events_come_as_plain_dicts_that_make_the_event_again() -> None:
    request = {"question": "Which seal does the X-200 pump use?", "effort": "minimal"}
    streamed = [e async for e in World().compiled().astream(request, stream_mode="custom")]

    events = [ProgressEvent(**event) for event in streamed]
    assert [asdict(event) for event in events] == streamed
    starts = [event.step for event in events if event.kind == "started"]
    assert starts == ["federate", "rank", "merge"]
    searched = {event.source: event.count for event in events if event.source}
    assert searched == {"manuals": 3, "notes": 1}


def test_outside_of_a_run_an_event_goes_nowhere() -> None:
    stream_progress(ProgressEvent(step="plan", kind="started"))
