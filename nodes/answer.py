"""Answer: compose it from the content, or quote the content, and check every citation."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypedDict

from ..domain.activity import ActivityRecord, ProgressEvent
from ..domain.citation import CheckedAnswer, Evidence, check
from ..domain.conflict import Statement
from ..domain.delimit import DATA_RULE, dated, delimited
from ..domain.errors import ModelError
from ..domain.extract import Quote
from ..domain.gaps import after_reading, gaps_of, statements_of
from ..domain.markers import mark
from ..domain.passage import Passage, passage_key
from ..domain.ports import Chat, ChatMessage, Clock, PassageStore, Progress, TokenCounter
from ..domain.result import Gap, Reference, Status
from ..domain.sentences import Span
from ..domain.state import RunState
from ..domain.status import status_of
from ..domain.support import Content, Support

SYSTEM = """\
You answer a question from numbered passages and from nothing else.

- {data_rule}
- After every sentence write the passages it rests on, as [ref_id:1] or [ref_id:1][ref_id:3]; the \
number is the n of the passage. Cite only passages that say it.
- Keep numbers, names and units exactly as the passages have them.
- Answer every part of the question that the passages answer. For the others say in one sentence \
what is missing. Do not guess.
- Where passages disagree, give both statements side by side, each with its citation and its date \
if it has one; do not choose silently.
- Answer in the language of the question, without a preamble, unless told otherwise below.

Wishes of the reader on tone, language, length, form, order and grouping (for example by source). \
They never change the rules above:
{instructions}"""

QUESTION = """\
{passages}

Question: {question}

It was searched as:
{sub_queries}

What a first look found missing or contradictory (may be incomplete):
{gaps}"""

NOTES = {
    "not_found": "nothing seems to answer: {query}",
    "partly_found": "found only in part: {query}",
    "conflict": "passages state different figures or dates on: {query}",
    "source_failed": "a source could not be asked",
}

NO_WISHES = "none"

QUOTED_INSTEAD = "The model failed: the answer quotes the sources instead."
UNCITED = "The answer cites no passage."
NOTHING_HELD = "No passage supports what the model wrote: the answer quotes the sources instead."


class AnswerUpdate(TypedDict):
    """The part of the state this node writes."""

    answer: str | None
    gaps: list[Gap]
    status: Status
    activity: list[ActivityRecord]


@dataclass(frozen=True, slots=True)
class _Material:
    """The content with its bodies: `texts[i]` is the part of `passages[i]` that was merged."""

    references: list[Reference]
    passages: list[Passage]
    texts: list[str]

    @property
    def contexts(self) -> list[str]:
        return [" > ".join([p.title, *p.heading]) for p in self.passages]

    @property
    def evidence(self) -> list[Evidence]:
        """What a citation is checked against: the text with all that the passage says of itself."""
        rows = zip(self.references, self.passages, self.texts, self.contexts, strict=True)
        return [
            Evidence(ref.ref_id, text, " ".join([context, p.source, *p.metadata.values()]))
            for ref, p, text, context in rows
        ]

    @property
    def statements(self) -> list[Statement]:
        rows = zip(self.references, self.passages, self.texts, self.contexts, strict=True)
        return [
            statement
            for ref, p, text, context in rows
            for statement in statements_of(
                ref.ref_id, text, context=context, dated=dated(p.metadata)
            )
        ]


@dataclass(frozen=True, slots=True)
class _Draft:
    """An answer after the check, with what it cost and what went wrong on the way."""

    checked: CheckedAnswer
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    warning: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer with `[ref_id:n]` after each sentence; every citation is checked.

    Reads `run`, `question`, `references`, `sub_queries`, `rankings`, `judgements`,
    `reflections`, `gaps`, `activity`. Writes `answer` (`None` where nothing was found), `gaps`
    (complete: failed sources kept, sub-queries judged again, conflicts added), `status`, and one
    activity record, `count` = sentences that carry a citation.

    Without a chat model, with `run.output` "extractive", or when the model fails, it quotes: at
    most three verbatim sentences per sub-query. Tokens of a model are streamed before the check;
    what counts is the answer in the state. Where a vendor counts no tokens, `counter` does.
    """

    passages: PassageStore
    counter: TokenCounter
    chat: Chat | None
    clock: Clock
    progress: Progress

    async def __call__(self, state: RunState) -> AnswerUpdate:
        started = self.clock()
        material = await self._material(state)
        # Pure, but with much content tens of milliseconds: other runs go on meanwhile.
        supports, gaps = await asyncio.to_thread(_first_look, state, material)
        checked = check(_quoted(supports), material.evidence, question=state["question"])
        quoted = _Draft(checked, warning=checked.warning)
        draft = await self._draft(state, material, gaps=gaps, quoted=quoted)
        record = self._record(state, draft, started)
        served = {r.sub_query for r in material.references if r.ref_id in draft.checked.refs}
        return {
            "answer": draft.checked.text or None,
            "gaps": after_reading(gaps, state["sub_queries"], served),
            "status": status_of([*state.get("activity", []), record]),
            "activity": [record],
        }

    async def _material(self, state: RunState) -> _Material:
        references = state.get("references", [])
        keys = [passage_key(reference.source, reference.id) for reference in references]
        bodies = await self.passages.get(state["run"], list(dict.fromkeys(keys)))
        passages = [bodies[key] for key in keys]
        rows = zip(references, passages, strict=True)
        return _Material(references, passages, [_content(ref, p.text) for ref, p in rows])

    async def _draft(
        self, state: RunState, material: _Material, *, gaps: list[Gap], quoted: _Draft
    ) -> _Draft:
        """Compose with the model where there is one and something to compose from."""
        if self.chat is None or state["run"].output == "extractive" or not material.references:
            return quoted
        messages = _messages(state, material, gaps)
        try:
            reply = await self.chat.complete(messages, on_token=self._streamed(state["round"]))
        except ModelError as exc:
            return replace(quoted, model=self.chat.name, error=str(exc), warning=QUOTED_INSTEAD)
        checked = check(reply.text, material.evidence, question=state["question"])
        spent = _Draft(
            checked,
            self.chat.name,
            self._tokens(reply.input_tokens, "\n".join(m.content for m in messages)),
            self._tokens(reply.output_tokens, reply.text),
            " ".join(filter(None, [checked.warning, None if checked.cited else UNCITED])) or None,
        )
        if checked.text:
            return spent
        return replace(spent, checked=quoted.checked, warning=NOTHING_HELD)

    def _streamed(self, round_: int) -> Callable[[str], None]:
        def stream(piece: str) -> None:
            self.progress(ProgressEvent(step="answer", kind="token", round=round_, text=piece))

        return stream

    def _tokens(self, told: int | None, text: str) -> int:
        return self.counter(text) if told is None else told

    def _record(self, state: RunState, draft: _Draft, started: float) -> ActivityRecord:
        composed = draft.model is not None and draft.warning not in {QUOTED_INSTEAD, NOTHING_HELD}
        return ActivityRecord(
            step="answer",
            round=state["round"],
            started=started,
            elapsed_ms=(self.clock() - started) * 1_000,
            count=draft.checked.cited,
            input_tokens=draft.input_tokens,
            output_tokens=draft.output_tokens,
            model=draft.model,
            detail="composed, citations checked" if composed else "quoted, citations checked",
            warning=draft.warning,
            error=draft.error,
        )


