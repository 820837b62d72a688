"""What does the second round find that the first could not?"""

from collections.abc import Sequence

from ....domain.request import Overrides
from ..experiment import MULTI_HOP, Experiment, Request, bases_under
from ..task import Scene, Setting

NAME = "multi-hop"
_SETTINGS = (
    Setting(name="one-round", effort="medium", overrides=Overrides(max_rounds=1)),
    Setting(name="medium", effort="medium"),
)


def scenes(request: Request) -> Sequence[Scene]:
    """Medium effort with and without its second round."""
    return bases_under(request, _SETTINGS, experiment=NAME, bases=MULTI_HOP)


EXPERIMENT = Experiment(
    name=NAME,
    question="What does the second round add to full support where one passage leads to the next?",
    settings=[setting.name for setting in _SETTINGS],
    scenes=scenes,
    own=True,
)
