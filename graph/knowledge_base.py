"""A knowledge base: sources and models behind one question."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

from typing_extensions import TypedDict

from ..domain.activity import ProgressEvent
from ..domain.errors import InvalidRequestError
from ..domain.ports import Source
from ..domain.request import Effort, Identity, Overrides, Turn
from ..domain.result import Result
from ..domain.state import RunInput, RunOutput
from ..sources.files import FilesSource
from ..sources.ingest import IngestProgress, IngestReport
from .blocking import wait_for
from .builder import Models, build
from .config import KnowledgeBaseFile
from .config_file import read
from .opening import Defaults
from .passages import RunPassages
from .policies import PatientSource, Policy
from .results import result_of
from .system import System
from .wiring import defaults_of, open_models, open_source, policy_of

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import BaseTool
    from langgraph.graph.state import CompiledStateGraph


class Asking(TypedDict, total=False):
    """What a caller may say besides the question; all of it is optional."""

    effort: Effort | None
    """Reasoning effort; by default that of the knowledge base."""
    history: Sequence[Turn]
    """Earlier turns of the conversation, oldest first."""
    identity: Identity | None
    """Who asks; without it no protected passage is found."""
    overrides: Overrides | None
    """Settings of this run alone."""
    explain: bool
    """Add the fate of every candidate to the result."""


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
        policy = policy or Policy()
        self.passages = RunPassages([PatientSource(source, policy) for source in self.sources])
        """Bodies of the passages of runs; who streams `graph` drops those of a run that ended."""
        self._builder = build(
            sources=self.sources,
            models=models,
            defaults=defaults,
            policy=policy,
            system=system,
            passages=self.passages,
        )

    @classmethod
    def open(
        cls, file: str | Path, *, chat: "BaseChatModel | None" = None, system: System | None = None
    ) -> Self:
        """Open the knowledge base that a TOML file describes.

        `chat` is a LangChain chat model to use in place of the one that the file names. Models
        are loaded here; the first use of one from a hub downloads it.

        Raises:
            ConfigurationError: the file is wrong; names place and fix.
            ModelError: a model cannot be loaded.
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

    async def retrieve(self, question: str, **asking: Unpack[Asking]) -> Result:
        """Ask the knowledge base; `Asking` lists what may be said besides the question.

        Raises:
            InvalidRequestError: the question or a setting is wrong; nothing was run.
            PassageLostError: a source lost passages while the run lasted.
        """
        output = await self.graph.ainvoke(_input(question, asking))
        return await self._finish(output, asking)

    def retrieve_sync(self, question: str, **asking: Unpack[Asking]) -> Result:
        """Ask from synchronous code, inside or outside of a running loop; see `retrieve`.

        Raises:
            BlockingCallError: the call comes from inside a synchronous run.
        """
        return wait_for(self.retrieve(question, **asking))

    async def stream(
        self, question: str, **asking: Unpack[Asking]
    ) -> AsyncGenerator[ProgressEvent | Result, None]:
        """Ask, and give events as they happen; the last item is the result. See `retrieve`.

        Who stops reading before the end closes the generator, which cancels the run.
        """
        output: Mapping[str, Any] = {}
        given = _input(question, asking)
        run = self.graph.astream(given, stream_mode=["custom", "values"])
        async with aclosing(cast("AsyncGenerator[tuple[str, Any], None]", run)) as items:
            async for mode, item in items:
                if mode == "custom":
                    yield ProgressEvent(**item)
                else:
                    output = item
        yield await self._finish(output, asking)

    async def ingest(
        self,
        source: str | None = None,
        *,
        rebuild: bool = False,
        on_progress: Callable[[str, IngestProgress], None] | None = None,
    ) -> dict[str, IngestReport]:
        """Bring the indexes of all file sources, or of one, up to date; unchanged files are free.

        `on_progress` is called with the source's name, on the thread of the event loop.

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
        """Close all sources and forget what runs held; a second call does nothing."""
        self.passages.clear()
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

    async def _finish(self, output: Mapping[str, Any], asking: Asking) -> Result:
        state = cast("RunOutput", output)
        try:
            return await result_of(state, self.passages, explain=asking.get("explain", False))
        finally:
            self.passages.drop(state["run"])


def _input(question: str, asking: Asking) -> RunInput:
    given: RunInput = {"question": question, "history": list(asking.get("history", ()))}
    if (effort := asking.get("effort")) is not None:
        given["effort"] = effort
    if (identity := asking.get("identity")) is not None:
        given["identity"] = identity
    if (overrides := asking.get("overrides")) is not None:
        given["overrides"] = overrides
    return given


def _telling(
    name: str, on_progress: Callable[[str, IngestProgress], None] | None
) -> Callable[[IngestProgress], None] | None:
    return None if on_progress is None else lambda progress: on_progress(name, progress)
