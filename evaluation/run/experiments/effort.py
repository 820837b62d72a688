"""What does each effort gain, on every knowledge base?"""

from collections.abc import Sequence

from ..experiment import EFFORTS, Experiment, Request, bases_under, by_effort, every_base
from ..task import Scene

NAME = "effort"


def scenes(request: Request) -> Sequence[Scene]:
    """All efforts side by side."""
    settings = by_effort(request, EFFORTS)
    return bases_under(request, settings, experiment=NAME, bases=every_base(request))


EXPERIMENT = Experiment(
    name=NAME,
    question="What does each effort gain over minimal, on every knowledge base, and at what cost?",
    settings=EFFORTS,
    scenes=scenes,
    own=True,
)
