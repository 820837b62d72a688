"""Lists inside a question: the question once for each item, in English, French and Chinese."""

import re

from .words import STOP_WORDS, fold

_ITEM_WORDS = 4
_FEWEST = 3
"""Items of ordinary words; two of them joined by "and" are as often one thing as two."""

_DETERMINER = r"(?:the|a|an|our|le|la|les|l'|un|une|des|du)"
_LIST = re.compile(
    r"(?P<items>[^,;:?!.、]+(?:,\s+[^,;:?!.、]+)+,?\s+(?P<joint>and|or|et|ou)\s+[^,;:?!、]+)",
)
_LAST = re.compile(r",?\s+(?:and|or|et|ou)\s+(?=[^,]*$)")
_EDGE = re.compile(
    r"\b(?:for|of|in|on|with|at|from|about|by|under|during|through|against"
    r"|pour|de|des|du|d'|dans|en|sur|avec|à|aux|au|chez|par)\s+(?:both\s+)?",
    re.IGNORECASE,
)
_TOGETHER = re.compile(r"\b(?:between|among|entre|parmi|whether)\b|之间|以及", re.IGNORECASE)
"""Where one of these comes before a list, its items make sense together only."""
_INSIDE = frozenset({"of", "de", "du", "des", "d"})
_NO_ITEM = frozenset({"say", "including", "other", "others", "etc", "autre", "autres", "notamment"})
_CODE_PAIR = re.compile(
    r"(?P<left>(?:[A-Z][\w-]*\s){0,2}[A-Za-z][\w-]*\d[\w-]*)\s+(?P<joint>and|or|et|ou)\s+"
    r"(?P<the>the\s+|le\s+|la\s+)?(?P<right>(?:[A-Z][\w-]*\s){0,2}[A-Za-z][\w-]*\d[\w-]*)"
)
_ZH_LIST = re.compile(
    r"(?P<items>[^，,。？?、的在对关于]{1,10}(?:、[^，,。？?、的]{1,10})+"
    r"(?:和|与|及)[^，,。？?、的和与更是有能]{1,10}(?=的))"
)


def each_item(question: str) -> list[str]:
    """Give `question` once for each item of its list; nothing where it holds no clear list.

    Everything around the list stays with every item. A list is three or more short items without
    function words behind a preposition or a verb, or two or more model numbers.
    """
    return _listed(question) or _code_pair(question) or _cjk_listed(question)


def _listed(question: str) -> list[str]:
    match = _LIST.search(question)
    if match is None or _TOGETHER.search(question):
        return []
    items = [piece.strip() for piece in _LAST.sub(", ", match.group("items")).split(",")]
    before, first = _first_item(items[0])
    last, after = _last_item(items[-1])
    items = [first, *items[1:-1], last]
    if len(items) < _FEWEST or not all(map(_is_item, items)):
        return []
    head = question[: match.start("items")] + before
    tail = after + question[match.end("items") :]
    return [_around(head, item, tail) for item in items]


def _first_item(piece: str) -> tuple[str, str]:
    """Cut what comes before the list from its first item: (before, item)."""
    edges = list(_EDGE.finditer(piece))
    name = re.search(r"(?:\b[A-Z0-9][\w'’&.-]*(?:\s+|$))+$", piece)
    if name and name.start() > 0 and name.group().strip():
        return piece[: name.start()], piece[name.start() :]
    return (piece[: edges[-1].end()], piece[edges[-1].end() :]) if edges else ("", "")


def _last_item(piece: str) -> tuple[str, str]:
    """Cut the last item from what comes after the list: (item, after)."""
    name = re.match(rf"(?:{_DETERMINER}\s+)?[A-Z0-9][\w'’&.-]*(?:\s+[A-Z0-9][\w'’&.-]*)*", piece)
    if name:
        return name.group(), piece[name.end() :]
    edge = re.search(
        r"\s+(?=(?:for|of|in|on|with|at|from|under|during|pour|dans|en|sur|à)\b)", piece
    )
    return (piece[: edge.start()], piece[edge.start() :]) if edge else (piece, "")


def _is_item(item: str) -> bool:
    words = fold(item).split()
    if words and re.fullmatch(_DETERMINER, words[0]):
        words = words[1:]
    if not 0 < len(words) <= _ITEM_WORDS:
        return False
    if words[0] in _INSIDE:
        return False
    return not any(word in _NO_ITEM or (word in STOP_WORDS - _INSIDE) for word in words)


def _code_pair(question: str) -> list[str]:
    match = _CODE_PAIR.search(question)
    if match is None or _TOGETHER.search(question):
        return []
    left, right = match.group("left"), match.group("right")
    head, tail = question[: match.start()], question[match.end() :]
    return [_around(head, left, tail), _around(head, right, tail)]


def _cjk_listed(question: str) -> list[str]:
    match = _ZH_LIST.search(question)
    if match is None or _TOGETHER.search(question):
        return []
    items = [item.strip() for item in re.split(r"、|和|与|及", match.group("items"))]
    # A first item much longer than the others begins with words that belong to all of them.
    if not all(items) or len(items[0]) > max(map(len, items[1:])) + 2:
        return []
    head, tail = question[: match.start()], question[match.end() :]
    return [f"{head}{item}{tail}" for item in items]


def _around(head: str, item: str, tail: str) -> str:
    head = re.sub(r"\b(?:both|respectively|between)\s+$", "", head)
    if re.search(rf"\b{_DETERMINER}\s*$", head, re.IGNORECASE):
        item = re.sub(rf"^{_DETERMINER}\s+", "", item, flags=re.IGNORECASE)
    tail = re.sub(r",?\s*\b(?:both|respectively|respectivement)\b", "", tail)
    return " ".join(f"{head} {item} {tail}".split()).replace(" ?", "?").replace(" ,", ",")
