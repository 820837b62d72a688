"""Splitting a question into sub-questions by rules, in English, French and Chinese.

A wrong split loses qualifiers, a missed one costs little, so every rule asks for clear signs.
"""

import re
from collections.abc import Callable, Sequence

from .comparison import sides
from .conversation import leans, with_subject
from .enumeration import each_item
from .sentences import sentences
from .wording import clean, distinct, names_in, one_line, subject_of
from .words import is_cjk, terms

LONGEST = 3_000
"""Characters; a longer question is a document, which is condensed and not split."""
_MOST_SIDES = 6

_MARKER = re.compile(
    r"(?:(?<=\s)|^)(?:\(([a-h1-9])\)|([a-h1-9])[).](?=\s)"
    r"|(?:First|Second|Third|Also|And finally|Finally|Firstly|Secondly|Thirdly"
    r"|Premièrement|Deuxièmement|Enfin|D'abord|Ensuite)\s?:)\s*"
    r"|(?:第[一二三四五]|[一二三四五]、)[，、:：]?\s*|\n\s*[-*•]\s+"
)
_PREAMBLE = re.compile(r"^[^:?？]{0,40}[:：]\s*$|^[^?？]{0,60}[.。]\s*$")
_LEAD_IN = re.compile(
    r"^(?:\w+ )?(?:things|questions|parts|points)\b[^:?]{0,20}:\s*|^(?:and|but|so|et|mais)\s+",
    re.IGNORECASE,
)

_WH = r"what|how|which|why|who|whose|when|where"
_AUX = r"is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have|had"
_VERB = re.compile(rf"\b(?:{_AUX}|est|sont|a|ont|peut|doit|faut)\b", re.IGNORECASE)
_FR_WH = r"quels?|quelles?|comment|pourquoi|combien|qu'est-ce|est-ce|lequel|laquelle|à quel\w*"
_JOINT = re.compile(
    r"\s*[,;]?\s+(?:and|but|plus|as well as|and also|or else)\s+(?:also\s+)?"
    r"(?=(?:in |at |by |for |to |on |from |under |with )?(?:what(?! if)|how|why|which|who|whose)\b"
    rf"|(?:when|where)\s+(?:{_AUX})\b)"
    rf"|\s*[,;]\s+(?=(?:what(?! if)|how|why)\s+(?:(?:\w+\s+){{0,2}})(?:{_AUX})\b)"
    rf"|\s*[,;]?\s+(?:et|mais)\s+(?:aussi\s+)?(?=(?:{_FR_WH})\b"
    r"|(?:quand|où)\s+(?:est-ce|faut|doit|peut|sont|est)\b|qui\s+(?:peut|doit|est-ce)\b)"
    rf"|\s*[,;]\s+(?=(?:{_FR_WH})\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"^(?:\W*)(?:(?:and|also|so|please|ok)\s+)?(?:(?:in|at|by|for|to|on|from|under|with|of) )?"
    rf"(?:{_WH}|{_AUX}|explain|describe|tell|list|name|give|find|show|compare|summari[sz]e)\b"
    rf"|^(?:\W*)(?:{_FR_WH}|quand|où|qui|que|explique\w*|décri\w+|donne\w*|liste\w*|peut|doit|faut)\b"
    rf"|,\s*(?:{_WH}|{_FR_WH})\b",
    re.IGNORECASE,
)
_CONTINUES = re.compile(r"\s*(?:or|ou)\b")
"""A "sentence" that begins so is the second half of a title with a question mark in it."""
_STARTS_ASKING = re.compile(rf"^\W*(?:what|how|why|which|who|{_FR_WH})\b", re.IGNORECASE)
_RELATIVE = re.compile(r"^(?:which|who|whose)\b", re.IGNORECASE)
_RELATIVE_VERB = re.compile(rf"^which\s+(?:{_AUX}|\w+s)\b(?!\s*(?:of|the)\b)", re.IGNORECASE)

_ZH_ASKS = re.compile(
    r"什么|怎么|怎样|如何|为什么|为何|多少|多久|多长|多大|几|谁|哪|吗|呢|何时|是否|能否|可否"
)
_ZH_JOINT = re.compile(r"[，；,;]\s*(?:以及|并且|而且|还有|另外|同时|和)?|(?:以及|并且|还有|另外)")


def decompose(question: str) -> list[str]:
    """Give the sub-questions of `question`, distinct, each standing on its own.

    One element, the question on one line, where nothing clearly splits it. Independent parts
    stand alone, since together they say all. A comparison or a list keeps the whole question
    first: what relates the sides is in it only, and a passage may answer all sides at once.
    Empty for a question without any character that can be searched for.
    """
    text = clean(question)
    if not one_line(text):
        return []
    if len(text) > LONGEST:
        return [one_line(text)]
    for split in (_marked, _asked_in_turn, _coordinated):
        parts = distinct(split(text))
        if len(parts) > 1:
            return _each_standing([_LEAD_IN.sub("", part) for part in parts], text)
    return with_sides(one_line(text))


def with_sides(question: str) -> list[str]:
    """Give `question` itself, then one question for each side or item that it compares or lists.

    Without a comparison or a list it stays alone.
    """
    rules: tuple[Callable[[str], list[str]], ...] = (sides, each_item)
    for rule in rules:
        found = distinct(rule(question))
        if 1 < len(found) <= _MOST_SIDES:
            return distinct([question, *found])
    return [question]