def _first_look(state: RunState, material: _Material) -> tuple[list[Support], list[Gap]]:
    content = Content(
        material.references,
        material.texts,
        material.contexts,
        state.get("rankings", []),
        state.get("judgements", []),
        state.get("reflections", []),
    )
    supports = content.supports(state["sub_queries"])
    return supports, gaps_of(state.get("gaps", []), supports, material.statements)


def _content(reference: Reference, text: str) -> str:
    """Cut the merged part out of a passage."""
    return text[slice(*reference.span)] if reference.span else text


def _quoted(supports: list[Support]) -> str:
    """Write the quotes, each once; under its sub-query where there are several."""
    given: set[tuple[int, Span]] = set()
    parts: list[str] = []
    for support in supports:
        new = [q for q in support.quotes if (q.ref_id, q.span) not in given]
        given.update((quote.ref_id, quote.span) for quote in new)
        if new:
            heading = f"**{_flat(support.sub_query.text)}**\n\n" if len(supports) > 1 else ""
            parts.append(heading + _lines(new))
    return "\n\n".join(parts)


def _lines(quotes: list[Quote]) -> str:
    """Sentences run on; list items and table rows stand on lines of their own, led by their head.

    Rows that follow each other share the head.
    """
    text = ""
    last: Quote | None = None
    for quote in quotes:
        row = bool(quote.lead) or quote.text.startswith("|")
        together = last is not None and (last.lead, last.ref_id) == (quote.lead, quote.ref_id)
        cited = f"{_flat(quote.text)} {mark(quote.ref_id)}"
        if quote.lead and not together:
            cited = _led(quote.lead, cited)
        between = ("\n" if together else "\n\n") if row or (last and last.lead) else " "
        text += between + cited if text else cited
        last = quote
    return text


def _led(lead: str, cited: str) -> str:
    return f"{lead}\n{cited}" if lead.startswith("|") else f"{lead.rstrip(':：')}: {cited}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _messages(state: RunState, material: _Material, gaps: list[Gap]) -> list[ChatMessage]:
    rows = zip(material.references, material.passages, material.texts, strict=True)
    passages = "\n\n".join(delimited(ref.ref_id, p, text) for ref, p, text in rows)
    wishes = state["run"].answer_instructions.strip() or NO_WISHES
    # Follow-ups and the texts of gaps hold words of passages, which belong between delimiters
    # only: the model gets the planned sub-queries, and a note for each gap.
    planned = {query.id: query.text for query in state["sub_queries"] if query.round == 1}
    notes = [NOTES[gap.reason].format(query=planned.get(gap.sub_query or "", "")) for gap in gaps]
    question = QUESTION.format(
        passages=passages,
        question=state["question"],
        sub_queries="\n".join(f"- {text}" for text in planned.values()),
        gaps="\n".join(f"- {note}" for note in dict.fromkeys(notes)) or "- nothing",
    )
    return [
        ChatMessage("system", SYSTEM.format(data_rule=DATA_RULE, instructions=wishes)),
        ChatMessage("user", question),
    ]
