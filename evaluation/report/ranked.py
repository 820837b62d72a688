"""What a report needs of the experiment `ranking`: orders, graded scores, captions."""

from collections import defaultdict
from dataclasses import dataclass, field

from ..measures.captions import beginning_hit, caption_hit, sentence_hit
from ..measures.graded import GradedScores
from ..measures.orders import CANDIDATES, GRADED, GRADED_DEV, ORDERS, RETRIEVED, REWRITTEN
from ..measures.ranking import DEPTH, all_found, ndcg, recall
from ..record import ResultRow

NDCG, RECALL, ALL_FOUND = f"ndcg@{DEPTH}", f"recall@{CANDIDATES}", f"all_gold@{DEPTH}"
TITLES = {
    NDCG: f"nDCG@{DEPTH}",
    RECALL: f"Recall@{CANDIDATES}",
    ALL_FOUND: f"All gold in the first {DEPTH}",
}
"""What orders are measured by, in the order of a report."""

OURS, LEXICAL = "caption", "best lexical sentence"
WINDOWS = (OURS, "first 200 characters", "first 300 characters", LEXICAL)
"""What is compared as a caption; 300 characters are what a caption has at most."""


@dataclass(frozen=True, slots=True)
class Part:
    """Questions that are told together: those of a data set, as asked or rewritten."""

    dataset: str
    rewritten: bool = False

    @property
    def label(self) -> str:
        return f"{self.dataset}, rewritten" if self.rewritten else self.dataset


@dataclass(frozen=True, slots=True)
class Ordered:
    """One question whose candidates were put in order: measure -> order -> value."""

    lang: str
    values: dict[str, dict[str, float]]


@dataclass(slots=True)
class Ranked:
    """All of it, told by data set; gathered row by row."""

    ordered: dict[Part, list[Ordered]] = field(default_factory=lambda: defaultdict(list))
    graded: dict[tuple[str, str], GradedScores] = field(
        default_factory=lambda: defaultdict(GradedScores)
    )
    """(data set, language of the question) -> scores on the split that was asked."""
    dev: dict[str, GradedScores] = field(default_factory=lambda: defaultdict(GradedScores))
    """Data set -> scores on `dev`, where thresholds are chosen."""
    captions: dict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))
    """Data set -> window -> hit, a question."""
    similarity_alone: bool = True
    """Whether L2 and the similarity ranker have put all candidates in the same order."""
    threshold: float | None = None
    """Of the ranker itself."""

    def add(self, row: ResultRow) -> None:
        """Take a row; one of another experiment, or with an error, holds nothing of it."""
        if row.error is not None:
            return
        if row.setting in (RETRIEVED, REWRITTEN):
            self._add_orders(row)
        elif row.setting in (GRADED, GRADED_DEV):
            self._add_graded(row)

    def _add_orders(self, row: ResultRow) -> None:
        values: dict[str, dict[str, float]] = {name: {} for name in TITLES}
        for order in ORDERS:
            found = {
                NDCG: ndcg([row], order)[0],
                RECALL: recall(row, order, CANDIDATES),
                ALL_FOUND: all_found(row, order, DEPTH),
            }
            for name, value in found.items():
                if value is not None:
                    values[name][order] = value
        if all(len(of) == len(ORDERS) for of in values.values()):
            self.similarity_alone &= row.layers["rank"] == row.layers["similarity"]
            part = Part(row.dataset, row.setting == REWRITTEN)
            self.ordered[part].append(Ordered(row.lang, values))

    def _add_graded(self, row: ResultRow) -> None:
        self.threshold = row.ranker_threshold
        if row.split == "dev":
            self.dev[row.dataset].add(row)
        if row.setting == GRADED:
            self.graded[row.dataset, row.lang].add(row)
            hits = (
                caption_hit(row),
                beginning_hit(row),
                beginning_hit(row, 300),
                sentence_hit(row),
            )
            known = {name: hit for name, hit in zip(WINDOWS, hits, strict=True) if hit is not None}
            if len(known) == len(WINDOWS):
                self.captions[row.dataset].append(known)

    def graded_sets(self) -> dict[str, GradedScores]:
        """Give the scores of each data set, all languages together."""
        names = dict.fromkeys(dataset for dataset, _ in self.graded)
        return {
            name: GradedScores.joined(g for (of, _), g in self.graded.items() if of == name)
            for name in names
        }
