"""How does the number of sources that a question needs change what each effort gains?"""

from collections.abc import Sequence

from ....domain.request import Effort
from ..experiment import Experiment, Request, bases_under, by_effort
from ..task import Scene

NAME = "sources"
_EFFORTS: tuple[Effort, ...] = ("minimal", "low", "medium")


def scenes(request: Request) -> Sequence[Scene]:
    """Questions of one, two and three sources; the report splits by their number."""
    settings = by_effort(request, _EFFORTS)
    return bases_under(request, settings, experiment=NAME, bases=["finance_sectors_9"])


EXPERIMENT = Experiment(
    name=NAME,
    question="What does each effort gain where a question needs one, two or three sources?",
    settings=_EFFORTS,
    scenes=scenes,
    own=True,
)
