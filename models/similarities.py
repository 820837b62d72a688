"""Cosines between queries and passages, embedding only what is not known yet."""

from collections.abc import Sequence

from ..domain.ports import Embedder, Scorable, Vector


async def fill_similarities(
    embedder: Embedder, asked: Sequence[tuple[str, Sequence[Scorable]]]
) -> list[list[float]]:
    """Give the cosine of every passage to its query, in the order given.

    A passage that brings its cosine keeps it. All texts of all queries are embedded in one go,
    equal ones once; a passage is embedded below its title and heading, as sources embed theirs.
    Empty text has the cosine 0. Raises ModelError.
    """
    unknown = {
        embedded_text(passage): None
        for _, passages in asked
        for passage in passages
        if passage.similarity is None and passage.text.strip()
    }
    if not unknown:
        return [[passage.similarity or 0.0 for passage in passages] for _, passages in asked]
    queries = list(dict.fromkeys(query for query, _ in asked))
    of_query = dict(zip(queries, await embedder.embed_queries(queries), strict=True))
    texts = list(unknown)
    of_text = dict(zip(texts, await embedder.embed_passages(texts), strict=True))
    return [
        [_similarity(passage, of_query[query], of_text) for passage in passages]
        for query, passages in asked
    ]


def embedded_text(passage: Scorable) -> str:
    """Give the text whose vector stands for a passage."""
    above = dict.fromkeys([passage.title, passage.heading])
    return "\n".join([*(part for part in above if part.strip()), passage.text])


def cosine(left: Vector, right: Vector) -> float:
    """Multiply two unit vectors; the result is kept inside [-1, 1] against rounding."""
    product = sum(a * b for a, b in zip(left, right, strict=True))
    return min(1.0, max(-1.0, product))


def _similarity(passage: Scorable, query: Vector, of_text: dict[str, Vector]) -> float:
    if passage.similarity is not None:
        return passage.similarity
    held = of_text.get(embedded_text(passage))
    return 0.0 if held is None else cosine(query, held)
