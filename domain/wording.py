"""The wording of a question: clean text, proper names, and what it is about."""

import re
from collections import Counter
from collections.abc import Iterable

from .entities import names
from .words import fold, is_cjk, is_stop_word, located_words, singular, terms

SUB_QUERY_CHARS = 400
"""Longest text of a sub-query; more words blur its vector and cost keyword search time."""
SUBJECT_CHARS = 80
"""Longest subject that is carried from one question to the next."""
_SUBJECT_WORDS = 8
_CJK_SUBJECT_CHARS = 20

_UNUSABLE = re.compile(r"[\ud800-\udfff\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_ELISION = re.compile(r"^(?:qu|jusqu|lorsqu|[ldsnjcmt])['’](?=\w)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s$")
_OPENING = re.compile(
    r"^(?:please|compare|describe|explain|list|name|give|find|tell|show|answer|using|according|yes"
    r"|no|liste[rz]?|donne[rz]?|explique[rz]?|comparer?z?|citez?|(?:qu['’])?est-ce)\b",
    re.IGNORECASE,
)
_EMPTY_NOUNS = frozenset(
    "difference compare between mean thing question part tell explain many much often long way"
    " entre combien doit faut est-ce".split()
)


def clean(text: str) -> str:
    """Replace lone surrogates and control characters by spaces; only line feeds stay."""
    return _UNUSABLE.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def one_line(text: str) -> str:
    """Join all white space to single spaces."""
    return " ".join(clean(text).split())


def shorten(text: str, limit: int = SUB_QUERY_CHARS) -> str:
    """Condense `text` to one line of at most `limit` characters, cut at words.

    Long text keeps its beginning, its end, where the question usually stands, and between them,
    in order, its rarest words; numbers and names go before other words.
    """
    line = one_line(text)
    if len(line) <= limit:
        return line
    head = _cut(line, limit * 2 // 5)
    tail = _cut_front(line, limit * 2 // 5)
    middle = line[len(head) : len(line) - len(tail)]
    rare = _rarest(middle, limit - len(head) - len(tail) - 2)
    return " ".join(filter(None, [head, rare, tail]))


def names_in(text: str) -> list[str]:
    """Give the names, model numbers and quoted titles of a question, in order, distinct.

    The verb that opens a request ("Compare X-200 …") and a possessive ending are no part of them.
    """
    found = (_one_script(_POSSESSIVE.sub("", name.text)) for name in names(text))
    bare = (_OPENING.sub("", name).strip() for name in found)
    return list(dict.fromkeys(name for name in bare if name))


def _one_script(name: str) -> str:
    """End a name that begins in Latin letters where Chinese or Japanese ones begin."""
    latin = re.match(r"[\x21-\u024f](?:[\x20-\u024f]*[\x21-\u024f])?", name)
    return latin.group() if latin and is_cjk(name) else name


def is_code(word: str) -> bool:
    """Tell whether `word` mixes letters and digits, as model numbers do."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def subject_of(text: str) -> str:
    """Give what `text` is about, at most `SUBJECT_CHARS` characters; empty for nothing.

    The topic words of a short text, in order; of a long one its names. Of a Chinese question what
    stands before its first question word.
    """
    names = names_in(text)
    if is_cjk(text):
        return _joined(names, "、") or _cjk_subject(text)
    words = topic_words(text)
    if names and len(words) > _SUBJECT_WORDS:
        return _joined(names, ", ")
    return _joined(words[:_SUBJECT_WORDS], " ")


def topic_words(text: str) -> list[str]:
    """Give the words of `text` that carry a topic, as they are written, distinct, in order."""
    words: dict[str, str] = {}
    last_end = 0
    for _, start, end in located_words(text):
        if start < last_end:
            continue
        last_end = end
        written = _ELISION.sub("", text[start:end])
        term = singular(fold(written))
        if not is_stop_word(fold(written)) and term not in _EMPTY_NOUNS:
            words.setdefault(term, written)
    return list(words.values())


def distinct(texts: Iterable[str]) -> list[str]:
    """Drop texts that are empty or that repeat an earlier one but for case and white space."""
    kept: dict[str, str] = {}
    for text in texts:
        line = one_line(text)
        if line:
            kept.setdefault(fold(line), line)
    return list(kept.values())


def _cut(line: str, limit: int) -> str:
    cut = line.rfind(" ", 0, limit + 1)
    return line[: cut if cut > 0 else limit].rstrip()


def _cut_front(line: str, limit: int) -> str:
    cut = line.find(" ", len(line) - limit - 1)
    return line[cut + 1 if cut >= 0 else len(line) - limit :].lstrip()


def _rarest(text: str, room: int) -> str:
    """Pick the rarest words of `text` that fit in `room` characters, in their order."""
    words = list(dict.fromkeys(word.strip(".,;:!?()[]\"'") for word in text.split()))
    words = [word for word in words if 1 < len(word) <= room and terms(word)]
    counts = Counter(fold(word.strip(".,;:!?()[]\"'")) for word in text.split())
    order = sorted(words, key=lambda w: (counts[fold(w)], not is_code(w), not w[:1].isupper()))
    chosen: set[str] = set()
    for word in order:
        if len(word) + 1 > room:
            break
        chosen.add(word)
        room -= len(word) + 1
    return " ".join(word for word in words if word in chosen)


def _cjk_subject(text: str) -> str:
    """What stands before the first possessive, copula or question word of a Chinese question."""
    head = re.split(r"[的是在有要，,。？?和与]|什么|怎么|如何|为什么|哪|多少|多久|能|可以", text)
    return next((part.strip() for part in head if part.strip()), "")[:_CJK_SUBJECT_CHARS]


def _joined(parts: list[str], glue: str) -> str:
    subject = ""
    for part in parts:
        longer = f"{subject}{glue}{part}" if subject else part
        if len(longer) > SUBJECT_CHARS:
            break
        subject = longer
    return subject
