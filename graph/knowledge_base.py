"""A knowledge base: sources and models behind one question."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from ..domain.activity import ProgressEvent
from ..domain.errors import InvalidRequestError
from ..domain.ports import Source
from ..domain.request import Effort, Identity, Overrides, Turn
from ..domain.result import Result
from ..domain.state import RunInput, RunOutput
from ..sources.files import FilesSource
from ..sources.ingest import IngestProgress, IngestReport
from .blocking import wait_for
from .build import Models, build
from .config import KnowledgeBaseFile
from .config_file import read
from .opening import Defaults
from .passages import RunPassages
from .policies import Policy
from .results import result_of
from .system import System
from .wiring import defaults_of, open_models, open_source, policy_of

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import BaseTool
    from langgraph.graph.state import CompiledStateGraph


class KnowledgeBase:
    """Sources and models, wired into one compiled graph.

    One instance serves concurrent calls. Close it when done: `async with`, or `close`.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        models: Models,
        *,
        defaults: Defaults | None = None,
        policy: Policy | None = None,
        system: System | None = None,
        config: KnowledgeBaseFile | None = None,
    ) -> None:
        """Take over `sources`: `close` closes them. Raises ConfigurationError."""
        self.sources = list(sources)
        self.models = models
        self.config = config
        self._passages = RunPassages(self.sources)
        self._builder = build(
            sources=self.sources,
            models=models,
            defaults=defaults,
            policy=policy,
            system=system,
            passages=self._passages,
        )

    @classmethod
    def open(
        cls, file: str | Path, *, chat: "BaseChatModel | None" = None, system: System | None = None
    ) -> Self:
        """Open the knowledge base that a TOML file describes.

        `chat` is a LangChain chat model to use in place of the one that the file names. Models
        load at first use.

        Raises:
            ConfigurationError: the file is wrong; names place and fix.
            IndexStoreError: an index cannot be used.
        """
        path = Path(file)
        return cls.from_config(read(path), folder=path.parent, chat=chat, system=system)

    @classmethod
    def from_config(
        cls,
        config: KnowledgeBaseFile,
        *,
        folder: Path,
        chat: "BaseChatModel | None" = None,
        system: System | None = None,
    ) -> Self:
        """Open a knowledge base from a validated configuration; paths are relative to `folder`.

        Raises the same errors as `open`.
        """
        models, thresholds = open_models(config.models, chat)
        sources = [open_source(section, config, folder, models) for section in config.sources]
        return cls(
            sources,
            models,
            defaults=defaults_of(config, thresholds),
            policy=policy_of(config),
            system=system,
            config=config,
        )

    @cached_property
    def graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The compiled graph: stream it, checkpoint it, embed it as a node."""
        return self._builder.compile(name="headwater")

    async def retrieve(
        self,
        question: str,
        *,
        effort: Effort | None = None,
        history: Sequence[Turn] = (),
        identity: Identity | None = None,
        overrides: Overrides | None = None,
        explain: bool = False,
    ) -> Result:
        """Ask the knowledge base.

        `identity` says who asks; without it no protected passage is found. `explain` adds the
        fate of every candidate to the result.

        Raises:
            InvalidRequestError: the question or a setting is wrong; nothing was run.
        """
        given = _input(question, effort, history, identity, overrides)
        output = await self.graph.ainvoke(given)
        return await self._finish(output, explain)

    def retrieve_sync(
        self,
        question: str,
        *,
        effort: Effort | None = None,
        history: Sequence[Turn] = (),
        identity: Identity | None = None,
        overrides: Overrides | None = None,
        explain: bool = False,
    ) -> Result:
        """Ask from synchronous code, inside or outside of a running loop; see `retrieve`."""
        return wait_for(
            self.retrieve(
                question,
                effort=effort,
                history=history,
                identity=identity,
                overrides=overrides,
                explain=explain,
            )
        )

    async def stream(
        self,
        question: str,
        *,
        effort: Effort | None = None,
        history: Sequence[Turn] = (),
        identity: Identity | None = None,
        overrides: Overrides | None = None,
        explain: bool = False,
    ) -> AsyncIterator[ProgressEvent | Result]:
        """Ask, and give events as they happen; the last item is the result. See `retrieve`."""
        given = _input(question, effort, history, identity, overrides)
        output: Mapping[str, Any] = {}
        async for mode, item in self.graph.astream(given, stream_mode=["custom", "values"]):
            if mode == "custom":
                yield ProgressEvent(**cast("dict[str, Any]", item))
            else:
                output = cast("dict[str, Any]", item)
        yield await self._finish(output, explain)

    async def ingest(
        self,
        source: str | None = None,
        *,
        rebuild: bool = False,
        on_progress: Callable[[str, IngestProgress], None] | None = None,
    ) -> dict[str, IngestReport]:
        """Bring the indexes of all file sources, or of one, up to date; unchanged files are free.

        `on_progress` is called with the source's name from a worker thread.

        Raises:
            InvalidRequestError: there is no file source of that name.
            IndexStoreError: an index is locked, damaged or of another version.
        """
        chosen = {s.name: s for s in self.sources if isinstance(s, FilesSource)}
        if source is not None and source not in chosen:
            raise InvalidRequestError(
                f"There is no file source {source!r}.", fix=f"Known are: {', '.join(chosen)}."
            )
        reports: dict[str, IngestReport] = {}
        for name, files in chosen.items():
            if source in (None, name):
                tell = _telling(name, on_progress)
                reports[name] = await files.ingest(on_progress=tell, rebuild=rebuild)
        return reports

    def as_tool(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        effort: Effort | None = None,
        identity: Identity | None = None,
    ) -> "BaseTool":
        """Give a LangChain tool that takes a question; the result is its artifact.

        Identity is bound here, not an argument: a model must not choose who it acts for.
        """
        from .tool import knowledge_tool

        title = self.config.name if self.config else "knowledge_base"
        about = self.config.description if self.config else ""
        return knowledge_tool(
            self,
            name=name or title,
            description=description or about,
            effort=effort,
            identity=identity,
        )

    async def close(self) -> None:
        """Close all sources; a second call does nothing."""
        for source in self.sources:
            await source.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _finish(self, output: Mapping[str, Any], explain: bool) -> Result:
        state = cast("RunOutput", output)
        try:
            return await result_of(state, self._passages, explain=explain)
        finally:
            self._passages.drop(state["run"])


def _input(
    question: str,
    effort: Effort | None,
    history: Sequence[Turn],
    identity: Identity | None,
    overrides: Overrides | None,
) -> RunInput:
    given: RunInput = {"question": question, "history": list(history)}
    if effort is not None:
        given["effort"] = effort
    if identity is not None:
        given["identity"] = identity
    if overrides is not None:
        given["overrides"] = overrides
    return given


def _telling(
    name: str, on_progress: Callable[[str, IngestProgress], None] | None
) -> Callable[[IngestProgress], None] | None:
    return None if on_progress is None else lambda progress: on_progress(name, progress)
