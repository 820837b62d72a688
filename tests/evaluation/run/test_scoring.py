"""What models and windows make of given passages."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.caption import TermWeights
from headwater.domain.ports import JudgeTask, RankTask, Scorable, Verdict
from headwater.domain.sentences import Span
from headwater.evaluation.run.scoring import (
    grades_of,
    lexical_sentence,
    scores_of,
    threshold_of,
    windows,
)
from headwater.models.ranker.scores import Scored
from tests.fakes import FakeClassifier, FakeRanker

SEALS = "Pumps are blue. The seal of the pump is rubber. Blue pumps are loud."


class StatingRanker(FakeRanker):
    """A ranker that says how likely each passage is relevant; its threshold is 1.5."""

    threshold = 1.5

    async def scored(self, tasks: Sequence[RankTask]) -> list[list[Scored]]:
        return [[Scored(score, score / 8) for score in row] for row in await self.score(tasks)]


PASSAGES = [Scorable("green tea"), Scorable("coal"), Scorable("tea")]


async def test_scores_come_in_the_order_of_the_passages_and_each_is_asked_for_once() -> None:
    ranker = FakeRanker()

    found = await scores_of(ranker, "green tea", PASSAGES)

    assert (found.scores, found.likely) == ([4.0, 0.0, 2.0], None)
    assert [len(task.passages) for call in ranker.calls for task in call] == [3]


async def test_a_ranker_that_states_probabilities_is_asked_once_for_both() -> None:
    ranker = StatingRanker()

    found = await scores_of(ranker, "green tea", PASSAGES)

    assert (found.scores, found.likely) == ([4.0, 0.0, 2.0], [0.5, 0.0, 0.25])
    assert len(ranker.calls) == 1


def test_the_threshold_is_that_of_the_ranker_where_it_has_one() -> None:
    assert threshold_of(StatingRanker()) == 1.5
    assert threshold_of(FakeRanker()) is None


@dataclass
class NotingClassifier(FakeClassifier):
    """Keeps the order in which passages and captions came."""

    seen: list[tuple[str, str]] = field(default_factory=list)

    async def judge(self, tasks: Sequence[JudgeTask]) -> list[Verdict]:
        for task in tasks:
            texts = [passage.text for passage in task.passages]
            self.seen += zip(texts, task.captions, strict=True)
        return await super().judge(tasks)


async def test_the_classifier_gets_the_best_first_and_grades_come_back_in_place() -> None:
    classifier = NotingClassifier()
    passages = [Scorable("coal is black"), Scorable("tea is green"), Scorable("green")]

    grades = await grades_of(
        classifier, "green tea", passages, captions=["c0", "c1", "c2"], scores=[0.5, 3.0, 2.0]
    )

    assert classifier.seen == [("tea is green", "c1"), ("green", "c2"), ("coal is black", "c0")]
    assert grades[1] == max(grades)
    assert grades[0] == min(grades) < grades[1]


def test_the_sentence_with_most_of_the_query_is_the_lexical_one() -> None:
    weights = TermWeights([SEALS, "Pumps are loud.", "Coal is black."])

    assert lexical_sentence("Which seal has the pump?", SEALS, weights).of(SEALS) == (
        "The seal of the pump is rubber."
    )


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    text = "The pump is loud. The gasket fits."
    weights = TermWeights(["The pump.", "A pump.", "Pump it.", text])

    assert lexical_sentence("pump gasket", text, weights).of(text) == "The gasket fits."


def test_without_a_common_word_it_is_the_first_sentence_and_empty_text_has_none() -> None:
    weights = TermWeights([SEALS])

    assert lexical_sentence("quarks", SEALS, weights).of(SEALS) == "Pumps are blue."
    assert lexical_sentence("quarks", " \n", weights) == Span(0, 0)


@given(st.text(max_size=60), st.lists(st.text(max_size=200), max_size=4))
def test_windows_lie_within_their_texts(query: str, texts: list[str]) -> None:
    for text, seen in zip(texts, windows(query, texts), strict=True):
        for span in (seen.caption, seen.sentence):
            assert 0 <= span.start <= span.end <= len(text)
