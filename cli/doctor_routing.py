"""What makes sources hard to tell apart by name and description. Pure.

Source selection, by a model or without one, sees little more than names and descriptions.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..domain.words import fold, stem, terms
from .check import Check

GENERIC = frozenset(
    """
    archive content corpus data database db default doc docs document documents file files folder
    index info information kb knowledge main misc my new old other source sources stuff store temp
    test text texts tmp various everything all general
    """.split()
)
"""Words that say nothing of what is in a source."""

SHORT_NAME = 4
"""Letters; a shorter name is an abbreviation that only its author knows."""

FEW_WORDS = 4
"""Terms of a description below which selection has little to compare a question with."""

ALIKE_NAMES = 0.75
"""Share of the shorter name's terms in the other one."""

ALIKE_WORDS = 0.6
"""Share of the shorter description's terms in the other one."""

ALIKE_MEANING = 0.7
"""Cosine of two descriptions. With the built-in embedder, paraphrases came to 0.76 and more,
different sources of one field to 0.55 and less."""

MANY = 10


@dataclass(frozen=True, slots=True)
class Described:
    """A source as selection sees it."""

    name: str
    description: str


def routing_checks(
    sources: Sequence[Described], similarities: Mapping[tuple[str, str], float] | None = None
) -> list[Check]:
    """Check every source, then every pair.

    `similarities` maps pairs of names, in the order of `sources`, to the cosine of their
    descriptions in [-1, 1]; `None` where there is no embedder. One `ok` where nothing is wrong.
    """
    found = [*_too_many(sources)]
    for source in sources:
        found += [*_name(source), *_description(source)]
    for first, second in combinations(sources, 2):
        cosine = (similarities or {}).get((first.name, second.name))
        found += _pair(first, second, cosine)
    return found or [Check("routing", "ok", "Names and descriptions tell the sources apart.")]


def _too_many(sources: Sequence[Described]) -> Iterator[Check]:
    if len(sources) > MANY:
        yield Check(
            "routing",
            "warning",
            f"{len(sources)} sources: selection becomes guesswork beyond {MANY}.",
            "Split them into several knowledge bases, or join those that belong together.",
        )


def _name(source: Described) -> Iterator[Check]:
    words = _words(source.name)
    if len("".join(words)) < SHORT_NAME:
        yield _warning(source, "the name is too short to say what it holds", _rename(source))
    elif all(word in GENERIC or word.isdigit() for word in words):
        yield _warning(source, "the name says nothing of what it holds", _rename(source))


def _description(source: Described) -> Iterator[Check]:
    own = set(terms(source.description)) - GENERIC
    beyond = own - set(terms(source.name.replace("_", " ")))
    if not source.description.strip():
        yield _warning(source, "there is no description", _describe(source))
    elif not own:
        yield _warning(source, "the description holds only general words", _describe(source))
    elif len(own) < FEW_WORDS or not beyond:
        yield _warning(source, "the description adds little to the name", _describe(source))


def _pair(first: Described, second: Described, cosine: float | None) -> Iterator[Check]:
    pair = f"{first.name} and {second.name}"
    names = _share(_stems(first.name), _stems(second.name))
    if names >= ALIKE_NAMES:
        fix = "Give each a name that says in what it differs from the other."
        yield Check("routing", "warning", f"{pair}: the names are nearly alike.", fix)
    words = _share(_stems(first.description), _stems(second.description))
    fix = "Say in each description what the other one does not hold."
    if words >= ALIKE_WORDS:
        yield Check("routing", "warning", f"{pair}: {words:.0%} of the description is shared.", fix)
    elif cosine is not None and cosine >= ALIKE_MEANING:
        text = f"{pair}: the descriptions mean nearly the same (cosine {cosine:.2f})."
        yield Check("routing", "warning", text, fix)


def _share(first: frozenset[str], second: frozenset[str]) -> float:
    """Containment: how much of the smaller set is in the other one, in [0, 1]."""
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, terms(text.replace("_", " "))))


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", fold(name)) if word]


def _warning(source: Described, what: str, fix: str) -> Check:
    return Check("routing", "warning", f"{source.name}: {what}.", fix)


def _rename(source: Described) -> str:
    return f"Name what `{source.name}` holds, in two or three words, such as `pump_manuals`."


def _describe(source: Described) -> str:
    return f"Say in one sentence what can be asked of `{source.name}`: topics, kinds, years."
