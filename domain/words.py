"""Words as the whole project sees them: index terms, stop words, script.

The keyword index, the source profiles, the similarity features, captions and the planner all use
these functions, so that a term means the same everywhere.
"""

import re
import unicodedata
from collections.abc import Iterator

MAX_TERM = 64
"""Characters; a longer run of letters is data, not a word, and is cut here."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:[.'’_-]?[^\W_{_CJK}]+)*")
_PART = re.compile(r"[^\W_]+")
_CJK_RUN = re.compile(rf"[{_CJK}]")

# Function and question words: they carry no topic. Question words matter most, since they are in
# every question and in few passages.
STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being between both but
    by can could did do does doing during each either every few for from further had has have
    having he her here hers him his how i if in into is it its itself just let may me might more
    most must my no nor not of off on once only or other our out over own per please same shall
    she should so some such tell than that the their them then there these they this those
    through to too under until up upon us very was we were what when where whether which while
    who whom whose why will with within without would you your
    au aux avec ce ces cet cette comment dans de des du elle elles en est et etre eux il ils
    je la le les leur leurs lors mais me mes mon ne nos notre nous on ou où par pas plus pour
    pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sur ta te
    tes toi ton tu un une vos votre vous y etaient etait ont peut sera
    """.split()
)
_CJK_STOP = frozenset("的了是在和与或吗呢啊嘛吧之其这那哪么什为及被把将请")


def fold(text: str) -> str:
    """Lower-case and strip accents, so that `Préférences` and `preferences` are one word."""
    decomposed = unicodedata.normalize("NFKD", text.lower())
    kept = "".join(c for c in decomposed if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", kept)


def is_cjk(text: str) -> bool:
    """Tell whether `text` holds a Chinese, Japanese or Korean character."""
    return _CJK_RUN.search(text) is not None


def terms(text: str) -> list[str]:
    """Give the index terms of `text`, in order, repeats kept."""
    return [term for term, _, _ in located_terms(text)]


def located_terms(text: str) -> Iterator[tuple[str, int, int]]:
    """Give each index term as (term, start, end), offsets in characters of `text`.

    A term is a folded word in the singular that is no stop word. A run of CJK characters gives
    overlapping pairs. A compound such as `X-200` or `follow-up` gives itself, then its parts.
    """
    for word, start, end in located_words(text):
        if not is_stop_word(word):
            yield singular(word), start, end


def located_words(text: str) -> Iterator[tuple[str, int, int]]:
    """Give each folded word, stop words too, as (word, start, end), in characters of `text`."""
    for match in _PIECE.finditer(text):
        piece, start = match.group(), match.start()
        if is_cjk(piece):
            yield from _pairs(piece, start)
        else:
            yield fold(piece[:MAX_TERM]), start, match.end()
            yield from _parts(piece, start)


def is_stop_word(word: str) -> bool:
    """Tell whether a folded word carries no topic of its own."""
    if is_cjk(word):
        return all(character in _CJK_STOP for character in word)
    return word in STOP_WORDS or (len(word) == 1 and not word.isdigit())


def singular(word: str) -> str:
    """Strip a plural ending, by the S stemmer (Harman 1991, "How effective is suffixing?").

    It also serves French plurals in -s. Words of up to three letters, and words with a digit
    inside, stay as they are.
    """
    if len(word) <= 3 or not word.endswith("s") or not word.isalpha():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]


_ENDING = re.compile(r"(?<=\w{4})(?:ements?|ations?|ings?|ers?|ed|es|e)$")


def stem(term: str) -> str:
    """Cut an index term down to what its forms share, at most six letters of it.

    `replaced` and `replacement` agree. For comparing two texts only: it joins unrelated words
    too often for an index.
    """
    return term if is_cjk(term) or not term.isalpha() else _ENDING.sub("", term)[:6]


def _pairs(run: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Bigrams: they find every word of two or more characters, in Chinese and in Japanese."""
    if len(run) == 1:
        yield run, start, start + 1
    for offset in range(len(run) - 1):
        yield run[offset : offset + 2], start + offset, start + offset + 2


def _parts(piece: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Parts of a compound; a number such as 3.5 has none."""
    parts = list(_PART.finditer(piece))
    if len(parts) > 1 and not piece.replace(".", "").isdigit():
        for part in parts:
            if part.end() - part.start() > 1:
                yield fold(part.group()[:MAX_TERM]), start + part.start(), start + part.end()
