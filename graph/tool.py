"""The knowledge base as a tool for any LangChain agent."""

from typing import TYPE_CHECKING

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from ..domain.errors import HeadwaterError
from ..domain.request import Effort, Identity
from ..domain.result import Result

if TYPE_CHECKING:
    from .knowledge_base import KnowledgeBase


class ToolInput(BaseModel):
    """What an agent gives to the tool."""

    question: str = Field(description="One question, complete in itself, in any language.")


def knowledge_tool(
    knowledge_base: "KnowledgeBase",
    *,
    name: str,
    description: str,
    effort: Effort | None,
    identity: Identity | None,
) -> BaseTool:
    """Build the tool. Its content is text for a model, its artifact the whole `Result`."""

    async def ask(question: str) -> tuple[str, Result | None]:
        try:
            result = await knowledge_base.retrieve(question, effort=effort, identity=identity)
        except HeadwaterError as exc:
            return f"The knowledge base could not be asked: {exc}", None
        return as_text(result), result

    def ask_blocking(question: str) -> tuple[str, Result | None]:
        from .blocking import wait_for

        return wait_for(ask(question))

    return StructuredTool.from_function(
        func=ask_blocking,
        coroutine=ask,
        name=name.replace("-", "_").replace(".", "_"),
        description=description or "Answers questions from the knowledge base, with references.",
        args_schema=ToolInput,
        response_format="content_and_artifact",
    )


def as_text(result: Result) -> str:
    """Write a result for a model to read: answer, gaps, then the passages that were kept."""
    parts = [result.answer or "No answer was composed; the passages below were found."]
    if not result.references:
        parts = ["Nothing was found."]
    parts += [f"Not covered: {gap.text}" for gap in result.gaps]
    parts += [
        f"[ref_id:{ref.ref_id}] {ref.title} ({ref.source})\n{ref.text}" for ref in result.references
    ]
    return "\n\n".join(parts)
