"""A cheap look at a question: does it need several passages, does it need a plan?"""

import re
from collections.abc import Sequence

from .comparison import compares
from .conversation import is_elliptic, leans
from .decompose import LONGEST, decompose
from .request import Turn
from .wording import SUB_QUERY_CHARS, clean, one_line

_SEVERAL_HOPS = re.compile(
    r"\bwhose\b"
    r"|\bof (?:the|a|an) [^,;?]{1,60}? (?:that|who|which|whom|where|in which|for which)\b"
    r"|\bof (?:the|a|an) [^,;?]{1,40}? of (?:the |a |an |film |song |book )?[^,;?]+"
    r"|'s [^,;?']{1,40}'s\b"
    r"|\)'s (?:father|mother|wife|husband|spouse|director|author|owner)\b"
    r"|\b(?:director|author|composer|performer|founder|owner|mother|father|spouse|wife|husband"
    r"|manufacturer|supplier|producer) of (?:the )?(?:film|song|book|album|company|product)\b"
    r"|\b(?:in|at|on|by|of|from) (?:the )?(?:same|which) [^,;?]{1,60}\b(?:is|was|are|were)\b[^,;?]*"
    r"\b(?:is|was|are|were)\b"
    r"|\b\w+ (?:where|in which|that|which|who) [^,;?]{3,80}\b(?:is|was|are|were|has|had|does|did) "
    r"[^,;?]*\b(?:of|in|by) what\b"
    r"|\bthe \w+(?: \w+)? (?:that|who|which|where) [^,;?]{3,60} (?:the|a) \w+ "
    r"(?:that|who|which|where)\b"
    r"|\bdont (?:le|la|les|l')\b"
    r"|\bd[ue]s? [^,;?]{1,40} (?:qui|dont|où|auquel|à laquelle)\b"
    r"|的[^，,。？?的]{1,12}的[^，,。？?的]{1,12}(?:的|是|在|有|叫|什么|谁|哪)",
    re.IGNORECASE,
)
_SEVERAL_THINGS = re.compile(
    r"\b(?:each of|every one of|respectively|in common|the same \w+ as|both|altogether|combined"
    r"|how many (?:more|fewer|years? (?:after|before|between|passed))|older than|younger than"
    r"|more than one|most recent \w+s|top[ -](?:\d+|three|four|five|ten)|all (?:the )?\w+s that"
    r"|sum of|total of|average of|add(?:ed)? (?:up|together))\b"
    r"|\b(?:chacune?s?|respectivement|en commun|la somme|le total|la moyenne des)\b"
    r"|\btous les \w+ qui\b"
    r"|各自|分别|共同|总共|一共|平均|相同|都有哪些",
    re.IGNORECASE,
)


def is_complex(question: str) -> bool:
    """Tell whether `question` shows signs of needing several passages at once.

    Signs: several parts, a comparison, a list, several hops ("the X of the Y that Z"), or a sum
    over several things.
    """
    text = one_line(question)[:LONGEST]
    return _shows_several(text) or len(decompose(clean(question)[:LONGEST])) > 1


def needs_planning(question: str, history: Sequence[Turn]) -> bool:
    """Tell, at no cost, whether a run at effort `auto` should plan before it searches.

    True for a complex question, for one that leans on an earlier user turn, and for one too long
    to be searched for as it is.
    """
    text = one_line(question)
    earlier = any(turn.role == "user" for turn in history)
    if len(text) > SUB_QUERY_CHARS or (earlier and (leans(text) or is_elliptic(text))):
        return True
    return is_complex(question)


def _shows_several(text: str) -> bool:
    return bool(_SEVERAL_HOPS.search(text) or _SEVERAL_THINGS.search(text)) or compares(text)
