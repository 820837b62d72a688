"""The language of a text, as ISO 639-1."""

import re
import threading
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier  # type: ignore[import-untyped]

CANDIDATES = (
    "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr",
    "hu", "id", "it", "lt", "lv", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "th", "tr",
    "uk", "vi",
)  # fmt: skip
"""Languages that are told apart by their letters. More of them cost accuracy on short questions."""
MIN_LETTERS = 8
"""A shorter text, in a script with letters, shows no language."""
MIN_CONFIDENCE = 0.3
"""Posterior of the best candidate below which the text is undecided."""
_READ = 4_000
"""Characters that are looked at; more changes nothing."""

_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af\u1100-\u11ff]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")
_CJK_SHARE = 0.3
"""Least share of such characters among the letters: a few names do not make a text Chinese."""
_KANA_SHARE = 0.05
"""Least share of kana among Japanese characters; Chinese text quotes fewer."""
_LOADING = threading.Lock()


def detect(text: str) -> str | None:
    """Tell the language of a question or a text; `None` where it is too short or undecided.

    Japanese, Korean and Chinese are told by their scripts, the others by naive Bayes over byte
    n-grams (Lui and Baldwin 2012, "langid.py"), among `CANDIDATES`. Safe to call from threads.
    """
    text = text[:_READ]
    letters = len(_LETTER.findall(text))
    if not letters:
        return None
    if by_script := _by_script(text, letters):
        return by_script
    if letters < MIN_LETTERS:
        return None
    language, confidence = _identifier().classify(text)
    return str(language) if confidence >= MIN_CONFIDENCE else None


def _by_script(text: str, letters: int) -> str | None:
    kana, hangul, han = (len(script.findall(text)) for script in (_KANA, _HANGUL, _HAN))
    if kana + hangul + han < _CJK_SHARE * letters:
        return None
    if hangul > kana + han / 2:
        return "ko"
    return "ja" if kana > _KANA_SHARE * (kana + han) else "zh"


def _identifier() -> "LanguageIdentifier":
    with _LOADING:  # else two first callers would both load the model
        return _load()


@cache
def _load() -> "LanguageIdentifier":
    """Load the model, about 0.3 s; an instance of our own, since the package's can be changed."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(CANDIDATES)
    return identifier
