from pathlib import Path

from headwater.domain.request import Overrides
from headwater.evaluation.data.questions import Choice, Placed
from headwater.evaluation.data.rows import QueryRow
from headwater.evaluation.record import Gold
from headwater.evaluation.run.experiment import Request
from headwater.evaluation.run.experiments.languages import across, scenes

QUERY = QueryRow(id="q1", question="Wo?", answers=["Hier"])
OWN = Gold(source="german", doc="de-1", grade=4)


def test_across_languages_the_own_source_is_left_out_and_translations_count() -> None:
    english = Gold(source="english", doc="en-1", grade=4)

    asking = across(Placed(QUERY, "Wo?", [OWN], [english]), Overrides(answer=False))

    assert asking is not None
    assert asking.placed.gold == [english]
    assert asking.placed.row.answers == []
    assert asking.overrides == Overrides(answer=False, never_query=["german"])


def test_a_translation_in_the_same_source_cannot_be_asked_for_alone() -> None:
    beside = Gold(source="german", doc="en-1", grade=4)

    assert across(Placed(QUERY, "Wo?", [OWN], [beside]), Overrides()) is None


def test_across_languages_concerns_only_what_is_translated(data: Path, tmp_path: Path) -> None:
    request = Request(
        choice=Choice(split="test"), cache=tmp_path, data=data, bases=["multilingual_wiki_3"]
    )

    [scene] = scenes(request)

    crossed = {t.key[2] for t in scene.tasks if t.setting.name == "cross-language"}
    assert crossed == {"xquad"}
    assert {t.key[2] for t in scene.tasks} > crossed