def fit(parts: Sequence[str], most: int) -> list[str]:
    """Bring `parts` down to `most`, at least 1, without losing words: the last joins the rest."""
    kept = list(parts[: most - 1])
    return [*kept, " ".join(parts[most - 1 :])] if len(parts) >= most else kept


def is_question(text: str) -> bool:
    """Tell whether `text` asks for something, with or without a question mark."""
    return bool(_ASKS.search(text)) or "?" in text or bool(_ZH_ASKS.search(text))


def _marked(text: str) -> list[str]:
    """Split at "(a) … (b) …", "First: … Second: …" and list bullets; a preamble is dropped."""
    marks = list(_MARKER.finditer(text))
    letters = [m.group(1) or m.group(2) for m in marks]
    numbered = [letter for letter in letters if letter]
    if not marks or numbered != sorted(set(numbered)) or (numbered and numbered[0] not in "a1"):
        return [text]
    lead = text[: marks[0].start()].strip()
    ends = [m.start() for m in marks[1:]] + [len(text)]
    parts = [text[m.end() : end].strip() for m, end in zip(marks, ends, strict=True)]
    preamble = not lead or bool(_PREAMBLE.match(lead)) or not ("?" in lead or "？" in lead)
    parts = [part for part in parts if terms(part)]
    if preamble and len(parts) > 1 and not names_in(lead):
        return parts if any(map(is_question, parts)) else [text]
    return [lead, *parts] if "?" in lead or "？" in lead else [text]


def _asked_in_turn(text: str) -> list[str]:
    """Split where several sentences ask; a sentence that only tells stays with the one before."""
    spans = sentences(text)
    parts: list[str] = []
    lead = ""
    for span in spans:
        piece = span.of(text)
        if piece.rstrip("\"'”») ").endswith(("?", "？")) and terms(piece):
            parts.append(piece)
        elif parts:
            parts[-1] = f"{parts[-1]} {piece}"
        else:
            lead = f"{lead} {piece}".strip()
    if len(parts) < 2 or any(_CONTINUES.match(part) for part in parts):
        return [text]
    names = names_in(lead)
    told = [with_subject(part, ", ".join(names), names) for part in parts]
    return [piece for part in told for piece in _coordinated(part)]


def _coordinated(text: str) -> list[str]:
    """Split "what …, and how …" where both sides ask for themselves."""
    line = one_line(text)
    if is_cjk(line):
        return _coordinated_cjk(line)
    pieces = _cut_questions(line)
    if len(pieces) < 2 or not is_question(pieces[0]):
        return [text]
    parts = [pieces[0]]
    for piece in pieces[1:]:
        if _is_relative(parts[-1], piece) or not terms(piece):
            return [text]
        parts.append(piece)
    return [_as_question(part) for part in parts]


def _coordinated_cjk(line: str) -> list[str]:
    pieces = [piece.strip(" ，；。？?") for piece in _cut_at(_ZH_JOINT, line)]
    if len(pieces) < 2 or not all(_ZH_ASKS.search(piece) for piece in pieces):
        return [line]
    return [f"{piece}？" for piece in pieces]


def _each_standing(parts: Sequence[str], text: str) -> list[str]:
    """Carry the subject of the earlier parts into those that lean on them."""
    standing: list[str] = []
    for part in parts:
        if standing and (leans(part) or _says_little(part, text)):
            part = with_subject(part, subject_of(standing[0]), names_in(standing[0]))
        standing.append(part)
    return distinct(standing)


def _says_little(part: str, text: str) -> bool:
    """Tell whether a part is no sentence of its own, such as "any remedy?"."""
    if is_cjk(part):
        return bool(_cjk_heads(part)) and len(part) < 10
    lone = len(terms(part)) < 2 and not names_in(part) and not _VERB.search(part)
    return lone and bool(terms(text))


def _cjk_heads(part: str) -> bool:
    """Tell whether a Chinese part begins with its question word: its subject was said before."""
    match = _ZH_ASKS.search(part)
    return match is not None and match.start() <= 2


def _cut_questions(line: str) -> list[str]:
    """Cut before each coordinated question; at a bare comma only behind a question proper."""
    pieces: list[str] = []
    start = 0
    for match in _JOINT.finditer(line):
        left = line[start : match.start()]
        if terms(left) and (match.group().strip(" ,;") or _STARTS_ASKING.match(left)):
            pieces.append(left)
            start = match.end()
    return [*pieces, line[start:]]


def _cut_at(pattern: re.Pattern[str], line: str) -> list[str]:
    """Cut at every match of `pattern`, which may be followed by a look-ahead."""
    pieces: list[str] = []
    start = 0
    for match in pattern.finditer(line):
        pieces.append(line[start : match.start()])
        start = match.end()
    return [*pieces, line[start:]]


def _is_relative(left: str, right: str) -> bool:
    """Tell whether `right` may only continue a relative clause of `left`."""
    match = _RELATIVE.match(right)
    if match is None:
        return False
    again = re.search(rf"\w.*\b(?:{match.group()}|that)\b", left, re.IGNORECASE)
    return bool(again) or bool(_RELATIVE_VERB.match(right))


def _as_question(part: str) -> str:
    part = part.strip(" ,;")
    part = part[:1].upper() + part[1:]
    return part if part.endswith(("?", "？", ".", "!")) else f"{part}?"
