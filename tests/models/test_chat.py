import os
import subprocess
import sys
from typing import Any

import pytest
from pydantic import BaseModel, Field

from headwater.domain.errors import (
    ConfigurationError,
    ModelError,
    ModelOutputError,
    ModelUnavailableError,
)
from headwater.domain.ports import ChatMessage
from headwater.models.chat import open_chat
from tests.models.scripted_chat import (
    ScriptedModel,
    ScriptedModelWithTools,
    StreamingModel,
    called,
    said,
)


class Plan(BaseModel):
    parts: list[str]
    count: int = Field(ge=1)


ASK = [ChatMessage("system", "Be brief."), ChatMessage("user", "Split: a and b")]
GOOD = '{"parts": ["a", "b"], "count": 2}'


class VendorError(Exception):
    def __init__(self, text: str, status_code: int | None = None) -> None:
        super().__init__(text)
        self.status_code = status_code


class APIConnectionError(Exception):
    pass


async def test_gives_the_reply_with_its_tokens() -> None:
    model = ScriptedModel(script=[said("Two parts.")])

    reply = await open_chat(model).complete(ASK)

    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("Two parts.", 7, 3)
    assert [m.type for m in model.seen[0]] == ["system", "human"]


async def test_hands_on_the_pieces_as_they_come() -> None:
    pieces: list[str] = []

    reply = await open_chat(StreamingModel(script=[said("one two")])).complete(
        ASK, on_token=pieces.append
    )

    assert pieces == ["one ", "two "]
    assert (reply.text, reply.output_tokens) == ("one two ", 3)


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"Here you are:\n```json\n{GOOD}\n```\nAnything else?",
        f"I thought {{hard}} about it. {GOOD}",
        f'{{"parts": 3}} is wrong, so: {GOOD}',
    ],
)
async def test_reads_the_object_of_a_model_without_tools(reply: str) -> None:
    plan, raw = await open_chat(ScriptedModel(script=[said(reply)])).structured(ASK, Plan)

    assert plan == Plan(parts=["a", "b"], count=2)
    assert raw.text == reply


async def test_reads_the_arguments_of_a_tool_call() -> None:
    model = ScriptedModelWithTools(script=[called("Plan", parts=["a"], count=1)])

    plan, raw = await open_chat(model).structured(ASK, Plan)

    assert plan == Plan(parts=["a"], count=1)
    assert raw.input_tokens == 7


async def test_reads_prose_of_a_model_that_ignores_the_tool() -> None:
    plan, _ = await open_chat(ScriptedModelWithTools(script=[said(GOOD)])).structured(ASK, Plan)

    assert plan.count == 2


async def test_asks_in_words_when_the_server_refuses_tools() -> None:
    model = ScriptedModelWithTools(script=[VendorError("no tools here", 400), said(GOOD)])

    plan, _ = await open_chat(model).structured(ASK, Plan)

    assert plan.count == 2
    assert "JSON schema" in str(model.seen[-1][-1].content)


async def test_repairs_once_and_says_what_was_wrong() -> None:
    model = ScriptedModel(script=[said('{"parts": ["a"], "count": 0}'), said(GOOD)])

    plan, raw = await open_chat(model).structured(ASK, Plan)

    assert plan.count == 2
    assert "count: Input should be greater than or equal to 1" in str(model.seen[1][-1].content)
    assert raw.input_tokens == 14


async def test_gives_up_after_one_repair() -> None:
    model = ScriptedModel(script=[said("No."), said("Never.")])

    with pytest.raises(ModelOutputError, match="no JSON object"):
        await open_chat(model).structured(ASK, Plan)
    assert len(model.seen) == 2


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (VendorError("slow down", 429), ModelUnavailableError),
        (VendorError("oops", 503), ModelUnavailableError),
        (APIConnectionError("gone"), ModelUnavailableError),
        (TimeoutError(), ModelUnavailableError),
        (VendorError("no such model", 404), ModelError),
        (VendorError("bad key", 401), ModelError),
    ],
)
async def test_tells_errors_that_may_pass_from_those_that_stay(
    error: Exception, expected: type[ModelError]
) -> None:
    with pytest.raises(ModelError) as caught:
        await open_chat(ScriptedModel(script=[error])).complete(ASK)
    assert type(caught.value) is expected


async def test_does_not_wait_longer_than_the_timeout() -> None:
    with pytest.raises(ModelUnavailableError, match=r"within 0\.05 s"):
        await open_chat(ScriptedModel(script=[5.0]), timeout=0.05).complete(ASK)


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abcdef1234567890.",
        "header Authorization: Bearer abcdef1234567890",
        "https://host/v1?key=abcdef1234567890&x=1",
        'api_key="abcdef1234567890"',
        "the value abcdef1234567890 is not valid",
    ],
)
async def test_never_shows_a_key(text: str) -> None:
    model: Any = ScriptedModel(script=[VendorError(text, 401)], api_key="abcdef1234567890")

    with pytest.raises(ModelError) as caught:
        await open_chat(model).complete(ASK)
    assert "abcdef1234567890" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_key_from_the_environment_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from headwater.models.chat_errors import without_secrets

    monkeypatch.setenv("SOME_API_KEY", "plainword77")

    assert without_secrets("it was plainword77.") == "it was ***."


@pytest.mark.parametrize("name", ["nobody:model", "openai:gpt-4.1-mini"])
def test_a_model_that_cannot_be_opened_says_why(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    with pytest.raises(ConfigurationError, match=name):
        open_chat(name)


def test_refuses_a_timeout_that_is_none() -> None:
    with pytest.raises(ConfigurationError, match="timeout"):
        open_chat(ScriptedModel(), timeout=0)


def test_calls_a_model_by_its_own_name() -> None:
    assert open_chat(ScriptedModel()).name == "ScriptedModel"


def test_without_langchain_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['langchain'] = None\n"
        "from headwater.models.chat import open_chat\n"
        "open_chat('openai:x')"
    )

    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert "pip install 'headwater[chat]'" in shown.stderr.splitlines()[-1]


def test_without_the_package_of_a_provider_that_package_is_named() -> None:
    code = (
        "import sys; sys.modules['langchain_anthropic'] = None\n"
        "from headwater.models.chat import open_chat\n"
        "open_chat('anthropic:x')"
    )

    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert shown.stderr.splitlines()[-1].endswith("pip install langchain-anthropic")


@pytest.mark.integration
@pytest.mark.skipif(
    "HEADWATER_TEST_CHAT" not in os.environ, reason="HEADWATER_TEST_CHAT is not set"
)
async def test_a_real_server_answers_streams_and_fills_a_form() -> None:
    chat = open_chat(os.environ["HEADWATER_TEST_CHAT"], timeout=120)
    pieces: list[str] = []

    reply = await chat.complete([ChatMessage("user", "Say hello.")], on_token=pieces.append)
    plan, _ = await chat.structured(
        [ChatMessage("user", "List two fruits as parts, and count them.")], Plan
    )

    assert reply.text
    assert "".join(pieces) == reply.text
    assert plan.parts
