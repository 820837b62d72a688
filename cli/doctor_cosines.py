"""Do the cosines of an embedder mean what the built-in models take them for?"""

from statistics import fmean

from ..domain.ports import Embedder
from ..models.embedder import BUILTIN, BUILTIN_MULTILINGUAL
from .check import Check

PROBES = (
    ("When does the library open on Fridays?", "The library opens at four on Fridays."),
    ("Which oil does the gearbox take?", "Fill the gearbox with two litres of EP 90 oil."),
    ("How long may bread dough rest?", "Let the dough of the bread rest for an hour."),
    ("Who pays for a rented car?", "The traveller's department pays for a rented car."),
    ("What colour is a sapphire?", "Most sapphires are blue; some are pink or yellow."),
    ("How is a password changed?", "A password is changed under Settings, Account."),
)
"""Questions, each with its answer; every other pair is unrelated."""

NARROW = 0.45
"""Mean cosine of unrelated pairs from which they look like answers. The built-in embedders come
to 0.2 at most, models trained with a low temperature, such as those of e5, to 0.7 and more."""


async def cosine_check(name: str, embedder: Embedder) -> Check | None:
    """Try an embedder that is not built in; `None` where there is nothing to say.

    Raises ModelError.
    """
    if name in (BUILTIN, BUILTIN_MULTILINGUAL):
        return None
    cosine = await unrelated_cosine(embedder)
    if cosine < NARROW:
        return None
    return Check(
        "models",
        "warning",
        f"Texts that have nothing to do with each other have a cosine of {cosine:.2f} under the "
        f"embedder {name!r}: models that read a cosine grade them too high.",
        "Use `builtin` or `builtin-multilingual`, or choose `ranker_threshold` and "
        "`exit_threshold` in [settings] by questions of your own.",
    )


async def unrelated_cosine(embedder: Embedder) -> float:
    """Give the mean cosine of questions and answers to other questions. Raises ModelError."""
    questions = await embedder.embed_queries([question for question, _ in PROBES])
    answers = await embedder.embed_passages([answer for _, answer in PROBES])
    return fmean(
        sum(a * b for a, b in zip(asked, held, strict=True))
        for i, asked in enumerate(questions)
        for j, held in enumerate(answers)
        if i != j
    )
