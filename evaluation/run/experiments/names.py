"""What do the names and descriptions of sources do to the choice among them?"""

import random
from collections.abc import Callable, Sequence

from ....domain.request import Overrides
from ...data.bases import BaseSpec, SourceSpec
from ...errors import DataError
from ..experiment import Experiment, Request
from ..scenes import over_data
from ..task import Scene, Setting

NAME = "names"
_RANDOM_WORDS = 8
_ONE = Overrides(max_sources=1)

Renamed = Callable[[Sequence[SourceSpec], int], dict[str, tuple[str, str]]]
"""From sources and a seed to (name, description) by present name."""


def _strong(sources: Sequence[SourceSpec], _: int) -> dict[str, tuple[str, str]]:
    return {source.name: (source.name, source.description) for source in sources}


def _weak(sources: Sequence[SourceSpec], _: int) -> dict[str, tuple[str, str]]:
    """Acronyms, and descriptions that several sources could share."""
    return {s.name: (s.variants["acronym"], s.variants["blurred"]) for s in sources}


def _adversarial(sources: Sequence[SourceSpec], _: int) -> dict[str, tuple[str, str]]:
    """Numbers for names, and descriptions that claim what other sources hold as well."""
    return {s.name: (s.variants["opaque"], s.variants["verbose"]) for s in sources}


def _random(sources: Sequence[SourceSpec], seed: int) -> dict[str, tuple[str, str]]:
    """Numbers for names, and descriptions of words drawn from those of all sources."""
    chance = random.Random(f"{seed}/{NAME}")
    words = sorted({word for s in sources for word in s.description.split()})
    drawn = [" ".join(chance.choices(words, k=_RANDOM_WORDS)) for _ in sources]
    return {s.name: (s.variants["opaque"], d) for s, d in zip(sources, drawn, strict=True)}


def _swapped(sources: Sequence[SourceSpec], _: int) -> dict[str, tuple[str, str]]:
    """Name and description of the next source, the last one those of the first."""
    following = [*sources[1:], sources[0]]
    return {
        source.name: (other.name, other.description)
        for source, other in zip(sources, following, strict=True)
    }


VARIANTS: dict[str, Renamed] = {
    "strong": _strong,
    "weak": _weak,
    "random": _random,
    "adversarial": _adversarial,
    "swapped": _swapped,
}


def renamed(spec: BaseSpec, variant: str, seed: int) -> BaseSpec:
    """Give a knowledge base with the names and descriptions of a variant.

    Raises:
        DataError: a source lacks the other names and descriptions.
    """
    try:
        new = VARIANTS[variant](spec.sources, seed)
    except KeyError as missing:
        raise DataError(
            f"The sources of {spec.name!r} have no {missing.args[0]!r}.",
            fix="Give each `acronym`, `opaque`, `verbose` and `blurred`, as enterprise_10_en has.",
        ) from missing
    names = {old: name for old, (name, _) in new.items()}
    return spec.named(names, {old: description for old, (_, description) in new.items()})


def scenes(request: Request) -> Sequence[Scene]:
    """Each variant at low effort, left when the sources are chosen, one a sub-query.

    With three of ten the right one is nearly always among them, whatever it is called.
    """
    found: list[Scene] = []
    for name in request.bases or ["enterprise_10_en"]:
        spec = request.spec(name)
        questions = request.questions(spec)
        for variant in VARIANTS:
            found.append(
                over_data(
                    renamed(spec, variant, request.choice.seed),
                    [Setting(name=variant, effort="low", overrides=_ONE, until="select")],
                    questions,
                    place=request.place(questions),
                    rows=request.rows(NAME),
                )
            )
    return found


EXPERIMENT = Experiment(
    name=NAME,
    question="How well are sources chosen under good, weak, random, misleading and exchanged "
    "names and descriptions?",
    settings=list(VARIANTS),
    scenes=scenes,
)
