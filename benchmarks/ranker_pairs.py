"""Queries and passages of chosen lengths in tokens, for the benchmark of rankers."""

import gzip
import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from headwater.domain.ports import Scorable

QUESTIONS, PROSE = "fanoutqa", "2wikimultihopqa"
SHORTEST, LONGEST, USUAL = 56, 250, 160
"""Tokens of a pair, triangular: the mean is 155."""

DEPTH = 50
"""Passages of one query, as the ranker gets them."""

_WORDS = (
    "pump valve seal shaft motor bearing pressure filter relay sensor cable tank boiler compressor "
    "the a of is in when that and with by checks replaces opens closes measures holds drives stops "
    "every hour before after service water oil current heat noise leak alarm panel screw housing"
).split()

Length = Callable[[random.Random], int]


@dataclass(frozen=True, slots=True)
class Job:
    """A query and its passages."""

    query: str
    passages: list[Scorable]


def usual(rng: random.Random) -> int:
    """Draw the length of a pair."""
    return round(rng.triangular(SHORTEST, LONGEST, USUAL))


def jobs(pairs: int, tokenizer: Tokenizer, data: Path | None, length: Length = usual) -> list[Job]:
    """Make so many pairs, a query for every 50 of them; the same ones at every call.

    Text is that of the data folder where there is one, else words in random order. `length`
    gives the tokens of each pair, with its three marks.
    """
    rng = random.Random(7)
    questions, words = _texts(data, rng)
    found: list[Job] = []
    for start in range(0, pairs, DEPTH):
        query = questions[len(found) % len(questions)]
        spent = len(tokenizer.encode(query, add_special_tokens=False)) + 3
        passages = [
            Scorable(_cut(words, max(1, length(rng) - spent), tokenizer, rng))
            for _ in range(min(DEPTH, pairs - start))
        ]
        found.append(Job(query, passages))
    return found


def _texts(data: Path | None, rng: random.Random) -> tuple[list[str], list[str]]:
    """Give questions, and the words of much prose in their order."""
    if data is None:
        made = [" ".join(rng.choices(_WORDS, k=18)) + "?" for _ in range(20)]
        return made, rng.choices([*_WORDS, "water.", "shaft,"], k=20_000)
    questions = [row["question"] for row in read(data / QUESTIONS / "queries.dev.jsonl.gz")]
    rows = itertools.islice(read(data / PROSE / "corpus.jsonl.gz"), 1_000)
    prose = [row["text"] for row in rows]
    return questions[:20], " ".join(prose).split()


def _cut(words: Sequence[str], tokens: int, tokenizer: Tokenizer, rng: random.Random) -> str:
    start = rng.randrange(len(words) - tokens)
    text = " ".join(words[start : start + tokens])  # a word is one token at least
    return text[: tokenizer.encode(text, add_special_tokens=False).offsets[tokens - 1][1]]


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Read JSON lines, compressed."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
