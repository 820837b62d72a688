"""Words as the whole project sees them: index terms, stop words, script.

The keyword index, the source profiles, the similarity features, captions and the planner all use
these functions, so that a term means the same everywhere.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Set
from functools import lru_cache

MAX_TERM = 64
"""Characters; a longer run of letters is data, not a word, and is cut here."""

_REMEMBERED = 16_384
"""Distinct words whose analysis is kept: nearly all of a text is made of few words. About 5 MB;
analysing a text takes a fifth of the time that it takes without."""

_PASSAGE = 4_000
"""Characters; longer texts are not passages, and their terms are not kept."""

_CJK = (
    "\u3005\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\U00020000-\U0003ffff"
)
_JOINERS = "\u00ad\u200c\u200d"
# Combining marks belong to the letter before them, but `\w` leaves most of them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u0900-\u0963\u0971-\u0dff\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd" + _JOINERS
)
_LETTERS = rf"[^\W_{_CJK}]+(?:[{_MARKS}]+[^\W_{_CJK}]*)*"
_GROUPED = r"\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+(?:\.\d+)?"
_COMMA = r"\d{1,3}(?:\.\d{3})+,\d+|\d+,\d+"
_NUMBER = rf"(?<!\d[.,])(?:{_GROUPED}|{_COMMA})(?![^\W_{_CJK}]|[.,]\d)"
_PIECE = re.compile(rf"(?=\d){_NUMBER}|{_LETTERS}(?:[.'’_-]{_LETTERS})*|[{_CJK}]+")
_PART = re.compile(_LETTERS)
_WRITTEN_NUMBER = re.compile(_NUMBER)
_GROUPED_NUMBER = re.compile(_GROUPED)
# Numbers that a version or a unit sticks to: `v2.3.1`, `240V`, `3.5mm`.
_NUMBER_INSIDE = re.compile(r"[vV](\d+(?:\.\d+)+)|(\d+(?:\.\d+)?)[^\W\d_]{1,3}")
_ELIDED = re.compile(r"(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’](?=\w)", re.IGNORECASE)
_CONTRACTED = re.compile(r"(?:(?<!ca)n['’]t|['’](?:s|t|d|m|re|ve|ll))$", re.IGNORECASE)
_CJK_RUN = re.compile(rf"[{_CJK}]")
# Letters that Unicode does not take apart, as they are typed where the keyboard lacks them.
_PLAIN = str.maketrans(
    {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i", **dict.fromkeys(_JOINERS, "")}
)

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
    who whom whose why will with within without would you your wo e.g i.e
    au aux avec ce ces cet cette comment dans de des du elle elles en est et etre eux il ils
    je la le les leur leurs lors mais me mes mon ne nos notre nous on ou où par pas plus pour
    pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sur ta te
    tes toi ton tu un une vos votre vous y etaient etait ont peut sera
    """.split()
)
_CJK_STOP = frozenset("的了是在和与或吗呢啊嘛吧之其这那哪么什为及被把将请")


