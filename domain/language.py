"""Which language a sentence is in, told from its script and its function words."""

import re
from functools import lru_cache

from .words import is_cjk

_FUNCTION_WORDS = {
    "en": "the of and is are was were to in for with that this it on by not from has have which",
    "fr": "le la les des est sont une dans pour avec que qui du au aux pas sur par ce cette il",
    "de": "der die das und ist sind ein eine nicht mit für auf den dem von zu wird im bei als",
    "es": "el los las es son una en para con que del por no se su como más al lo fue",
}
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_WORDS = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}


@lru_cache(maxsize=1024)
def language_hint(text: str) -> str | None:
    """Give `zh`, `ja`, `ko`, `en`, `fr`, `de` or `es`; `None` where nothing tells.

    Latin script needs two function words of a language and more than of any other. It only
    decides whether words can be compared at all, so that it may abstain.
    """
    if is_cjk(text):
        letters = sum(c.isalpha() for c in text)
        foreign = sum(c.isascii() and c.isalpha() for c in text)
        if foreign * 5 < letters * 4:
            return "ja" if _KANA.search(text) else "ko" if _HANGUL.search(text) else "zh"
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {language: sum(w in known for w in words) for language, known in _WORDS.items()}
    ranked = sorted(counts, key=lambda language: -counts[language])
    first, second = ranked[:2]
    return first if counts[first] >= 2 and counts[first] > counts[second] else None


def comparable(left: str, right: str) -> bool:
    """Tell whether the words of two texts can be compared; where unknown, they can."""
    one, other = language_hint(left), language_hint(right)
    return one is None or other is None or one == other
