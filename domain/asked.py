"""What kind of value a question asks for, and whether a sentence has one."""

import re
from dataclasses import dataclass

from .words import stem, terms

_LENGTHS = (
    r"mm|cm|m|km|inch(?:es)?|feet|foot|ft|yards?|miles?|(?:centi|milli|kilo)?met(?:er|re)s?"
    r"|mètres?|毫米|厘米|米|公里"
)
_TIMES = (
    r"s|min|h|(?:second|minute|hour|day|night|week|month|quarter|year|decade)s?|secondes?|heures?"
    r"|jours?|semaines?|mois|ans?|années?|个?月|天|日|年|小时|分钟|周"
)
_MASSES = (
    r"kg|g|mg|t|lbs?|pounds?|ton(?:ne)?s?|tonnes?|(?:kilo)?gramm?e?s?|kilos?"
    r"|ounces?|公斤|千克|吨|克"
)
_DEGREES = r"°\s?[CF]?|degrees?|degrés?|度"
_ANY = r"(?<![\w.,])(?<![A-Za-z]-)(?<!\w\w[-_])\d[\d.,'’\u00a0\u202f]*"
_WORDED = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen"
    r"|deux|trois|quatre|cinq|sept|huit|neuf|dix|vingt|trente|cent|mille)s?\b"
    r"|[一二三四五六七八九十百千两]+"
)
_DATES = (
    r"\b[12]\d{3}s?\b|\b\d{1,2}[:h]\d{2}\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b[IVX]+e siècle|\bcentur"
    r"|\b(?:Jan(?:uary|vier)|February|février|Mar(?:ch|s)|A(?:pril|vril)|May|mai|Ju(?:ne|in)"
    r"|Ju(?:ly|illet)|August|août|Septemb(?:er|re)|Octob(?:er|re)|Novemb(?:er|re)"
    r"|Decemb(?:er|re)|décembre)\b|\d+ ?[年月日]"
)


def _measure(units: str, more: str = "") -> re.Pattern[str]:
    """A number, in digits or words, with one of `units` behind it."""
    number = rf"(?:{_ANY}|{_WORDED}|\b(?:an?|une?))[\s-]?(?:{units})(?![^\W\d_\u3040-\u9fff])"
    return re.compile(f"{number}|{more}" if more else number, re.IGNORECASE)


_FREQUENCY = r"\b(?:daily|weekly|monthly|yearly|annual(?:ly)?|once|twice|every|each|always|never)\b"
_KINDS = [
    # the question, what names the value in a sentence, the value
    (
        r"\bhow heavy|\bweighs?\b|\bpèsent?\b|多重",
        "weight mass poids masse 重量",
        _measure(_MASSES),
    ),
    (r"\bhow deep\b", "depth profondeur 深度", _measure(_LENGTHS)),
    (r"\bhow (?:high|tall)\b", "height hauteur 高度", _measure(_LENGTHS)),
    (r"\bhow (?:far|wide|thick|broad)\b", "distance width thickness", _measure(_LENGTHS)),
    (r"\bhow (?:hot|cold|warm)\b", "temperature température 温度", _measure(_DEGREES)),
    (r"\bhow often\b", "interval frequency", _measure(_TIMES, _FREQUENCY)),
    (r"\bhow soon\b", "within delay", _measure(_TIMES)),
    (r"\bhow long\b", "length duration period", _measure(f"{_TIMES}|{_LENGTHS}")),
    (r"\bhow old\b|\bquel âge\b|几岁", "age âge", re.compile(_ANY)),
    (
        r"^(?:since |until |by )?when\b|\b(?:and|until|since) when\b"
        r"|\b(?:what|which) (?:date|day|month)\b"
        r"|(?:^|depuis |et )quand\b|\bquelle date\b"
        r"|何时|什么时候|いつ",
        "date",
        _measure(_TIMES, _DATES),
    ),
    (
        r"\b(?:what|which) year\b|\bquelle année\b|哪一?年|何年",
        "",
        re.compile(r"(?<![\d.,])[12]\d{3}(?!\d)"),
    ),
    (
        r"\bhow (?:many|much)\b|\bcombien\b|多少|几[个年月日天次]|\b(?:what|which) number\b",
        "",
        None,
    ),
]
_NUMBER = re.compile(f"{_ANY}|{_WORDED}", re.IGNORECASE)
_ASKED = [(re.compile(asks, re.IGNORECASE), names, value) for asks, names, value in _KINDS]


@dataclass(frozen=True, slots=True)
class Asked:
    """The value that a question asks for: `value` finds it in a sentence.

    `stems` are the words of the question that stand for it, such as that of `heavy`; `names` those
    by which a sentence may call it, such as that of `weight`.
    """

    value: re.Pattern[str]
    stems: frozenset[str]
    names: frozenset[str]


def asked(question: str) -> Asked | None:
    """Tell what value `question` asks for; `None` where it asks for none, or nobody can tell."""
    for asks, names, value in _ASKED:
        match = asks.search(question.strip())
        if match:
            said = match.group() if names else ""
            stems, called = (frozenset(map(stem, terms(text))) for text in (said, names))
            return Asked(value or _NUMBER, stems, called)
    return None