def fold(text: str) -> str:
    """Lower-case and strip accents, so that `Préférences` and `preferences` are one word.

    Also `ß` becomes `ss`, `œ` becomes `oe`, full-width letters become plain ones.
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare.casefold().translate(_PLAIN))


def is_cjk(text: str) -> bool:
    """Tell whether `text` holds a Chinese, Japanese or Korean character."""
    return _CJK_RUN.search(text) is not None


def terms(text: str) -> list[str]:
    """Give the index terms of `text`, in order, repeats kept."""
    return list(_reading(text)[0])


def term_places(wanted: Set[str], text: str) -> list[tuple[str, int]]:
    """Give those of the terms of `text` that are wanted, each with its start, in order."""
    found, starts = _reading(text)
    return [pair for pair in zip(found, starts, strict=True) if pair[0] in wanted]


def located_terms(text: str) -> Iterator[tuple[str, int, int]]:
    """Give each index term as (term, start, end), offsets in characters of `text`.

    A term is a folded word in the singular that is no stop word. A run of CJK characters gives
    overlapping pairs. A compound gives itself, written together, then its parts: `X-200` gives
    `x200` and `200`, so that `X200` finds it; `follow-up` gives `followup` and `follow`. A number
    gives itself with a decimal point and no grouping: `1,200.5` gives `1200.5`. A number with a
    unit, or a version, also gives the bare number: `240V` gives `240v` and `240`.
    """
    for match in _PIECE.finditer(text):
        place = match.start()
        for term, start, end in _terms_of(match.group()):
            yield term, place + start, place + end


def located_words(text: str) -> Iterator[tuple[str, int, int]]:
    """Give each folded word, stop words too, as (word, start, end), in characters of `text`."""
    for match in _PIECE.finditer(text):
        place = match.start()
        for word, start, end in _words_of(match.group()):
            yield word, place + start, place + end


def is_stop_word(word: str) -> bool:
    """Tell whether a folded word carries no topic of its own."""
    if is_cjk(word):
        return all(character in _CJK_STOP for character in word)
    return word in STOP_WORDS or (len(word) == 1 and not word.isdigit())


def singular(word: str) -> str:
    """Strip a plural ending, by the S stemmer (Harman 1991, "How effective is suffixing?").

    Extended: `boxes` and `box`, `batches` and `batch`, French `adresses` and `adresse` meet in a
    form without -e, French `animaux` meets `animal`. Words of up to three letters, and words with
    a digit inside, stay as they are.
    """
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("aux") and len(word) > 4:
        return word[:-1] if word.endswith("eaux") else word[:-2] + "l"
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("us", "ss", "aes", "ees", "oes")):
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith(("sse", "xe", "che", "she")) else word


_ENDING = re.compile(r"(?<=\w{4})(?:ements?|ations?|ings?|ers?|ed|es|e)$")


@lru_cache(maxsize=65_536)
def stem(term: str) -> str:
    """Cut an index term down to what its forms share, at most six letters of it.

    `replaced` and `replacement` agree. For comparing two texts only: it joins unrelated words
    too often for an index.
    """
    return term if is_cjk(term) or not term.isalpha() else _ENDING.sub("", term)[:6]


def akin(left: str, right: str) -> bool:
    """Tell whether two index terms are forms of one word, such as `replaced` and `replacement`.

    Stricter than a common `stem`: `contract` and `contrast` are not.
    """
    if left == right or stem(left) != stem(right):
        return left == right
    one, other = (_ENDING.sub("", term) for term in (left, right))
    return one.startswith(other) or other.startswith(one)


@lru_cache(maxsize=_REMEMBERED)
def _remembered_terms(piece: str) -> tuple[tuple[str, int, int], ...]:
    """Give the terms of one piece; the same piece always gives the same."""
    return tuple(
        (singular(word), start, end)
        for word, start, end in _words_of(piece)
        if not is_stop_word(word)
    )


def _read(text: str) -> tuple[tuple[str, ...], "array[int]"]:
    """Give the terms of `text` and, as many, their starts."""
    found: list[str] = []
    starts = array("I")
    for match in _PIECE.finditer(text):
        place = match.start()
        for term, start, _ in _terms_of(match.group()):
            found.append(term)
            starts.append(place + start)
    return tuple(found), starts


_read_once = lru_cache(maxsize=2_048)(_read)
"""Reads a passage once for all who ask: features, weights, captions, near-duplicates. A passage
costs some 5 kB, half of it its text; a run looks at a few hundred."""


def _reading(text: str) -> tuple[tuple[str, ...], "array[int]"]:
    return _read_once(text) if len(text) <= _PASSAGE else _read(text)


def _terms_of(piece: str) -> tuple[tuple[str, int, int], ...]:
    """Give the terms of one piece; runs of data are not worth remembering."""
    if len(piece) > MAX_TERM:
        return _remembered_terms.__wrapped__(piece)
    return _remembered_terms(piece)


def _words_of(piece: str) -> Iterator[tuple[str, int, int]]:
    """Give the words of one match of `_PIECE`, with their places inside it."""
    if is_cjk(piece):
        yield from _pairs(piece)
    elif _WRITTEN_NUMBER.fullmatch(piece):
        yield _number(piece), 0, len(piece)
    else:
        elided = _ELIDED.match(piece)
        start = elided.end() if elided else 0
        end = len(_CONTRACTED.sub("", piece))
        end = end if end > start else len(piece)
        yield _together(piece[start:end]), start, end
        yield from _parts(piece, start, end)


def _together(word: str) -> str:
    """Fold a word and write a compound as one, unless it is made of numbers, such as a date."""
    folded = fold(word[:MAX_TERM])
    if any(character.isalpha() for character in folded):
        folded = re.sub(r"['’_-]", "", folded)
    return folded[:MAX_TERM]


def _number(written: str) -> str:
    """Write a number without grouping and with a decimal point."""
    if _GROUPED_NUMBER.fullmatch(written):
        return fold(re.sub(r"[,'’\u00a0\u202f]", "", written))
    whole, _, fraction = written.partition(",")
    return fold(f"{whole.replace('.', '')}.{fraction}")


def _pairs(run: str) -> Iterator[tuple[str, int, int]]:
    """Bigrams: they find every word of two or more characters, in Chinese and in Japanese."""
    if len(run) == 1:
        yield run, 0, 1
    for offset in range(len(run) - 1):
        yield run[offset : offset + 2], offset, offset + 2


def _parts(piece: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Parts of a compound, single letters left out; a number such as 3.5 has none."""
    inside = _NUMBER_INSIDE.fullmatch(piece, start, end)
    if inside:
        group = 1 if inside.group(1) else 2
        yield inside.group(group), inside.start(group), inside.end(group)
        return
    parts = list(_PART.finditer(piece, start, end))
    if len(parts) > 1 and not piece[start:end].replace(".", "").isdigit():
        for part in parts:
            folded = fold(part.group()[:MAX_TERM])[:MAX_TERM]
            if len(folded) > 1:
                yield folded, part.start(), part.end()
