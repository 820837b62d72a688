"""Deadlines and retries around the ports."""

import asyncio

import pytest

from headwater.domain.errors import (
    ModelOutputError,
    ModelUnavailableError,
    SourceRejectedError,
    SourceUnavailableError,
)
from headwater.domain.ports import ChatMessage, JudgeTask, RankTask
from headwater.graph.policies import (
    PatientChat,
    PatientClassifier,
    PatientRanker,
    PatientSource,
    Policy,
    attempt,
)
from tests.fakes import FakeChat, FakeClassifier, FakeRanker, FakeSource, passage

SHORT = Policy(
    source_seconds=0.03,
    chat_seconds=0.03,
    ranker_seconds=0.03,
    classifier_seconds=0.03,
    pause_seconds=0.001,
)
ASK = [ChatMessage("user", "q")]


class Flaky:
    """Fails as often as it is told to, then works."""

    def __init__(self, error: Exception, failures: int) -> None:
        self.error, self.failures, self.calls = error, failures, 0

    async def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error
        return "done"


@pytest.mark.parametrize("failures", [0, 1, 2])
async def test_a_retryable_error_is_tried_again(failures: int) -> None:
    flaky = Flaky(SourceUnavailableError("s", "down."), failures)

    assert await attempt(flaky, attempts=3, pause_seconds=0) == "done"
    assert flaky.calls == failures + 1


async def test_attempts_are_bounded_and_the_last_error_comes_out() -> None:
    flaky = Flaky(SourceUnavailableError("s", "down."), 9)

    with pytest.raises(SourceUnavailableError):
        await attempt(flaky, attempts=3, pause_seconds=0)
    assert flaky.calls == 3


@pytest.mark.parametrize("error", [SourceRejectedError("s", "no."), ZeroDivisionError("bug")])
async def test_what_cannot_work_is_not_tried_again(error: Exception) -> None:
    flaky = Flaky(error, 9)

    with pytest.raises(type(error)):
        await attempt(flaky, attempts=3, pause_seconds=0)
    assert flaky.calls == 1


async def test_a_late_source_is_cancelled_and_says_how_long_it_had() -> None:
    source = PatientSource(FakeSource("slow", delay=60), SHORT)

    with pytest.raises(SourceUnavailableError, match=r"'slow': no answer within 0\.03 seconds"):
        await source.search("q", top=1, principals=frozenset())


async def test_one_source_may_have_more_time_than_the_others() -> None:
    policy = Policy(source_seconds=0.01, seconds_by_source={"slow": 5.0})
    source = PatientSource(FakeSource("slow", delay=0.05), policy)

    assert (await source.search("q", top=1, principals=frozenset())).hits == []


async def test_a_timeout_inside_the_source_is_not_taken_for_ours() -> None:
    source = PatientSource(FakeSource("s", error=TimeoutError("of its own")), Policy())

    with pytest.raises(TimeoutError, match="of its own"):
        await source.search("q", top=1, principals=frozenset())


async def test_a_cancelled_run_is_not_mistaken_for_a_late_source() -> None:
    source = PatientSource(FakeSource("s", delay=60), Policy())
    task = asyncio.ensure_future(source.search("q", top=1, principals=frozenset()))
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_patient_source_is_the_source_in_everything_else() -> None:
    inner = FakeSource("s", description="about", kind="files", remote=True)
    source = PatientSource(inner, Policy())

    assert (source.name, source.description) == ("s", "about")
    assert (source.kind, source.remote) == ("files", True)
    assert await source.profile() == await inner.profile()
    await source.close()
    assert inner.closed


async def test_a_late_chat_model_is_unavailable() -> None:
    chat = PatientChat(FakeChat(["late"], delay=60), SHORT)

    with pytest.raises(ModelUnavailableError, match=r"no reply within 0\.03 seconds"):
        await chat.complete(ASK)


async def test_a_reply_that_was_streamed_in_part_is_not_asked_for_again() -> None:
    inner = FakeChat([ModelUnavailableError("m", "cut off."), "second"])

    with pytest.raises(ModelUnavailableError):
        await PatientChat(inner, SHORT).complete(ASK, on_token=lambda _: None)
    assert (await PatientChat(inner, SHORT).complete(ASK)).text == "second"


async def test_a_reply_in_the_wrong_form_is_not_asked_for_again() -> None:
    inner = FakeChat([ModelOutputError("m", "prose.")])

    with pytest.raises(ModelOutputError):
        await PatientChat(inner, SHORT).complete(ASK)
    assert len(inner.seen) == 1


async def test_a_late_ranker_is_unavailable() -> None:
    with pytest.raises(ModelUnavailableError, match=r"no scores within 0\.03 seconds"):
        await PatientRanker(FakeRanker(delay=60), SHORT).score([RankTask("q", [])])


async def test_a_late_classifier_is_unavailable() -> None:
    classifier = PatientClassifier(FakeClassifier(delay=60), SHORT)

    assert (classifier.name, classifier.device) == ("overlap", "cpu")
    with pytest.raises(ModelUnavailableError, match=r"no verdicts within 0\.03 seconds"):
        await classifier.judge([JudgeTask("q", [], [], [])])


async def test_a_look_up_by_id_has_the_same_deadline_as_a_search() -> None:
    inner = FakeSource("s", [passage("s:1", "one"), passage("s:2", "two")])
    source = PatientSource(inner, SHORT)

    assert await source.get(["2"], principals=frozenset()) == inner.passages[1:]
