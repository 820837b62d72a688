"""Questions that lean on earlier turns, and how to make them stand on their own."""

import re
from collections.abc import Sequence

from .request import Turn
from .wording import is_code, names_in, shorten, subject_of, topic_words
from .words import fold, is_cjk, terms

_FEW_TERMS = 2
"""A follow-up with this many content terms or fewer, and no name, is taken to be elliptic."""
_TURN_CHARS = 1_000
_TURNS_BACK = 3
"""How many earlier questions are searched for a subject, latest first."""

_ELLIPSIS = re.compile(
    r"^\s*(?:and\b|but\b|or\b|also\b|what about|how about|what if|same (?:for|with)|why not"
    r"|et (?:pour|si|avec|les?|la|l'|dans|en|chez)\b|et\b|mais\b|ou\b|même (?:chose|question)"
    r"|那么?|还有|另外|换成|如果是)|呢[？?]?\s*$",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:it|its|they|them|their|he|him|his|she|her|ones"
    r"|elles?|ils|celui-ci|celle-ci|ceux-ci|celles-ci|ce dernier|cette dernière|cela|ça|lui|eux)\b"
    r"|(?<!faut-)(?<!-t-)(?<!est-)\bil\b(?! (?:faut|y a|est (?:possible|nécessaire|obligatoire)))"
    r"|(?<!其)[它他她]们?",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:this|these|those)\b|\bthat\s*[?.!]|\b(?:about|of|for|is|does|do) that\b"
    r"|\bthe (?:former|latter|other one|same one)\b|\b(?:cet|cette|ces)\b(?!\s+années)"
    r"|这[个些种款]?|那[个些种款]|(?<![尤极])其(?![他它中实])|(?<!应)该",
    re.IGNORECASE,
)
_CLITIC = re.compile(
    r"\b(?:comment|où|quand|pourquoi|faut-il|peut-on)\s+(?:l'|l’|(?:le|la|les|lui|leur|y|en)\s)"
    r"\w+(?:er|ir|re)\b",
    re.IGNORECASE,
)
_IT = re.compile(r"\bit\b", re.IGNORECASE)
_ITS = re.compile(r"\bits\b", re.IGNORECASE)


def leans(question: str) -> bool:
    """Tell whether `question` by itself points to something said before.

    A personal pronoun counts only where fewer than two content terms precede it: after that it
    usually points into its own sentence.
    """
    if any(sign.search(question) for sign in (_ELLIPSIS, _POINTING, _CLITIC)):
        return True
    pronoun = _PERSONAL.search(question)
    return pronoun is not None and len(terms(question[: pronoun.start()])) < 2


def is_elliptic(question: str) -> bool:
    """Tell whether a follow-up says too little to be searched for."""
    few = 3 * _FEW_TERMS if is_cjk(question) else _FEW_TERMS
    return not names_in(question) and len(terms(question)) <= few


def standalone(question: str, history: Sequence[Turn]) -> str:
    """Carry the subject of the last user turns into a question that leans on them.

    "And for the X-300?" takes over the earlier question with the name exchanged; "it" is
    replaced by the one model number it can mean; otherwise the subject follows in parentheses. A
    question that leans on nothing, or has no earlier turn to lean on, comes back as it is.
    """
    said = [turn.content for turn in history if turn.role == "user"]
    earlier = [shorten(content, _TURN_CHARS) for content in said[-_TURNS_BACK:]]
    if not earlier or not (leans(question) or is_elliptic(question)):
        return question
    exchanged = _exchanged(question, earlier[-1])
    if exchanged:
        return exchanged
    bearer = _bearer(earlier)
    return with_subject(question, subject_of(bearer), names_in(bearer))


def with_subject(question: str, subject: str, names: Sequence[str] = ()) -> str:
    """Put what `question` is about behind it, in parentheses.

    Only "it" gives way to a name, and only to the one model number in `names`: for persons and
    groups the rules cannot tell who is meant.
    """
    if len(names) == 1 and is_code(names[0]):
        for pattern, form in ((_IT, names[0]), (_ITS, f"{names[0]}'s")):
            named, count = pattern.subn(form, question, count=1)
            if count:
                return named
    if not subject or fold(subject) in fold(question):
        return question
    return f"{question} ({subject})"


def _bearer(earlier: Sequence[str]) -> str:
    """Give the latest turn that has a subject of its own, else the latest with any subject."""
    recent = list(reversed(earlier))
    independent = [text for text in recent if not leans(text)]
    return next((text for text in [*independent, *recent] if subject_of(text)), "")


def _exchanged(question: str, last: str) -> str | None:
    """Ask the last question about another name, when both have exactly one of the same kind."""
    new, old = names_in(question), names_in(last)
    if len(new) != 1 or len(old) != 1 or not _ELLIPSIS.search(question):
        return None
    beside = [word for word in topic_words(question) if word not in new[0]]
    if beside or is_code(new[0]) != is_code(old[0]):
        return None
    return last.replace(old[0], new[0])
