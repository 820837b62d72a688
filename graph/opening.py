"""Opening a run: check the caller's input and resolve every setting once."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langgraph.types import Overwrite
from pydantic import BaseModel, ValidationError

from ..domain.effort import PRESETS
from ..domain.errors import InvalidRequestError
from ..domain.ports import Clock, Ids, Source
from ..domain.printable import printable
from ..domain.request import Effort, Identity, Output, Overrides, Run, Turn
from ..domain.state import RunInput, RunState

MAX_QUESTION = 200_000
"""Characters. A longer question is a document; put it into a source instead."""

MAX_HISTORY = 200
"""Turns of conversation."""

DEEPEST = 1_000
"""Candidates of a sub-query; no run may rank more."""

T = TypeVar("T")

_GIVEN = ("question", "history", "effort", "identity", "overrides")

_APPENDED = (
    "sub_queries",
    "routes",
    "found",
    "rankings",
    "judgements",
    "reflections",
    "cuts",
    "activity",
)


@dataclass(frozen=True, slots=True)
class Defaults:
    """Settings of a knowledge base; each run may override them."""

    effort: Effort = "medium"
    output: Output = "answer"
    ranker_threshold: float = 0.0
    """In [0, 4]. Passages that score less are dropped; 0 drops none. Each ranker needs its own."""
    classifier_threshold: float = 0.0
    """In [0, 4]. Passages graded less are dropped; 0 drops none. Each classifier needs its own."""
    rank_depth: int = DEEPEST
    """Candidates of a sub-query that the ranker reads at most, however many the effort allows."""
    exit_threshold: float = 0.8
    """In [0, 1.01]. At or above it the evidence suffices; 1.01 never lets a run stop early."""
    retrieval_instructions: str = ""
    answer_instructions: str = ""
    overrides: Overrides = field(default_factory=Overrides)


class _Input(BaseModel):
    """The caller's input as it must be."""

    history: list[Turn] = []
    effort: Effort | None = None
    identity: Identity | None = None
    overrides: Overrides | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """Turns a caller's input into a `Run`. Pure but for the clock and the id it draws."""

    sources: Sequence[Source]
    defaults: Defaults
    clock: Clock
    ids: Ids

    def effort(self, state: RunInput) -> Effort:
        """Check the input and name the effort it asks for. Raises InvalidRequestError."""
        _question(state)
        return _checked(state).effort or self.defaults.effort

    def history(self, state: RunInput) -> list[Turn]:
        """Give the earlier turns, validated. Raises InvalidRequestError."""
        return _checked(state).history

    def must_choose(self, state: RunInput) -> bool:
        """Tell whether more sources are allowed than may be asked. Raises InvalidRequestError."""
        given = _checked(state)
        preset = PRESETS[given.effort or self.defaults.effort]
        merged = _merged(self.defaults.overrides, given.overrides or Overrides())
        allowed = self._allowed(merged, _or(merged.remote, preset.remote))
        return len(allowed) > _or(merged.max_sources, preset.max_sources)

    def request(self, state: RunState) -> RunState:
        """Give what a new run is opened from: the caller's input, and the thread's last run.

        It holds no `round`, which tells it from the state of a run that is under way.
        """
        held: Any = {key: state.get(key) for key in (*_GIVEN, "run")}
        request: RunState = held
        return request

    def update(self, state: RunState) -> dict[str, object]:
        """Give the part of the state that a new run starts with.

        On a thread that has held a run before, what that one left is cleared. The settings of this
        one go into `run` and not on to the next request: neither rights nor wishes are inherited.
        """
        given = _checked(state)
        cleared = {key: Overwrite([]) for key in _APPENDED} if state.get("run") else {}
        return {
            **cleared,
            "question": _told(state["question"]),
            "run": self._run(state, given),
            "history": given.history,
            "effort": None,
            "identity": None,
            "overrides": None,
            "round": 1,
            "status": None,
            "answer": None,
            "references": [],
            "gaps": [],
        }

    def _run(self, state: RunState, given: _Input) -> Run:
        effort = given.effort or self.defaults.effort
        merged = _merged(self.defaults.overrides, given.overrides or Overrides())
        defaults, preset, identity = self.defaults, PRESETS[effort], given.identity or Identity()
        remote = _or(merged.remote, preset.remote)
        allowed = self._allowed(merged, remote)
        return Run(
            id=self.ids(),
            question=_told(state["question"]),
            started=self.clock(),
            effort=effort,
            output=_or(merged.output, defaults.output),
            answer=_or(merged.answer, preset.answer),
            max_sub_queries=_or(merged.max_sub_queries, preset.max_sub_queries),
            max_sources=_or(merged.max_sources, preset.max_sources),
            candidates=_or(merged.candidates, preset.candidates),
            rank_depth=_or(merged.rank_depth, min(preset.rank_depth, defaults.rank_depth)),
            classify_depth=_or(merged.classify_depth, preset.classify_depth),
            ranker_threshold=_or(merged.ranker_threshold, defaults.ranker_threshold),
            classifier_threshold=_or(merged.classifier_threshold, defaults.classifier_threshold),
            exit_threshold=_or(merged.exit_threshold, defaults.exit_threshold),
            max_rounds=_or(merged.max_rounds, preset.max_rounds),
            content_budget=_or(merged.content_budget, preset.content_budget),
            remote=remote,
            sources=allowed,
            always_query=[name for name in merged.always_query or [] if name in allowed],
            principals=sorted(identity.principals),
            retrieval_instructions=_or(
                merged.retrieval_instructions, defaults.retrieval_instructions
            ),
            answer_instructions=_or(merged.answer_instructions, defaults.answer_instructions),
        )

    def _allowed(self, merged: Overrides, remote: bool) -> list[str]:
        names = [source.name for source in self.sources]
        for asked_for in (merged.sources, merged.always_query, merged.never_query):
            _known(asked_for or [], names)
        wanted = names if merged.sources is None else merged.sources
        never = set(merged.never_query or [])
        allowed = [
            source.name
            for source in self.sources
            if source.name in wanted
            and source.name not in never
            and (remote or not source.remote or source.name in (merged.always_query or []))
        ]
        if not allowed:
            raise InvalidRequestError(
                "No source is left to ask.",
                fix="Check `sources` and `never_query`; web and MCP sources need `remote = true`.",
            )
        return allowed


