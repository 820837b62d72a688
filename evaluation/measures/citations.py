"""Whether citations point to evidence, and whether an answer is withheld where none exists.

In the manner of ALCE (Gao et al. 2023, "Enabling Large Language Models to Generate Text with
Citations", arXiv:2305.14627, section 4), with the annotators' gold passages in the place of a
model that judges entailment: a cited passage is right when it is gold.
"""

from ..record import ResultRow
from .needs import (
    ANSWER_ASKED,
    ANSWERABLE,
    ANSWERED,
    GOLD,
    RAN,
    SETTLED,
    UNANSWERABLE,
    Need,
    gold_of,
    unmet,
)
from .support import evidence_needed, share_of

CITED = Need("nothing is cited", lambda row: any(sentence.refs for sentence in row.cited))
TOLD = Need("only translations of gold passages are cited", lambda row: bool(_told(row)))
ABSTAINED = Need("an answer was given", lambda row: _withheld(row))

VALIDITY_NEEDS: tuple[Need, ...] = (RAN, ANSWER_ASKED, ANSWERED, CITED)
PRECISION_NEEDS: tuple[Need, ...] = (RAN, ANSWER_ASKED, ANSWERABLE, GOLD, ANSWERED, CITED, TOLD)
RECALL_NEEDS: tuple[Need, ...] = (RAN, ANSWER_ASKED, ANSWERABLE, GOLD, ANSWERED)
ABSTAINED_NEEDS: tuple[Need, ...] = (RAN, ANSWER_ASKED)
ABSTENTION_RECALL_NEEDS: tuple[Need, ...] = (RAN, ANSWER_ASKED, SETTLED, UNANSWERABLE)
ABSTENTION_PRECISION_NEEDS: tuple[Need, ...] = (RAN, ANSWER_ASKED, SETTLED, ABSTAINED)


def citation_validity(row: ResultRow) -> float | None:
    """Give the share of the citations whose reference exists in the content, in [0, 1].

    `None` without a run, an answer or a citation. Source: the citation format check of ALCE.
    """
    if unmet(row, VALIDITY_NEEDS):
        return None
    known = {piece.ref_id for piece in row.content}
    refs = _refs(row)
    return sum(ref in known for ref in refs) / len(refs)


def citation_precision(row: ResultRow) -> float | None:
    """Give the share of the citations whose passage is gold, in [0, 1].

    A reference that does not exist counts as wrong, a translation of a gold passage not at all.
    `None` without a run, an answer or a citation that counts, for unanswerable questions and where
    no gold passage is known. After ALCE's citation precision.
    """
    if unmet(row, PRECISION_NEEDS):
        return None
    cited, wanted = _told(row), {gold.doc for gold in gold_of(row)}
    return sum(doc in wanted for doc in cited) / len(cited)


def citation_recall(row: ResultRow) -> float | None:
    """Give the share of the needed gold passages that the answer cites, in [0, 1].

    Alternatives count as one, as in `full_support`. `None` as for `citation_precision`, but an
    answer that cites nothing has 0. After ALCE's citation recall, which counts sentences.
    """
    if unmet(row, RECALL_NEEDS):
        return None
    cited = set(_docs(row))
    return share_of(evidence_needed(row), lambda gold: gold.doc in cited)


def abstained(row: ResultRow) -> float | None:
    """Give 1 where an answer was asked for and withheld, else 0.

    It is withheld where there is no text, or where each of the first round's sub-queries is
    reported as not found. `None` without a run and where no answer was asked for. Origin: own
    definition.
    """
    return None if unmet(row, ABSTAINED_NEEDS) else float(_withheld(row))


def abstention_recall(row: ResultRow) -> float | None:
    """Give 1 where the answer to an unanswerable question is withheld, else 0.

    Its mean is the recall of abstention. `None` for other questions, and as for `abstained`.
    Source: Rajpurkar, Jia and Liang 2018, "Know What You Don't Know", arXiv:1806.03822, read as
    recall of the class without an answer.
    """
    return None if unmet(row, ABSTENTION_RECALL_NEEDS) else float(_withheld(row))


def abstention_precision(row: ResultRow) -> float | None:
    """Give 1 where an answer was withheld from an unanswerable question, 0 from another.

    Its mean is the precision of abstention. `None` where an answer was given, where it is not
    settled whether the question has one, and as for `abstained`. Source as `abstention_recall`.
    """
    return None if unmet(row, ABSTENTION_PRECISION_NEEDS) else float(row.answerable is False)


def _withheld(row: ResultRow) -> bool:
    if not (row.answer and row.answer.strip()):
        return True
    first = {query.id for query in row.sub_queries if query.round == 1}
    missing = {gap.sub_query for gap in row.gaps if gap.reason == "not_found"}
    return bool(first) and first <= missing


def _refs(row: ResultRow) -> list[int]:
    return [ref for sentence in row.cited for ref in sentence.refs]


def _told(row: ResultRow) -> list[str | None]:
    """Give the passage of each citation that is right or wrong."""
    return [doc for doc in _docs(row) if doc not in row.neutral]


def _docs(row: ResultRow) -> list[str | None]:
    """Give the passage of each citation; `None` for a reference that does not exist."""
    docs = {piece.ref_id: piece.doc for piece in row.content}
    return [docs.get(ref) for ref in _refs(row)]
