"""Progress: hand what steps report to whoever streams the graph."""

from dataclasses import fields

from langgraph.config import get_stream_writer

from ..domain.activity import ProgressEvent

_FIELDS = tuple(field.name for field in fields(ProgressEvent))


def stream_progress(event: ProgressEvent) -> None:
    """Write the event to LangGraph's `custom` stream, as a plain dict.

    Outside of a run, as when a step is called by hand, nobody listens and nothing happens.
    """
    try:
        writer = get_stream_writer()
    except RuntimeError:
        return
    writer({name: getattr(event, name) for name in _FIELDS})
