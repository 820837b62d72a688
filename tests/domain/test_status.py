from headwater.domain.activity import ActivityRecord, Step
from headwater.domain.status import status_of


def record(step: Step, *, error: str | None = None, warning: str | None = None) -> ActivityRecord:
    return ActivityRecord(
        step=step, round=1, started=0.0, elapsed_ms=1.0, error=error, warning=warning
    )


def test_a_run_without_errors_is_ok_even_with_warnings() -> None:
    assert status_of([record("plan", warning="used the rules"), record("federate")]) == "ok"


def test_a_run_that_asked_nothing_is_ok() -> None:
    assert status_of([]) == "ok"


def test_one_failed_source_of_two_makes_the_run_partial() -> None:
    assert status_of([record("federate", error="down"), record("federate")]) == "partial"


def test_a_failed_model_makes_the_run_partial() -> None:
    assert status_of([record("federate"), record("plan", error="timeout")]) == "partial"


def test_a_run_whose_sources_all_failed_has_failed() -> None:
    activity = [record("plan"), *[record("federate", error="down")] * 2]

    assert status_of(activity) == "failed"
