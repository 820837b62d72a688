"""The status of a run, from what its steps recorded."""

from collections.abc import Sequence

from .activity import ActivityRecord
from .result import Status


def status_of(activity: Sequence[ActivityRecord]) -> Status:
    """Give `failed` where every source that was asked failed, `partial` where anything did.

    A record with a warning alone does not count: the step did its work in another way.
    """
    asked = [record.error for record in activity if record.step == "federate"]
    if asked and all(asked):
        return "failed"
    return "partial" if any(record.error for record in activity) else "ok"
