"""All that a report needs of the results, gathered in one pass over them."""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..measures.calibration import Observation
from ..measures.exits import Of
from ..statistics import bootstrap_ci, share_ci
from .asked import Asked
from .plots.estimate import Estimate
from .ranked import Ranked

FORECASTS: tuple[Of, ...] = ("sufficient", "score", "grade")

COMPARED = (
    "recall@10.federate",
    "recall@10.rank",
    "recall@10.classify",
    "content_containment",
    "containment",
    "token_f1",
    "caption_hit",
    "source_precision",
    "source_recall",
    "source_exact",
    "citation_precision",
    "citation_recall",
    "elapsed_ms",
    "model_tokens",
)
"""Measures that settings are compared by, besides full support."""

LAYERS = {"rank": "L2, ranker", "classify": "L3, classifier"}
"""Layers that score passages, in the order of a run."""

UNJUDGED = "not judged"
"""The grade of a passage that nobody graded for the question."""

SEED = 0
"""Of the bootstrap: the same results always give the same report."""


@dataclass(slots=True)
class Collection:
    """Questions in the order read, with scores and forecasts that belong to no single one."""

    settings: list[str] = field(default_factory=list)
    """In the order of the experiment; the first is what others are compared with."""
    asked: list[Asked] = field(default_factory=list)
    forecasts: dict[Of, list[Observation]] = field(
        default_factory=lambda: {of: [] for of in FORECASTS}
    )
    """What was stated and whether it came true, told by language."""
    by_source: dict[Of, list[Observation]] = field(
        default_factory=lambda: {of: [] for of in FORECASTS}
    )
    """The same, told by the source of the passage, or of the gold passages."""
    scores: dict[tuple[str, str], "array[float]"] = field(
        default_factory=lambda: defaultdict(lambda: array("f"))
    )
    """(layer, grade) -> scores in [0, 4]."""
    ranked: Ranked = field(default_factory=Ranked)
    """What the experiment `ranking` adds."""

    @property
    def first(self) -> str:
        """The setting that others are compared with."""
        return self.settings[0]

    def groups(self) -> list[tuple[str, str]]:
        """The sets of questions, as (base, data set), in the order read."""
        return list(dict.fromkeys(asked.group for asked in self.asked))

    def under(self, setting: str) -> list[Asked]:
        """What was asked under one setting."""
        return [asked for asked in self.asked if asked.setting == setting]


def label(group: tuple[str, str], groups: Iterable[tuple[str, str]]) -> str:
    """Name a set of questions: the base is left out where it is the same throughout."""
    base, dataset = group
    alone = len({other for other, _ in groups}) == 1
    return dataset if alone or base == dataset else f"{base} / {dataset}"


def estimate(values: Iterable[float | None], *, shares: bool = True) -> Estimate | None:
    """Return the mean with its 95 % interval; unscored ones are left out, `None` if all are.

    The interval is `None` where too few are scored.

    `shares` tells that the values lie in [0, 1] by nature, see `share_ci`.
    """
    scored = [value for value in values if value is not None]
    if not scored:
        return None
    ends = (share_ci if shares else bootstrap_ci)(scored, seed=SEED)
    return Estimate(sum(scored) / len(scored), ends, len(scored))
