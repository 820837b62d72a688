"""Comparisons: one question for each side, in English, French and Chinese."""

import re

_SIDE_WORDS = 9
_VERSUS_WORDS = 4
"""Longer text on either side of "vs" is a title, in which the sides cannot be told apart."""

_DIFFERENCE = re.compile(
    r"\b(?:differences?|différences?|distinctions?|similarities|choice|choix)\s+"
    r"(?:there (?:is|are) |y a-t-il |exist\w* )?(?:between|entre)\s+(?P<pair>.+)$",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"\b(?:compare[rsz]?|comparing|comparison (?:of|between))\s+(?P<left>.+?)\s+"
    r"(?:with|to|and|versus|vs\.?|against|avec|à|au|aux|et)\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_HOW_COMPARE = re.compile(
    r"\bhow (?:do|does|did)\s+(?P<left>.+?)\s+"
    r"(?:compare (?:to|with|against)|differ from)\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_ASPECT = re.compile(
    r"\s+(?:(?:with respect|with regard|in regard) to|in terms of|regarding|concerning|for|on|by"
    r"|en termes? de|en matière de|concernant|quant à|sur|pour)\s+(?P<aspect>.+)$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"^(?P<ask>(?:which|who|what|whose|where|lequel|laquelle|quel\w*|qui)\b[^,:]*?)\s*[,:]\s*"
    r"(?:(?:the )?(?:one )?(?:of|between|entre) )?(?P<left>[^,]+?),?\s+(?:or|ou)\s+(?P<right>.+)$",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"^(?P<left>[^,?]+?)\s+(?:vs\.?|versus)\s+(?P<rest>[^?]+)$", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|et|&|or|ou|vs\.?|versus)\s+", re.IGNORECASE)

_ZH_PAIR = re.compile(
    r"^(?:请问|请|比较一下|比较|对比一下|对比)?\s*(?P<left>[^，,。？?]{1,20}?)\s*(?:和|与|跟|以及)\s*"
    r"(?P<right>[^，,。？?]{1,20}?)\s*(?:之间|两者)?\s*(?:不同)?(?:的|在|有什么|有何|有哪些|相比|哪个|哪种|谁|$)"
    r"(?P<rest>.*)$"
)
_ZH_SIGN = re.compile(r"比较|对比|区别|差别|差异|不同|相比|哪个更|哪种更|谁更")
_ZH_OR = re.compile(
    r"^(?P<left>[^，,。？?]{1,20}?)还是(?P<right>[^，,。？?]{1,20}?)(?P<rest>更.+)$"
)
_ZH_RELATION = re.compile(
    r"区别|差别|差异|不同(?:之处|点)?|有什么|有何|有哪些|什么|哪个|哪种|谁|更|之间|[的在？?，]"
)

_HOW = {
    "heavier": "heavy", "lighter": "heavy", "older": "old", "younger": "old", "larger": "large",
    "bigger": "large", "smaller": "large", "taller": "tall", "shorter": "long", "longer": "long",
    "higher": "high", "lower": "high", "faster": "fast", "slower": "fast", "cheaper": "expensive",
    "deeper": "deep", "wider": "wide", "stronger": "strong", "louder": "loud", "hotter": "hot",
}  # fmt: skip
_HOW_MUCH = re.compile(rf"^(?:which|what)(?: one)? (?:is|was) (?P<more>{'|'.join(_HOW)})$", re.I)

_ATTRIBUTE = re.compile(
    r"(?P<attribute>(?:the |la |le |les |l['’])?[a-zà-ÿ][a-zà-ÿ -]*? (?:of|de|du|des)) \S"
)
"""An attribute begins in lower case: "the University of Oslo" is a name."""
_THAT_OF = re.compile(
    r"^(?:(?:that|those|celui|celle|ceux|celles) )?(?:of|de|du|des) ", re.IGNORECASE
)


def sides(question: str) -> list[str]:
    """Give one question for each of the two sides that `question` compares, else nothing.

    The shared predicate goes with each side; what the comparison is about is asked of each.
    """
    text = question.strip().rstrip("?？.。! ")
    rules = (_cjk_sides, _which_sides, _how_compare_sides, _compare_sides, _difference_sides)
    for rule in (*rules, _versus_sides):
        found = rule(text)
        if found:
            return found
    return []


