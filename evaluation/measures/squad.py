"""Answers compared as strings: exact match, token F1, containment, after SQuAD normalisation.

Sources: Rajpurkar et al. 2016, "SQuAD: 100,000+ Questions for Machine Comprehension of Text",
arXiv:1606.05250, section 5, and its official script; for other languages Lewis et al. 2020,
"MLQA", arXiv:1910.07475, section 3.3: punctuation of any script, the articles of the language,
and for Chinese each character a token while runs of Latin letters and digits stay whole.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ...domain.words import is_cjk

_ARTICLES = {
    "en": r"\b(?:a|an|the)\b",
    "fr": r"\b(?:le|la|les|l|un|une|des|du|de|d|au|aux)\b",
    "de": r"\b(?:ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "es": r"\b(?:un|una|unos|unas|el|la|los|las)\b",
}
_WITHOUT_ARTICLE = {lang: re.compile(words) for lang, words in _ARTICLES.items()}
_ANSWER = 2_000
"""Characters; a longer text is not remembered."""
_ASCII_MARKS = string.punctuation.encode()
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_APOSTROPHE = re.compile(r"(?<=\b[cdjlmnst])['’]", re.IGNORECASE)


def answer_tokens(text: str, lang: str = "en") -> tuple[str, ...]:
    """Give the tokens that answers are compared by; empty where nothing but marks is left.

    Lower case, no punctuation, no articles of `lang`, split at white space; a language without a
    list of articles keeps its articles. Chinese and the like also fall apart into characters.
    """
    return _remembered(text, lang) if len(text) <= _ANSWER else _tokens(text, lang)


def _tokens(text: str, lang: str) -> tuple[str, ...]:
    return _taken_apart(_bare(text, lang), lang)


def _bare(text: str, lang: str) -> str:
    """Give the text in lower case and without marks; each of its tokens is a part of it."""
    lowered = _APOSTROPHE.sub(" ", text.lower()) if lang == "fr" else text.lower()
    # In bytes marks go at once; a text has few other marks that differ, but many characters.
    kept = lowered.encode("utf-8", "surrogatepass").translate(None, _ASCII_MARKS)
    bare = kept.decode("utf-8", "surrogatepass")
    for character in set("".join(_BEYOND_ASCII.findall(bare))):
        if _is_mark(character):
            bare = bare.replace(character, "")
    return bare


def _taken_apart(bare: str, lang: str) -> tuple[str, ...]:
    articles = _WITHOUT_ARTICLE.get(lang)
    words = (articles.sub(" ", bare) if articles else bare).split()
    if not is_cjk(bare):
        return tuple(words)
    return tuple(token for word in words for token in _pieces(word))


_remembered = lru_cache(maxsize=4_096)(_tokens)
"""Several measures ask for the tokens of one answer; the contents of a run are asked for once."""


def exact(answer: str, references: Sequence[str], lang: str = "en") -> float:
    """Give 1 where the answer equals a reference after normalisation, else 0."""
    said = answer_tokens(answer, lang)
    return float(any(said == answer_tokens(reference, lang) for reference in references))


def f1(answer: str, references: Sequence[str], lang: str = "en") -> float:
    """Give the best harmonic mean of token precision and recall over the references, in [0, 1].

    Two texts without any token agree.
    """
    said = answer_tokens(answer, lang)
    return max((_f1(said, answer_tokens(r, lang)) for r in references), default=0.0)


def contains(text: str, references: Sequence[str], lang: str = "en") -> float:
    """Give 1 where the tokens of a reference stand in `text` side by side, else 0.

    Whole tokens: a reference "no" is not in "know". A reference without tokens is in no text.
    """
    bare = _bare(text, lang)
    wanted = [tokens for r in references if (tokens := answer_tokens(r, lang))]
    # Most contents lack some word of the reference altogether and need not be taken apart.
    wanted = [tokens for tokens in wanted if all(token in bare for token in tokens)]
    said = _side_by_side(_taken_apart(bare, lang)) if wanted else ""
    return float(any(_side_by_side(tokens) in said for tokens in wanted))


def _f1(said: tuple[str, ...], wanted: tuple[str, ...]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    shared = sum((Counter(said) & Counter(wanted)).values())
    return 2.0 * shared / (len(said) + len(wanted))


def _side_by_side(tokens: tuple[str, ...]) -> str:
    """Give the tokens as one text; no token has a blank in it, so that none is found in part."""
    return f" {' '.join(tokens)} "


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


def _pieces(word: str) -> list[str]:
    """Take a word with Chinese, Japanese or Korean characters apart; any other stays whole."""
    if not is_cjk(word):
        return [word]
    pieces: list[str] = []
    for character in word:
        if is_cjk(character) or not pieces or is_cjk(pieces[-1]):
            pieces.append(character)
        else:
            pieces[-1] += character
    return pieces
