"""Does it matter in which language one asks, and in which the evidence is?"""

from collections.abc import Sequence
from dataclasses import replace

from ....domain.request import Overrides
from ...data.questions import Placed, Question
from ..experiment import Experiment, Request, bases_under
from ..task import Asking, Scene, Setting

NAME = "languages"
_BASES = ("multilingual_docs_3", "multilingual_wiki_3", "service_public_10_fr")


def _translated(question: Question) -> bool:
    return bool(question.gold) and bool(question.translations)


def across(placed: Placed, overrides: Overrides) -> Asking | None:
    """Keep the question from the sources that hold its evidence in its own language.

    What counts is then the same evidence in the other languages; one of them is enough. Answers are
    not compared: the references are in the language of the question, the evidence is not.
    """
    own = set(placed.gold_sources)
    others = [gold for gold in placed.translations if gold.source not in own]
    if not others:
        return None
    kept = overrides.model_copy(update={"never_query": sorted(own)})
    row = replace(placed.row, answers=[])
    return Asking(replace(placed, row=row, gold=others, translations=[]), kept)


_SETTINGS = (
    Setting(name="medium", effort="medium"),
    Setting(name="cross-language", effort="medium", adapt=across, concerns=_translated),
)


def scenes(request: Request) -> Sequence[Scene]:
    """Each question in its own language; and, where there are translations, in none but others."""
    return bases_under(request, _SETTINGS, experiment=NAME, bases=_BASES)


EXPERIMENT = Experiment(
    name=NAME,
    question="How good is it in English, French and Chinese, with evidence in the language of the "
    "question (medium) and in another one only (cross-language)?",
    settings=[setting.name for setting in _SETTINGS],
    scenes=scenes,
)