def _question(state: RunInput) -> str:
    question = state.get("question")
    if not isinstance(question, str) or not question.strip():
        raise InvalidRequestError("The question is empty.", fix="Give `question` some text.")
    if len(question) > MAX_QUESTION:
        raise InvalidRequestError(
            f"The question has {len(question):,} characters, at most {MAX_QUESTION:,} are read.",
            fix="Put the long text into a source and ask about it.",
        )
    return question


def _told(question: str) -> str:
    """Give the question as it goes into the state: printable, and in Unicode's NFC as texts are."""
    return printable(unicodedata.normalize("NFC", question))


def _checked(state: RunInput) -> _Input:
    try:
        given = _Input.model_validate(
            {key: state.get(key) for key in _Input.model_fields if state.get(key)}
        )
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidRequestError(f"`{where}`: {first['msg']}.") from exc
    if len(given.history) > MAX_HISTORY:
        raise InvalidRequestError(
            f"`history` has {len(given.history)} turns, at most {MAX_HISTORY} are read.",
            fix="Give the latest turns only.",
        )
    return given


def _known(names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise InvalidRequestError(
                f"There is no source {name!r}.", fix=f"Known are: {', '.join(known)}."
            )


def _merged(base: Overrides, top: Overrides) -> Overrides:
    return base.model_copy(update=top.model_dump(exclude_none=True))


def _or(value: T | None, default: T) -> T:
    return default if value is None else value
