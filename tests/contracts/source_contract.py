"""What every source must do."""

import asyncio

import pytest

from headwater.domain.ports import Source

ODD_QUERIES = [
    "",
    "   \n\t ",
    "?!… --- ()[]{}",
    "🙂🙃",
    "\0",
    "pump\0seal",
    "\ud800",
    "\udcff pump \ud83d",
    "AND OR NOT NEAR(",
    'title:"pump',
    "*",
    "a*",
    "(" * 5_000,
    "x" * 100_000,
    "pump seal " * 10_000,
    "的" * 3_000,
]
NOBODY: frozenset[str] = frozenset()
HR = frozenset({"group:hr"})


class SourceContract:
    """Inherit, and give a fixture `source` that holds exactly these passages.

    Two that everybody may read, one with the words `pump` and `seal`, one with the word `leave`;
    and one with the words `salary` and `pump` that only `group:hr` may read.
    """

    async def test_gives_the_best_hits_first_and_at_most_top(self, source: Source) -> None:
        found = await source.search("seal of the pump", top=1, principals=NOBODY)
        assert len(found.hits) == 1
        assert "seal" in found.hits[0].passage.text

    async def test_hits_bear_the_name_of_the_source_and_a_cosine(self, source: Source) -> None:
        found = await source.search("pump seal", top=10, principals=HR)
        assert {hit.passage.source for hit in found.hits} == {source.name}
        assert all(h.similarity is None or -1 <= h.similarity <= 1 for h in found.hits)

    async def test_no_passage_comes_twice(self, source: Source) -> None:
        found = await source.search("pump seal leave salary", top=50, principals=HR)
        keys = [hit.passage.key for hit in found.hits]
        assert len(keys) == len(set(keys)) == 3

    async def test_protected_passages_are_counted_and_not_shown(self, source: Source) -> None:
        found = await source.search("salary", top=10, principals=frozenset({"group:sales"}))
        assert not any("salary" in hit.passage.text.lower() for hit in found.hits)
        assert found.denied == 1

    async def test_who_may_read_a_protected_passage_finds_it(self, source: Source) -> None:
        found = await source.search("salary", top=10, principals=HR)
        assert "salary" in found.hits[0].passage.text.lower()
        assert found.denied == 0

    async def test_denied_passages_take_no_places(self, source: Source) -> None:
        found = await source.search("salary pump", top=2, principals=NOBODY)
        assert len(found.hits) == 2

    async def test_gives_back_by_id_what_may_be_read(self, source: Source) -> None:
        found = await source.search("pump salary leave", top=10, principals=HR)
        ids = [hit.passage.id for hit in found.hits]
        own = {p.id: p for p in await source.get([*ids, "no-such-id"], principals=HR)}
        assert own == {hit.passage.id: hit.passage for hit in found.hits}
        others = await source.get(ids, principals=NOBODY)
        assert {p.id for p in others} == {i for i, p in own.items() if p.access is None}

    @pytest.mark.parametrize("query", ODD_QUERIES, ids=lambda q: repr(q[:12]))
    async def test_no_query_is_too_odd(self, source: Source, query: str) -> None:
        found = await source.search(query, top=5, principals=NOBODY)
        assert len(found.hits) <= 2

    async def test_concurrent_searches_do_not_mix(self, source: Source) -> None:
        queries = ["pump seal", "leave", "salary", "pump"] * 8
        alone = [await source.search(q, top=3, principals=HR) for q in queries[:4]]
        together = await asyncio.gather(*(source.search(q, top=3, principals=HR) for q in queries))
        assert together == alone * 8

    async def test_a_profile_tells_how_many_passages_hold_a_term(self, source: Source) -> None:
        profile = await source.profile()
        if profile is not None:
            assert profile.passages == 3
            assert profile.document_frequency["pump"] == 2
            assert profile.document_frequency["seal"] == 1

    async def test_closing_twice_does_nothing(self, source: Source) -> None:
        await source.close()
        await source.close()
