"""Training lists: a handful of pairs of query and passage that are told apart together.

Most lists are one query with a passage that answers and seven that do not. A list of a topic
turns this round: one passage with queries that it answers and queries on its topic that it does
not, so that being on the topic is not enough.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ....domain.conversation import standalone
from ....domain.ports import Scorable
from ....domain.sentences import sentences
from ....domain.wording import topic_words
from ..grades import GOLD
from .sets import Asked, LabelledSet, Spans

IN_CONTEXT = frozenset({"strategyqa", "tatqa"})
"""Sets whose queries make sense beside their own passages only: no others are mined for them."""

LIST = 8
"""Pairs in a list."""

FIRST, FROM_FIRST = 12, 3
"""So many negatives come from the first candidates; the others from further down."""

LAST = 40
"""The last rank that a hard negative comes from."""

TOPIC, TOPIC_QUERIES = 2, 3
"""The grade of what is on topic and does not answer; queries of either kind in such a list."""

REWRITTEN, SHORT, BARE, CUT = 0.6, 0.08, 0.08, 0.25
"""Shares: follow-ups made to stand alone; queries of topic words only; queries in lower case
without marks; lists that hold their answer a second time with the answering sentence cut out."""

MOST_QUERIES = 800
"""A set with more counts as one with so many."""

FEWER_QUERIES = {"cmrc2018": 300, "strategyqa": 300, "tatqa": 300}
"""The same for sets that are far from what the English ranker searches in use."""


@dataclass(frozen=True, slots=True)
class Item:
    """One pair of a list; `grade` in 0 to 4."""

    query: str
    passage: Scorable
    grade: int


@dataclass(frozen=True, slots=True)
class TrainingList:
    """Pairs that are compared with each other, and the set they are from."""

    dataset: str
    items: list[Item]


class Recipe(Protocol):
    """One way to make lists of one set."""

    @property
    def dataset(self) -> str: ...

    @property
    def size(self) -> int:
        """How many different lists it starts from."""
        ...

    def make(self, place: int, rng: random.Random) -> TrainingList:
        """Make list number `place`, below `size`; what is drawn at random comes from `rng`."""
        ...


@dataclass(frozen=True, slots=True)
class AnswerLists:
    """One query, one passage that answers, and passages that do not.

    `hard[i]` names the mined negatives of query i, best first; where it is empty, the passages
    labelled as not answering are taken.
    """

    labelled: LabelledSet
    hard: Sequence[Sequence[str]]
    places: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.places.extend(i for i, query in enumerate(self.labelled.queries) if query.gold)

    @property
    def dataset(self) -> str:
        return self.labelled.name

    @property
    def size(self) -> int:
        return len(self.places)

    def make(self, place: int, rng: random.Random) -> TrainingList:
        asked, hard = self.labelled.queries[self.places[place]], self.hard[self.places[place]]
        text, passages = form(asked, rng), self.labelled.passages
        gold = rng.choice(asked.gold)
        items = [Item(text, passages[gold], asked.grades[gold])]
        if rng.random() < CUT and asked.spans.get(gold):
            cut = without(passages[gold], asked.spans[gold])
            items += [Item(text, cut, TOPIC)] if cut else []
        room = LIST - len(items)
        names = _drawn(hard, room, rng) if hard else _labelled(asked, room, rng)
        items += [Item(text, passages[i], min(asked.grades.get(i, 1), TOPIC)) for i in names]
        return TrainingList(self.labelled.name, items)


@dataclass(frozen=True, slots=True)
class TopicLists:
    """One passage, queries that it answers, and queries on its topic that it does not."""

    labelled: LabelledSet
    groups: list[tuple[str, list[Asked], list[Asked]]] = field(default_factory=list)
    """A passage with the queries it answers and those it does not, of grade 2."""

    def __post_init__(self) -> None:
        answered: dict[str, list[Asked]] = {}
        missed: dict[str, list[Asked]] = {}
        for query in self.labelled.queries:
            for i, grade in query.grades.items():
                if grade >= TOPIC:
                    (answered if grade >= GOLD else missed).setdefault(i, []).append(query)
        self.groups.extend((i, answered[i], missed[i]) for i in sorted(missed) if i in answered)

    @property
    def dataset(self) -> str:
        return self.labelled.name

    @property
    def size(self) -> int:
        return len(self.groups)

    def make(self, place: int, rng: random.Random) -> TrainingList:
        name, answered, missed = self.groups[place]
        passage = self.labelled.passages[name]
        chosen = [
            *rng.sample(answered, min(TOPIC_QUERIES, len(answered))),
            *rng.sample(missed, min(TOPIC_QUERIES, len(missed))),
        ]
        items = [Item(form(query, rng), passage, query.grades[name]) for query in chosen]
        others = [query for query in self.labelled.queries if name not in query.grades]
        apart = rng.sample(others, min(LIST - len(items), len(others)))
        return TrainingList(
            self.labelled.name, items + [Item(form(query, rng), passage, 0) for query in apart]
        )


def draws(
    recipes: Sequence[Recipe], weights: Sequence[float], seed: int
) -> Iterator[tuple[int, int]]:
    """Give (recipe, place) without end: recipes by weight, each one's lists in turns.

    Every list of a recipe comes once before any comes again, each time in another order.
    """
    orders: list[list[int]] = [[] for _ in recipes]
    chooser = random.Random(seed)
    while True:
        (chosen,) = chooser.choices(range(len(recipes)), weights)
        if not orders[chosen]:
            orders[chosen] = list(range(recipes[chosen].size))
            chooser.shuffle(orders[chosen])
        yield chosen, orders[chosen].pop()


def weights_of(recipes: Sequence[Recipe], topic_share: float) -> list[float]:
    """Weigh recipes by the root of their size; lists of topics get a share of all, in [0, 1)."""
    most = [FEWER_QUERIES.get(recipe.dataset, MOST_QUERIES) for recipe in recipes]
    roots = [math.sqrt(min(one.size, cap)) for one, cap in zip(recipes, most, strict=True)]
    topic = [isinstance(recipe, TopicLists) for recipe in recipes]
    of_topics = sum(root for root, is_topic in zip(roots, topic, strict=True) if is_topic)
    of_answers = sum(roots) - of_topics
    if not of_topics or not of_answers:
        return roots
    factor = topic_share / (1.0 - topic_share) * of_answers / of_topics
    return [
        root * factor if is_topic else root for root, is_topic in zip(roots, topic, strict=True)
    ]


def form(asked: Asked, rng: random.Random) -> str:
    """Word a query in one of the ways in which queries come."""
    text = asked.question
    if asked.history and rng.random() < REWRITTEN:
        text = standalone(text, asked.history)
    kind = rng.random()
    if kind < SHORT:
        return " ".join(topic_words(text)) or text
    if kind < SHORT + BARE:
        return text.lower().rstrip(" ?!.？。")
    return text


def without(passage: Scorable, spans: Spans) -> Scorable | None:
    """Cut the sentences that hold the answer; `None` where nothing much would be left."""
    kept = [
        passage.text[one.start : one.end]
        for one in sentences(passage.text)
        if not any(start < one.end and one.start < end for start, end in spans)
    ]
    text = " ".join(kept)
    return replace(passage, text=text) if 2 * len(text) > len(passage.text) else None


def _drawn(hard: Sequence[str], room: int, rng: random.Random) -> list[str]:
    first, rest = hard[:FIRST], hard[FIRST:LAST]
    near = rng.sample(first, min(FROM_FIRST, len(first)))
    left = [*rest, *(i for i in first if i not in near)] if len(rest) < room else rest
    return near + rng.sample(left, min(room - len(near), len(left)))


def _labelled(asked: Asked, room: int, rng: random.Random) -> list[str]:
    wrong = sorted(i for i, grade in asked.grades.items() if grade < GOLD)
    return rng.sample(wrong, min(room, len(wrong)))