def compares(question: str) -> bool:
    """Tell whether `question` sets two things side by side."""
    return (
        bool(sides(question))
        or bool(_ZH_SIGN.search(question))
        or bool(_DIFFERENCE.search(question))
    )


def _difference_sides(text: str) -> list[str]:
    match = _DIFFERENCE.search(text)
    if match is None:
        return []
    pair = _AND.split(match.group("pair"))
    if len(pair) != 2:
        return []
    right, aspect = _aspect(pair[1])
    return _asked(pair[0], right, aspect)


def _compare_sides(text: str) -> list[str]:
    match = _COMPARE.search(text)
    if match is None:
        return []
    right, aspect = _aspect(match.group("rest"))
    return _asked(match.group("left"), right, aspect)


def _how_compare_sides(text: str) -> list[str]:
    match = _HOW_COMPARE.search(text)
    if match is None:
        return []
    right, aspect = _aspect(match.group("rest"))
    return _asked(match.group("left"), right, aspect)


def _versus_sides(text: str) -> list[str]:
    match = _VERSUS.search(text)
    if match is None:
        return []
    side, _, question = match.group("rest").partition(":")
    right, aspect = (side, question) if question else _aspect(side)
    if max(len(match.group("left").split()), len(right.split())) > _VERSUS_WORDS:
        return []
    return _asked(match.group("left"), right, aspect)


def _which_sides(text: str) -> list[str]:
    match = _WHICH.search(text)
    if match is None or re.search(r"\b(?:between|entre|diff\w+)\b", match.group("ask")):
        return []
    if not (_is_side(match.group("left")) and _is_side(match.group("right"))):
        return []
    both = (match.group("left"), match.group("right"))
    how = _HOW_MUCH.match(match.group("ask").strip())
    if how:
        adjective = _HOW[how.group("more").lower()]
        return [f"How {adjective} is {side.strip()}?" for side in both]
    ask = match.group("ask").strip()
    return [f"{side.strip()}: {ask[:1].lower()}{ask[1:]}?" for side in both]


def _cjk_sides(text: str) -> list[str]:
    match = _ZH_OR.search(text) or (_ZH_PAIR.search(text) if _ZH_SIGN.search(text) else None)
    if match is None:
        return []
    more = re.search(r"更(?P<quality>[^，,。？?]{1,4})$", match.group("rest"))
    rest = _ZH_RELATION.sub("", match.group("rest")).strip("是的 ")
    both = [match.group("left").strip(), match.group("right").strip()]
    if not all(both):
        return []
    if more:
        return [f"{side}有多{more.group('quality')}？" for side in both]
    return [f"{side}的{rest}是什么？" if rest else f"{side}是什么？" for side in both]


def _aspect(rest: str) -> tuple[str, str]:
    """Cut the second side from what the two are compared on: (side, aspect or nothing)."""
    match = _ASPECT.search(rest)
    return (rest[: match.start()], match.group("aspect")) if match else (rest, "")


def _asked(left: str, right: str, aspect: str) -> list[str]:
    """Ask about each side; with an aspect, in words that fit English and French alike."""
    if not (_is_side(left) and _is_side(right)):
        return []
    both = [left.strip(), right.strip()]
    if aspect:
        return [f"{side}: {aspect.strip()}" for side in both]
    return [_what_is(both[0]), _what_is(_with_attribute(*both))]


def _with_attribute(left: str, right: str) -> str:
    """Ask the second side about the attribute that only the first one names.

    "the weight of X" and "Y", or "that of Y", give "the weight of Y".
    """
    named = _ATTRIBUTE.match(left)
    bare = _THAT_OF.sub("", right)
    if named is None or _ATTRIBUTE.match(bare):
        return right
    return f"{named.group('attribute')} {bare}"


def _what_is(side: str) -> str:
    article = re.match(r"(?:un|une|le|la|les|l'|des)\b", side, re.IGNORECASE)
    if article is None:
        return f"What is {side}?"
    glue = "qu'" if article.group().lower().startswith("un") else "que "
    return f"Qu'est-ce {glue}{side} ?"


def _is_side(side: str) -> bool:
    words = side.split()
    return 0 < len(words) <= _SIDE_WORDS and not re.search(r"[?;,]|\b(?:what|how|why)\b", side)
