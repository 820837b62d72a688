"""Citation markers in an answer, and the claims that they follow."""

import re
from dataclasses import dataclass, field

from .sentences import sentences

_OURS = r"[\[【]\s*ref_id\s*:?\s*\d+(?:\s*[,;]\s*(?:ref_id\s*:?\s*)?\d+)*\s*[\]】]"
_BARE = r"\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\](?!\()|【\d{1,3}(?:[†:][^】]*)?】"
_HAS_OURS = re.compile(_OURS, re.IGNORECASE)
_NUMBERED = re.compile(r"\d+")
_STRUCTURE = re.compile(r"^\s*(?:#{1,6}\s|\|[\s:|-]+\|?\s*$|```|\*\*[^*]+\*\*:?\s*$)|[:：]\s*$")


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence, or part of one, with the references it is given.

    `lead` is the white space before it. `structure` marks headings, rules and lead-ins: they
    claim nothing.
    """

    text: str
    refs: list[int] = field(default_factory=list)
    lead: str = ""
    structure: bool = False


def mark(ref_id: int) -> str:
    """Write a citation of one reference."""
    return f"[ref_id:{ref_id}]"


def has_marker(text: str) -> bool:
    """Tell whether `text` holds something in the form of our citations."""
    return _HAS_OURS.search(text) is not None


def claims_of(answer: str) -> list[list[Claim]]:
    """Split an answer into lines, and each line into claims.

    Besides `[ref_id:1]` it reads `[ref_id: 1]`, `[ref_id:1,2]` and the same in 【】. A bare `[1]`
    is a citation only where the answer has no other form; else it belongs to the text. A marker
    belongs to what stands before it, back to the last marker or the end of a sentence.
    """
    one = _OURS if has_marker(answer) else _BARE
    group = re.compile(rf"\s*(?:{one})(?:[ \t,;]*(?:{one}))*", re.IGNORECASE)
    lines: list[list[Claim]] = []
    for line in answer.split("\n"):
        row = line.lstrip().startswith("|")
        claims = _row(line, group) if row else _claims(line, group)
        if claims and not claims[0].text and lines and lines[-1]:
            above = lines[-1].pop()
            lines[-1].append(_cite(above, claims.pop(0).refs))
        lines.append([claim for claim in claims if claim.text])
    return lines


def written(lines: list[list[Claim]]) -> str:
    """Write claims back as text, each followed by its citations."""
    return "\n".join("".join(map(_written, claims)) for claims in lines).strip()


def _written(claim: Claim) -> str:
    marks = "".join(map(mark, claim.refs))
    if marks and claim.text.startswith("|") and claim.text.endswith("|"):
        return f"{claim.text[:-1].rstrip()} {marks} |"
    return f"{claim.lead}{claim.text}{' ' if marks else ''}{marks}"


def _row(line: str, group: re.Pattern[str]) -> list[Claim]:
    """A table row is one claim: without one of its cells it would not be a row."""
    refs = [ref for match in group.finditer(line) for ref in _refs(match.group())]
    text = group.sub("", line).strip()
    structure = bool(_STRUCTURE.search(text)) or not refs
    return [Claim(text, list(dict.fromkeys(refs)), structure=structure)]


def _claims(line: str, group: re.Pattern[str]) -> list[Claim]:
    claims: list[Claim] = []
    at = 0
    for match in group.finditer(line):
        claims, segment = _take_stop(claims, line[at : match.start()])
        pieces = _pieces(segment)
        refs = _refs(match.group())
        if pieces and any(c.isalnum() for c in pieces[-1].text):
            claims += [*pieces[:-1], _cite(pieces[-1], refs)]
        elif claims:
            claims.append(_cite(claims.pop(), refs))
        else:
            claims.append(Claim("", refs))
        at = match.end()
    claims, tail = _take_stop(claims, line[at:])
    return [*claims, *_pieces(tail)]


def _take_stop(claims: list[Claim], segment: str) -> tuple[list[Claim], str]:
    """Give a full stop that stands behind its marker back to the sentence before."""
    stop = re.match(r"\s*[.,;:!?…。！？；，、：)\]}\"'”’»」』）]+(?=\s|$|[\u3040-\uffff])", segment)
    if stop is None or not claims or not claims[-1].text:
        return claims, segment
    last = claims[-1]
    ended = Claim(last.text + stop.group().strip(), last.refs, last.lead)
    return [*claims[:-1], ended], segment[stop.end() :]


def _pieces(segment: str) -> list[Claim]:
    claims: list[Claim] = []
    at = 0
    for span in sentences(segment):
        text = span.of(segment)
        claims.append(Claim(text, [], segment[at : span.start], bool(_STRUCTURE.search(text))))
        at = span.end
    return claims


def _cite(claim: Claim, refs: list[int]) -> Claim:
    return Claim(claim.text, list(dict.fromkeys([*claim.refs, *refs])), claim.lead)


def _refs(markers: str) -> list[int]:
    # In 【4†source】 and 【4:0†source】 only the first number names a reference.
    plain = re.sub(r"[†:](?=[^\]】]*[†】])[^】]*】", "】", re.sub(r"ref_id\s*:?", "", markers))
    return list(dict.fromkeys(int(number) for number in _NUMBERED.findall(plain)))
