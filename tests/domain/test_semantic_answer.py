import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.caption import TermWeights, caption
from headwater.domain.semantic_answer import (
    CONVINCING,
    Captioned,
    SemanticAnswer,
    Signs,
    best_answer,
    semantic_answer,
)
from headwater.domain.sentences import Span
from tests.domain.texts import anything, prose

FILLER = "The workshop opens at nine and closes at five on all days of the week. "
SEAL = FILLER * 5 + "Replace the X-200 seal every 24 months of use. " + FILLER * 5
QUESTION = "How often should the X-200 seal be replaced?"


def captioned(query: str, text: str, score: float | None = 3.6) -> Captioned:
    return Captioned(text, caption(query, text, TermWeights([text])), "Pump", score)


def shown(query: str, *passages: Captioned) -> str | None:
    found = semantic_answer(query, passages)
    return found.span.of(passages[found.passage].text) if found else None


def test_a_question_is_answered_by_the_sentence_that_tells() -> None:
    answer = shown(QUESTION, captioned(QUESTION, FILLER * 3, 1.0), captioned(QUESTION, SEAL))

    assert answer == "Replace the X-200 seal every 24 months of use."


def test_what_is_no_question_gets_no_answer() -> None:
    assert shown("X-200 seal replacement", captioned(QUESTION, SEAL)) is None


@pytest.mark.parametrize("question", ["Quand remplacer le joint ?", "多久更换X-200密封圈？"])
def test_questions_in_other_languages_are_questions(question: str) -> None:
    text = "Le joint X-200 est à remplacer tous les 24 mois. X-200密封圈需要每24个月更换。"

    assert shown(question, captioned(question, text, 4.0)) is not None


def test_a_passage_that_the_ranker_doubts_does_not_convince() -> None:
    assert shown(QUESTION, captioned(QUESTION, SEAL, 0.4)) is None


def test_words_that_are_not_there_do_not_convince() -> None:
    question = "Who painted the ceiling of the chapel in Rome?"

    assert shown(question, captioned(question, SEAL, 2.0)) is None


def test_without_scores_nothing_is_shown() -> None:
    assert shown(QUESTION, captioned(QUESTION, SEAL, None)) is None
    assert shown(QUESTION) is None


def test_a_lead_over_the_other_passages_convinces_more() -> None:
    other = FILLER * 5 + "The valve is of brass. " + FILLER * 3
    alone = best_answer(QUESTION, [captioned(QUESTION, SEAL, 3.0), captioned(QUESTION, other, 0.5)])
    beside = best_answer(
        QUESTION, [captioned(QUESTION, SEAL, 3.0), captioned(QUESTION, other, 2.9)]
    )

    assert alone is not None
    assert beside is not None
    assert alone.span == beside.span
    assert alone.signs.confidence > beside.signs.confidence


def test_only_the_best_passages_are_looked_at() -> None:
    weak = [captioned(QUESTION, FILLER * 3, 3.5) for _ in range(3)]

    found = best_answer(QUESTION, [*weak, captioned(QUESTION, SEAL, 3.4)])

    assert found is None or found.passage < 3


def test_a_higher_bar_shows_less() -> None:
    passages = [captioned(QUESTION, SEAL)]
    found = semantic_answer(QUESTION, passages)

    assert isinstance(found, SemanticAnswer)
    assert found.signs.confidence >= CONVINCING
    assert semantic_answer(QUESTION, passages, convincing=found.signs.confidence) == found
    assert semantic_answer(QUESTION, passages, convincing=1.0) is None


@given(anything, st.lists(st.tuples(prose, st.floats(0, 4)), max_size=4))
def test_an_answer_is_verbatim_inside_its_caption(
    query: str, rows: list[tuple[str, float]]
) -> None:
    passages = [captioned(query, text, score) for text, score in rows]

    found = semantic_answer(query, passages, convincing=0.0)

    if found:
        within = passages[found.passage].caption
        assert within.start <= found.span.start < found.span.end <= within.end


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1), st.floats(0, 1))
def test_confidence_is_a_chance_that_grows_with_every_sign(
    score: float, coverage: float, margin: float, more: float
) -> None:
    base = Signs(score, coverage, margin).confidence

    assert 0.0 < base < 1.0
    for better in (
        Signs(score + more, coverage, margin),
        Signs(score, coverage + more, margin),
        Signs(score, coverage, margin + more),
    ):
        assert better.confidence >= base


def test_an_empty_caption_has_no_answer() -> None:
    assert best_answer(QUESTION, [Captioned("", Span(0, 0), score=4.0)]) is None
