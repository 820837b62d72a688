"""The knowledge base as a tool in an agent's loop."""

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from headwater.domain.request import Identity
from headwater.domain.result import Result
from headwater.graph.builder import Models
from headwater.graph.knowledge_base import KnowledgeBase
from headwater.graph.opening import Defaults
from tests.fakes import FakeClassifier, FakeRanker, FakeSource, WordCounter
from tests.graph.worlds import MANUALS, SECRET


class Agent(BaseChatModel):
    """A chat model that calls the tool once and then repeats what it got."""

    question: str

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "Agent":
        assert [tool.name for tool in tools] == ["pump_manuals"]
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            reply = AIMessage(content=f"I read: {last.content}")
        else:
            call = ToolCall(name="pump_manuals", args={"question": self.question}, id="1")
            reply = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=reply)])


def _knowledge_base() -> KnowledgeBase:
    return KnowledgeBase(
        [FakeSource("manuals", MANUALS), FakeSource("hr", [SECRET])],
        Models(FakeRanker(), FakeClassifier(), WordCounter()),
        defaults=Defaults(ranker_threshold=0.5),
    )


async def _loop(question: str, identity: Identity | None = None) -> list[BaseMessage]:
    tool = _knowledge_base().as_tool(
        name="pump_manuals", description="Manuals of pumps.", effort="low", identity=identity
    )
    agent = create_agent(Agent(question=question), [tool])
    state = await agent.ainvoke({"messages": [HumanMessage("Help me.")]})
    messages: list[BaseMessage] = state["messages"]
    return messages


async def test_an_agent_calls_it_and_reads_the_answer_with_its_passages() -> None:
    messages = await _loop("Which seal does the X-200 pump use?")

    reply = str(messages[-1].content)
    assert "S-14" in reply
    assert "[ref_id:1]" in reply
    called = next(message for message in messages if isinstance(message, ToolMessage))
    assert isinstance(called.artifact, Result)
    assert called.artifact.references[0].id == "m1"


async def test_the_identity_is_bound_and_no_argument() -> None:
    tool = _knowledge_base().as_tool(name="pump_manuals", description="Manuals.")
    assert set(tool.args) == {"question"}

    stranger = await _loop("What is the X-200 pump bonus?")
    member = await _loop("What is the X-200 pump bonus?", Identity(groups=["hr"]))
    assert "900 euro" not in repr(stranger)
    assert "900 euro" in repr(member)


async def test_bad_input_reaches_the_agent_as_a_clear_sentence() -> None:
    messages = await _loop("   ")

    assert "The question is empty." in str(messages[-1].content)


def test_it_can_be_called_without_a_loop() -> None:
    tool = _knowledge_base().as_tool(name="pump_manuals", description="Manuals.")

    assert "S-14" in tool.invoke({"question": "Which seal does the X-200 pump use?"})
