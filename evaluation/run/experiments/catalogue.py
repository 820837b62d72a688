"""All ready-made experiments by name."""

from ..experiment import Experiment
from . import effort, exit, gap_fill, languages, multi_hop, names, ranking, sources, sub_queries

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        effort,
        sources,
        gap_fill,
        exit,
        languages,
        names,
        sub_queries,
        ranking,
        multi_hop,
    )
}
"""In the order in which `all` makes them."""
