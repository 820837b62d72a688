from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headwater.domain.ports import Scorable
from headwater.models.ranker.evidence import features_of, lexical_evidence
from headwater.models.ranker.scores import FEATURES
from headwater.models.training.candidate_table import (
    NEAR_MISSES,
    Candidates,
    Wanted,
    candidates_of,
    cut_corpus,
    sets_of,
    table_of,
)
from headwater.models.training.ranking.sets import LabelledSet
from tests.models.training.parts_data import write_parts
from tests.models.training.ranking.made import WordEmbedder


@pytest.fixture
def parts(tmp_path: Path) -> LabelledSet:
    (found,) = sets_of(Wanted(data=write_parts(tmp_path / "data")))
    return found


async def found_in(parts: LabelledSet, tmp_path: Path, depth: int = 20) -> list[Candidates]:
    return await candidates_of(parts, WordEmbedder(), tmp_path, depth=depth)


async def test_what_was_found_comes_first_and_what_was_labelled_is_never_missing(
    parts: LabelledSet, tmp_path: Path
) -> None:
    for one, query in zip(await found_in(parts, tmp_path), parts.queries, strict=True):
        found = [rank for rank in one.ranks if rank]
        assert found == sorted(found)
        assert one.ranks[len(found) :] == [0] * (len(one.ranks) - len(found))
        labelled = {(p.text, g) for p, g, known in zip(one.passages, one.grades, one.labelled,
                                                       strict=True) if known}  # fmt: skip
        assert labelled == {(parts.passages[i].text, g) for i, g in query.grades.items()}


async def test_what_nobody_labelled_is_a_near_miss_where_it_was_found_early(
    parts: LabelledSet, tmp_path: Path
) -> None:
    for one in await found_in(parts, tmp_path):
        rows = zip(one.ranks, one.grades, one.labelled, strict=True)
        unlabelled = [(rank, grade) for rank, grade, known in rows if not known]
        assert unlabelled
        assert all(grade == (1 if rank <= NEAR_MISSES else 0) for rank, grade in unlabelled)


async def test_blank_passages_and_translations_that_were_not_found_are_left_out(
    parts: LabelledSet, tmp_path: Path
) -> None:
    graded = [replace(q, grades={**q.grades, "blank": 1, "fr": 4}) for q in parts.queries]

    for one in await found_in(replace(parts, queries=graded), tmp_path):
        assert all(passage.text.strip() for passage in one.passages)
        assert {passage.language for passage in one.passages} == {"en"}


async def test_a_set_that_is_read_in_context_has_its_labelled_passages_only(
    parts: LabelledSet, tmp_path: Path
) -> None:
    for one in await found_in(replace(parts, name="tatqa"), tmp_path):
        assert all(one.labelled)
        assert not any(one.ranks)


async def test_a_cut_corpus_keeps_what_is_labelled(parts: LabelledSet) -> None:
    needed = {i for query in parts.queries for i in query.grades}

    assert set(cut_corpus(parts, 1, 7).passages) == needed
    assert len(cut_corpus(parts, len(needed) + 3, 7).passages) == len(needed) + 3
    assert cut_corpus(parts, 10_000, 7).passages == parts.passages
    assert cut_corpus(parts, 20, 7) == cut_corpus(parts, 20, 7)


async def test_features_are_those_that_serving_computes(parts: LabelledSet, tmp_path: Path) -> None:
    def logits(query: str, passages: Sequence[Scorable]) -> list[float]:
        return [float(len(query) + len(passage.text)) for passage in passages]

    found = await found_in(parts, tmp_path)

    table = await table_of([("parts", found)], WordEmbedder(), logits)

    assert table.features.shape == (sum(len(one.passages) for one in found), len(FEATURES))
    one = found[3]
    rows = np.flatnonzero(table.queries == 3)
    for place, passage in zip(rows, one.passages, strict=True):
        row = dict(zip(FEATURES, table.features[place].tolist(), strict=True))
        assert row["logit"] == len(one.query) + len(passage.text)
        assert 0.0 < row["similarity"] <= 1.0
        expected = features_of(lexical_evidence(one.query, passage))
        assert {name: row[name] for name in expected} == expected
    assert set(table.datasets) == {"parts"}
    assert set(table.languages) == {"en"}


async def test_without_a_network_the_logit_is_nothing(parts: LabelledSet, tmp_path: Path) -> None:
    table = await table_of([("parts", await found_in(parts, tmp_path))], WordEmbedder(), None)

    assert not table.features[:, FEATURES.index("logit")].any()


async def test_what_the_network_cannot_read_is_left_out(parts: LabelledSet, tmp_path: Path) -> None:
    found = await found_in(parts, tmp_path)
    first = found[0].passages[0]

    def logits(_query: str, passages: Sequence[Scorable]) -> list[float | None]:
        return [None if passage == first else 1.0 for passage in passages]

    table = await table_of([("parts", found)], WordEmbedder(), logits)

    readable = [[p for p in one.passages if p != first] for one in found]
    assert len(table.grades) == sum(map(len, readable))
    assert table.features[0, FEATURES.index("similarity")] > 0.0
    assert table.grades[0] == found[0].grades[1]
