import pytest

from headwater.domain.errors import ModelOutputError
from headwater.domain.ports import Embedder, RankTask, Scorable
from headwater.models.similarity_ranker import open_similarity_ranker

QUESTION = "Which seal fits the X-200 pump?"
GOOD = Scorable("The X-200 pump takes seal S-7. It fits without tools.", title="X-200")
NEAR = Scorable("The X-100 pump needs oil every month.", title="X-100")
FAR = Scorable("Employees get 28 days of holiday a year.", title="Holiday")


async def test_a_better_passage_scores_higher_on_one_scale(embedder: Embedder) -> None:
    tasks = [RankTask(QUESTION, [FAR, GOOD, NEAR])]

    ((far, good, near),) = await open_similarity_ranker(embedder).score(tasks)

    assert 4.0 >= good > near > far >= 0.0
    assert good > 2.0
    assert far < 1.0


async def test_answers_in_french_and_chinese_are_found(embedder: Embedder) -> None:
    ranker = open_similarity_ranker(embedder)
    french = [Scorable("Le joint S-7 convient à la pompe X-200."), FAR]
    chinese = [Scorable("密封件S-7适用于X-200水泵。"), Scorable("员工每年有二十八天假期。")]

    scores = await ranker.score(
        [RankTask("Quel joint convient à la pompe X-200 ?", french),
         RankTask("哪种密封件适用于X-200水泵？", chinese)]
    )  # fmt: skip

    assert [row[0] > row[1] + 0.5 for row in scores] == [True, True]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How far may the pump be lifted?", "该泵最多可提升三米。"),
        ("该泵最多可提升多少米？", "The pump may be lifted by three metres at most."),
        ("Wie weit darf die Pumpe gehoben werden?", "该泵最多可提升三米。"),
        ("À quelle hauteur peut-on lever la pompe ?", "The pump may be lifted by three metres."),
    ],
)
async def test_an_answer_in_another_language_is_not_dropped(
    embedder: Embedder, question: str, answer: str
) -> None:
    ranker = open_similarity_ranker(embedder)
    passages = [Scorable(answer), FAR, NEAR]

    ((score, *_),) = await ranker.score([RankTask(question, passages)])

    assert score >= ranker.threshold


async def test_text_without_content_is_dropped(embedder: Embedder) -> None:
    ranker = open_similarity_ranker(embedder)

    ((empty, good),) = await ranker.score([RankTask(QUESTION, [Scorable(""), GOOD])])

    assert empty < ranker.threshold <= good


@pytest.mark.parametrize("text", ["", " \n\t"])
async def test_empty_text_scores_0(embedder: Embedder, text: str) -> None:
    passages = [Scorable(text, title=QUESTION), GOOD]

    ((empty, good),) = await open_similarity_ranker(embedder).score([RankTask(QUESTION, passages)])

    assert empty == 0.0
    assert good > 2.0


@pytest.mark.parametrize("query", ["", "?", "\ud800\x00", "🙂" * 50, "why " * 5_000])
async def test_any_query_gets_scores_on_the_scale(embedder: Embedder, query: str) -> None:
    ((score,),) = await open_similarity_ranker(embedder).score([RankTask(query, [GOOD])])

    assert 0.0 <= score <= 4.0


async def test_no_task_and_no_passage_give_no_score(embedder: Embedder) -> None:
    ranker = open_similarity_ranker(embedder)

    assert await ranker.score([]) == []
    assert await ranker.score([RankTask(QUESTION, [])]) == [[]]


async def test_a_similarity_that_is_no_number_is_an_error(embedder: Embedder) -> None:
    passages = [Scorable("text", similarity=float("nan"))]

    with pytest.raises(ModelOutputError, match="nan"):
        await open_similarity_ranker(embedder).score([RankTask(QUESTION, passages)])


async def test_the_same_call_gives_the_same_scores(embedder: Embedder) -> None:
    tasks = [RankTask(QUESTION, [GOOD, NEAR, FAR])]

    first, second = [await open_similarity_ranker(embedder).score(tasks) for _ in range(2)]

    assert first == second
