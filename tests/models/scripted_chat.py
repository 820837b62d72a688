"""Chat models that play a script, as LangChain sees them."""
# ruff: noqa: ARG002 - the signatures are LangChain's

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field, SecretStr

USAGE = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}


def said(text: str, **more: Any) -> AIMessage:
    return AIMessage(text, usage_metadata=USAGE, **more)


def called(name: str, **args: Any) -> AIMessage:
    return said("", tool_calls=[{"name": name, "args": args, "id": "1"}])


class ScriptedModel(BaseChatModel):
    """Replies entry by entry; an exception is raised, a number waits so many seconds."""

    script: list[Any] = Field(default_factory=list)
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    api_key: SecretStr = SecretStr("")

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("only asynchronous calls are made")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=await self._next(messages))])

    async def _next(self, messages: list[BaseMessage]) -> AIMessage:
        self.seen.append(messages)
        entry = self.script[len(self.seen) - 1]
        if isinstance(entry, float):
            await asyncio.sleep(entry)
            return said("late")
        if isinstance(entry, Exception):
            raise entry
        assert isinstance(entry, AIMessage)
        return entry


class ScriptedModelWithTools(ScriptedModel):
    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[tool.__name__ for tool in tools], **kwargs)


class StreamingModel(ScriptedModel):
    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        reply = await self._next(messages)
        for word in str(reply.text).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(content=f"{word} "))
        last = AIMessageChunk(content="", usage_metadata=USAGE, chunk_position="last")
        yield ChatGenerationChunk(message=last)
