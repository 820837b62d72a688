"""Chat models of any LangChain provider behind the `Chat` port."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..domain.errors import (
    ConfigurationError,
    MissingDependencyError,
    ModelError,
    ModelOutputError,
    ModelUnavailableError,
)
from ..domain.ports import Chat, ChatMessage, ChatReply, Model
from .chat_errors import translated, without_secrets
from .chat_json import Reading, described, read_object, read_value

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel, LanguageModelInput
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables import Runnable

T = TypeVar("T")

_INSTALL = re.compile(r"pip install (?:-U )?[`'\"]?([A-Za-z0-9][\w.-]*\w)")

_REPAIR = "That reply cannot be used: {problem} {wanted}"


class LangChainChat:
    """One chat model. Every call ends within `timeout` seconds, retries are the caller's."""

    def __init__(self, model: "BaseChatModel", *, name: str, timeout: float) -> None:
        self._model = model
        self._name = name
        self._timeout = timeout

    @property
    def name(self) -> str:
        return self._name

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        on_token: Callable[[str], None] | None = None,
    ) -> ChatReply:
        given = _converted(messages)
        if on_token is None:
            return _reply([await self._bounded(self._model.ainvoke(given))])
        return await self._bounded(self._streamed(given, on_token))

    async def structured(
        self, messages: Sequence[ChatMessage], schema: type[Model]
    ) -> tuple[Model, ChatReply]:
        """Ask for a tool call; read its arguments, or an object in the text; repair once."""
        given = _converted(messages)
        first = await self._first(given, schema)
        reading = _read(first, schema)
        if reading.value is not None:
            return reading.value, _reply([first])
        from langchain_core.messages import AIMessage, HumanMessage

        wrong = AIMessage(str(first.text) or str(first.tool_calls) or "(empty)")
        asked = HumanMessage(_REPAIR.format(problem=reading.problem, wanted=described(schema)))
        second = await self._bounded(self._model.ainvoke([*given, wrong, asked]))
        reading = _read(second, schema)
        if reading.value is None:
            raise ModelOutputError(
                self._name, f"no valid {schema.__name__}, also after one repair: {reading.problem}"
            )
        return reading.value, _reply([first, second])

    async def _first(self, given: "list[BaseMessage]", schema: type[Model]) -> "AIMessage":
        """Ask with a tool; where the model knows none, or refuses it, with a described object."""
        from langchain_core.messages import HumanMessage

        tool = self._tool(schema)
        if tool is not None:
            try:
                return await self._bounded(tool.ainvoke(given))
            except ModelUnavailableError:
                raise
            except ModelError:
                pass  # a server without tools refuses the whole call; without one it may answer
        return await self._bounded(self._model.ainvoke([*given, HumanMessage(described(schema))]))

    def _tool(self, schema: type[Model]) -> "Runnable[LanguageModelInput, AIMessage] | None":
        try:
            return self._model.bind_tools([schema], tool_choice=schema.__name__)
        except (NotImplementedError, TypeError, ValueError):  # how a model says it has no tools
            return None

    async def _streamed(
        self, given: "list[BaseMessage]", on_token: Callable[[str], None]
    ) -> ChatReply:
        whole = None
        async for piece in self._model.astream(given):
            if piece.text:
                on_token(str(piece.text))
            whole = piece if whole is None else whole + piece
        return _reply([whole] if whole is not None else [])

    async def _bounded(self, call: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._timeout) as deadline:
                return await call
        except Exception as error:  # noqa: BLE001 - each vendor has its own tree of exceptions
            if isinstance(error, TimeoutError) and deadline.expired():
                late = f"no reply within {self._timeout:g} s."
                raise ModelUnavailableError(self._name, late) from None
            # The vendor's error is not chained: its text may hold the key.
            raise translated(error, self._name, self._model) from None


def open_chat(model: "str | BaseChatModel", *, timeout: float = 60.0) -> Chat:
    """Open a chat model by its `init_chat_model` name, such as `openai:gpt-4.1-mini`, or as it is.

    `timeout` is in seconds, for each call.

    Raises:
        MissingDependencyError: LangChain, or the provider's package, is not installed.
        ConfigurationError: no such provider, or its key is missing.
    """
    if timeout <= 0:
        raise ConfigurationError(f"The chat timeout {timeout!r} is not a positive number.")
    if isinstance(model, str):
        return LangChainChat(_named(model, timeout), name=model, timeout=timeout)
    return LangChainChat(model, name=_name_of(model), timeout=timeout)


def _named(name: str, timeout: float) -> "BaseChatModel":
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as error:
        raise MissingDependencyError("langchain", extra="chat") from error
    try:
        return init_chat_model(name, timeout=timeout, max_retries=0)
    except ImportError as error:
        raise _provider_missing(name, error) from error
    except Exception as error:  # noqa: BLE001 - each vendor says "no key" in its own way
        raise ConfigurationError(
            f"The chat model {name!r} cannot be opened: {without_secrets(str(error))[:300]}",
            fix="Use a name such as 'openai:gpt-4.1-mini' and set the provider's key.",
        ) from None


def _provider_missing(name: str, error: ImportError) -> ConfigurationError:
    """Name the provider's package as LangChain's own text does; no extra of ours brings it."""
    told = _INSTALL.search(str(error))
    package = told[1] if told else str(error.name or "").replace("_", "-")
    if not package:
        return ConfigurationError(f"The chat model {name!r} cannot be opened: {error}")
    return MissingDependencyError(package)


def _name_of(model: "BaseChatModel") -> str:
    for attribute in ("model_name", "model", "model_id"):
        value = getattr(model, attribute, None)
        if isinstance(value, str) and value:
            return value
    return type(model).__name__


def _converted(messages: Sequence[ChatMessage]) -> "list[BaseMessage]":
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    kinds = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return [kinds[message.role](content=message.content) for message in messages]


def _read(message: "AIMessage", schema: type[Model]) -> Reading[Model]:
    """Read the arguments of the first tool call; without one, an object in the text."""
    if not message.tool_calls:
        return read_object(str(message.text), schema)
    return read_value(message.tool_calls[0]["args"], schema)


def _reply(messages: "Sequence[AIMessage]") -> ChatReply:
    """Give the last message's text with the tokens of all; unknown ones stay unknown."""
    usages = [message.usage_metadata for message in messages]
    known = [usage for usage in usages if usage]
    complete = bool(messages) and len(known) == len(messages)
    last = messages[-1] if messages else None
    text = str(last.text) if last else ""
    return ChatReply(
        text or (str(last.tool_calls[0]["args"]) if last and last.tool_calls else ""),
        sum(usage["input_tokens"] for usage in known) if complete else None,
        sum(usage["output_tokens"] for usage in known) if complete else None,
    )
