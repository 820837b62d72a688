import copy
import pickle

import pytest

from headwater.domain import errors
from headwater.domain.errors import (
    BlockingCallError,
    ConfigurationError,
    FileRejectedError,
    HeadwaterError,
    IndexDamagedError,
    IndexLockedError,
    IndexVersionError,
    InvalidRequestError,
    LimitExceededError,
    MissingDependencyError,
    ModelOutputError,
    ModelUnavailableError,
    PassageLostError,
    ScoreRangeError,
    SourceRejectedError,
    SourceUnavailableError,
)

EVERY = [
    HeadwaterError("It broke.", fix="Mend it."),
    ConfigurationError("Unknown key 'efort'.", fix="Did you mean 'effort'?"),
    MissingDependencyError("langchain", extra="chat"),
    InvalidRequestError("The question is empty."),
    BlockingCallError(),
    ScoreRangeError(7.0, low=0.0, high=4.0),
    PassageLostError(["a:1", "a:2"]),
    SourceUnavailableError("web", "no answer within 10 s.", fix="Try again."),
    SourceRejectedError("web", "the key is wrong."),
    ModelUnavailableError("gpt", "timeout."),
    ModelOutputError("gpt", "prose instead of JSON."),
    IndexLockedError("/index", "another process writes."),
    IndexVersionError("/index", "made by version 1."),
    IndexDamagedError("/index", "3 vectors for 4 passages."),
    FileRejectedError("a.pdf", "it is encrypted."),
    LimitExceededError("a.zip", limit="max_bytes", allowed=1_000, used=20_000),
]


@pytest.mark.parametrize("error", EVERY, ids=lambda e: type(e).__name__)
def test_every_error_crosses_to_another_process_whole(error: HeadwaterError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


@pytest.mark.parametrize("error", EVERY, ids=lambda e: type(e).__name__)
def test_every_error_is_ours_and_says_what_happened_in_one_line(error: HeadwaterError) -> None:
    assert isinstance(error, HeadwaterError)
    assert str(error) == f"{error.message} {error.fix}".strip()
    assert "\n" not in str(error)


def test_only_errors_that_may_pass_are_retried() -> None:
    retried = {type(error).__name__ for error in EVERY if error.retryable}

    assert retried == {"SourceUnavailableError", "ModelUnavailableError", "IndexLockedError"}


def test_a_message_with_line_breaks_becomes_one_line() -> None:
    error = SourceRejectedError("web", "HTTP 400:\nbad filter")

    assert str(error) == "Source 'web': HTTP 400: bad filter"
    assert error.cause == "HTTP 400:\nbad filter"


def test_messages_name_the_facts_and_the_remedy() -> None:
    assert "pip install 'headwater[chat]'" in str(MissingDependencyError("langchain", extra="chat"))
    assert str(ScoreRangeError(7.0, low=0.0, high=4.0)) == "The score 7.0 is not in [0.0, 4.0]."
    assert "2 passage(s)" in str(PassageLostError(["a:1", "a:2"]))
    limit = LimitExceededError("a.zip", limit="max_bytes", allowed=1_000, used=20_000)
    assert "max_bytes is 20,000, allowed are 1,000. Raise `max_bytes`" in str(limit)


def test_the_tree_in_the_documentation_is_the_tree_in_the_code() -> None:
    tree = errors.__doc__ or ""
    names = {word for line in tree.splitlines() for word in line.split() if word.endswith("Error")}
    classes = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, HeadwaterError)
    }

    assert names == classes
