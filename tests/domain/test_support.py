from typing import Any

from headwater.domain.result import Reference, Scores
from headwater.domain.state import Judgement, Ranking, Reflection, SubQuery
from headwater.domain.support import Content, Support

QUERY = SubQuery("q1", "How often is the shaft seal of the X-200 replaced?")
SEAL = "The shaft seal of the X-200 is replaced every 4,000 hours."


def reference(ref_id: int, sub_query: str = "q1", **changes: Any) -> Reference:
    return Reference(
        ref_id=ref_id, source="a", id=f"p{ref_id}", sub_query=sub_query, round=1, **changes
    )


def supports(
    *texts: str, queries: tuple[SubQuery, ...] = (QUERY,), score: float | None = 2.0, **more: Any
) -> list[Support]:
    references = more.pop("references", [reference(n) for n in range(1, len(texts) + 1)])
    keys = [f"a:{ref.id}" for ref in references]
    rankings = [Ranking("q1", keys, [score] * len(keys), [[0, 0]] * len(keys))]
    more.setdefault("rankings", rankings)
    return Content(references, texts, [""] * len(texts), **more).supports(queries)


def judged(decision: str, grade: float) -> Judgement:
    return Judgement("q1", ["a:p1"], [grade], [[0, 0, 0, 0, 1.0]], 0.5, 0.8, decision)  # type: ignore[arg-type]


def test_a_sentence_that_holds_the_words_answers() -> None:
    found = supports(SEAL)[0]

    assert (found.extent, [q.text for q in found.quotes]) == ("answered", [SEAL])


def test_content_on_something_else_does_not_answer() -> None:
    assert supports("Hotels are refunded up to 300 euros a night.")[0].extent == "not_found"


def test_no_content_at_all_is_not_found() -> None:
    assert supports()[0] == Support(QUERY, "not_found", [])


def test_the_words_alone_do_not_help_a_passage_that_the_models_find_unrelated() -> None:
    assert supports(SEAL, score=0.4)[0].extent == "not_found"
    assert supports(SEAL, judgements=[judged("reflect", 0.0)], score=1.0)[0].extent == "not_found"


def test_a_strong_passage_needs_no_common_words() -> None:
    assert supports("Gaskets last for half a year of shifts.", score=3.6)[0].quotes


def test_without_any_score_the_words_have_to_convince() -> None:
    assert supports(SEAL, score=None)[0].extent == "answered"


def test_few_words_in_common_answer_only_in_part() -> None:
    text = "The X-200 is painted blue before it leaves the works."

    query = SubQuery("q1", "Which shaft seal does the mechanic fit to the X-200?")

    assert supports(text, queries=(query,), score=3.0)[0].extent == "partly_found"


def test_without_the_value_that_is_asked_for_the_words_are_no_evidence() -> None:
    text = "The shaft seal of the X-200 is replaced in the depot."

    assert supports(text, score=1.5)[0].extent == "not_found"
    assert supports(SEAL, score=1.5)[0].extent == "answered"
    assert supports(text, score=3.6)[0].quotes


def test_what_reflection_missed_is_named_until_a_follow_up_brings_it() -> None:
    reflection = Reflection("q1", False, [], missing="recall")
    follow_up = SubQuery("q2", "recall of the shaft seal S-14", round=2, parent="q1")
    recall = "The recall of the shaft seal S-14 began in March."
    rankings = [
        Ranking("q1", ["a:p1"], [2.0], [[0, 0]]),
        Ranking("q2", ["a:p2"], [3.0], [[0, 0]]),
    ]

    before = supports(SEAL, reflections=[reflection])[0]
    after = supports(
        SEAL,
        recall,
        queries=(QUERY, follow_up),
        references=[reference(1), reference(2, "q2")],
        rankings=rankings,
        reflections=[reflection],
    )

    assert (before.extent, before.missing) == ("partly_found", "recall")
    assert [s.extent for s in after] == ["answered"]
    assert [q.text for q in after[0].quotes] == [SEAL, recall]


def test_a_satisfied_classifier_or_reflection_settles_it() -> None:
    text = "The X-200 is painted blue before it leaves the works."

    assert supports(text, judgements=[judged("exit", 4.0)])[0].extent == "answered"
    assert supports(text, score=2.5, reflections=[Reflection("q1", True, [])])[0].extent == (
        "answered"
    )


def test_a_passage_kept_for_another_sub_query_counts_for_both() -> None:
    other = SubQuery("q2", "Which shaft seal interval has the X-200?")
    rankings = [Ranking(q, ["a:p1"], [3.0], [[0, 0]]) for q in ("q1", "q2")]

    found = supports(SEAL, queries=(QUERY, other), rankings=rankings)

    assert [s.extent for s in found] == ["answered", "answered"]


def test_scores_of_the_reference_serve_where_no_ranking_has_it() -> None:
    scored = reference(1, scores=Scores(ranker=0.2))

    assert supports(SEAL, references=[scored], rankings=[])[0].extent == "not_found"


def test_a_strong_passage_in_another_language_answers() -> None:
    french = "La pièce d'étanchéité est changée toutes les 4 000 heures par le service."

    assert supports(french, score=3.6)[0].extent == "answered"
