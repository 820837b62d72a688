"""Does another source fill the gap that missing ones leave?"""

from collections.abc import Sequence

from ...data.bases import BaseSpec
from ...errors import DataError
from ..experiment import Experiment, Request
from ..scenes import over_data
from ..task import Scene, Setting

NAME = "gap-fill"
_ALL, _REMOVED, _FILLED = "all-sources", "some-removed", "removed-and-web"


def scenes(request: Request) -> Sequence[Scene]:
    """The whole knowledge base, the same without some sources, and that with a stand-in."""
    found: list[Scene] = []
    for name in request.bases or ["finance_sectors_9"]:
        spec = request.spec(name)
        if spec.redaction is None:
            raise DataError(
                f"The knowledge base {name!r} does not say which sources to take away.",
                fix="Add `redaction` to its file, or use finance_sectors_9.",
            )
        found += _variants(request, spec)
    return found


def _variants(request: Request, spec: BaseSpec) -> Sequence[Scene]:
    redaction = spec.redaction
    if redaction is None:
        return []
    removed = [source for source in spec.sources if source.name in redaction.remove]
    bases = {
        _ALL: spec,
        _REMOVED: spec.without(redaction.remove),
        _FILLED: spec.without(redaction.remove, add=redaction.add),
    }
    questions = request.questions(spec)
    return [
        over_data(
            base,
            [Setting(name=setting, effort="medium")],
            questions,
            place=request.place(questions),
            rows=request.rows(NAME),
            removed=[] if setting == _ALL else removed,
        )
        for setting, base in bases.items()
    ]


EXPERIMENT = Experiment(
    name=NAME,
    question="How much is lost without some sources, and how much of it does a stand-in for the "
    "web win back?",
    settings=[_ALL, _REMOVED, _FILLED],
    scenes=scenes,
)
