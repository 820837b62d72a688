"""How often does a run stop after its first round, and how often was that wrong?"""

from collections.abc import Sequence

from ....domain.request import Effort
from ..experiment import Experiment, Request, bases_under, by_effort, every_base
from ..task import Scene

NAME = "exit"
_EFFORTS: tuple[Effort, ...] = ("minimal", "medium")


def scenes(request: Request) -> Sequence[Scene]:
    """Medium effort, which decides, beside minimal effort, which says how hard a set is."""
    settings = by_effort(request, _EFFORTS)
    return bases_under(request, settings, experiment=NAME, bases=every_base(request))


EXPERIMENT = Experiment(
    name=NAME,
    question="How often do classifier and reflection end a run, against how hard the questions "
    "are at minimal effort, and how often did such a run lack evidence?",
    settings=_EFFORTS,
    scenes=scenes,
    own=True,
)
