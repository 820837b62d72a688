"""The two ways in which a query and a passage become one sequence of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ...domain.errors import ConfigurationError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

INSTRUCTION = "Given a web search query, retrieve relevant passages that answer the query"
"""The task that Qwen3-Reranker's card gives where the user states none."""

_PREFIX = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and "
    'the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n'
    "<|im_start|>user\n"
)
_SUFFIX = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
"""Origin: the card of Qwen3-Reranker. Without them, or with one line break more, scores and even
their order are others."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One sequence for the network; `types` are its token types, `whole` is false if it was cut."""

    ids: list[int]
    types: list[int]
    whole: bool


class PairForm(Protocol):
    """Joins queries and passages; safe in many threads at once."""

    max_tokens: int

    def cost(self, query: str) -> int:
        """Count the tokens of everything but the passage."""
        ...

    def encode(self, query: str, passages: Sequence[str]) -> list[Encoded]:
        """Join the query with each passage, in order; only passages are cut, at their end."""
        ...


class MarkedPairs:
    """Pairs as the tokenizer itself joins two texts, with its marks around and between them."""

    def __init__(self, tokenizer: "Tokenizer", max_tokens: int) -> None:
        """Raises ConfigurationError where the tokenizer puts no mark between two texts."""
        _take(tokenizer)
        self.max_tokens = max_tokens
        self._tokenizer = tokenizer
        self._marks = tokenizer.num_special_tokens_to_add(True)
        if self._marks == 0:
            raise ConfigurationError(
                "The reranker's tokenizer does not mark where a query ends and a passage begins.",
                fix="Use a cross-encoder, or the causal form of this model.",
            )

    def cost(self, query: str) -> int:
        return len(self._tokenizer.encode(query, add_special_tokens=False)) + self._marks

    def encode(self, query: str, passages: Sequence[str]) -> list[Encoded]:
        asked = self._tokenizer.encode(query, add_special_tokens=False)
        room = max(0, self.max_tokens - len(asked) - self._marks)
        found: list[Encoded] = []
        for passage in self._tokenizer.encode_batch(list(passages), add_special_tokens=False):
            whole = len(passage) <= room
            if not whole:
                passage.truncate(room)
            pair = self._tokenizer.post_process(asked, passage)
            found.append(Encoded(pair.ids, pair.type_ids, whole))
        return found


class YesNoPrompt:
    """The chat that asks a causal model whether a passage meets a query, up to its answer.

    `yes` and `no` are the tokens of the two answers.
    """

    def __init__(self, tokenizer: "Tokenizer", max_tokens: int) -> None:
        """Raises ConfigurationError where the tokenizer lacks the answers or the chat's marks."""
        _take(tokenizer)
        self.max_tokens = max_tokens
        self.yes = _single(tokenizer, "yes")
        self.no = _single(tokenizer, "no")
        for mark in ("<|im_start|>", "<|im_end|>"):
            _single(tokenizer, mark)
        self._tokenizer = tokenizer
        self._prefix = tokenizer.encode(_PREFIX, add_special_tokens=False).ids
        self._suffix = tokenizer.encode(_SUFFIX, add_special_tokens=False).ids

    def cost(self, query: str) -> int:
        body = self._tokenizer.encode(self._body(query, ""), add_special_tokens=False)
        return len(self._prefix) + len(body) + len(self._suffix)

    def encode(self, query: str, passages: Sequence[str]) -> list[Encoded]:
        # Query and passage are one text to the tokenizer: a token may span the seam.
        bodies = [self._body(query, passage) for passage in passages]
        room = max(0, self.max_tokens - len(self._prefix) - len(self._suffix))
        found: list[Encoded] = []
        for body in self._tokenizer.encode_batch_fast(bodies, add_special_tokens=False):
            ids = [*self._prefix, *body.ids[:room], *self._suffix]
            found.append(Encoded(ids, [0] * len(ids), len(body.ids) <= room))
        return found

    def _body(self, query: str, passage: str) -> str:
        return f"<Instruct>: {INSTRUCTION}\n<Query>: {query}\n<Document>: {passage}"


def _take(tokenizer: "Tokenizer") -> None:
    """Make the tokenizer the form's own: many files on the hub have it cut and pad by itself."""
    tokenizer.no_padding()
    tokenizer.no_truncation()


def _single(tokenizer: "Tokenizer", word: str) -> int:
    ids = tokenizer.encode(word, add_special_tokens=False).ids
    if len(ids) == 1 and tokenizer.token_to_id(word) == ids[0]:
        return int(ids[0])
    raise ConfigurationError(
        f"The reranker's tokenizer has no single token {word!r}.",
        fix="Causal rerankers must answer yes or no in the chat form of Qwen3-Reranker.",
    )
