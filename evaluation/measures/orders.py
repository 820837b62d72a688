"""The orders that a question's candidates can be put in, by the layers of a row that keep them."""

FIRST_STAGE = {
    "keyword": "keyword alone",
    "vector": "vectors alone",
    "equal": "equal fusion",
    "federate": "tuned fusion",
}
"""What the indexes give, before a ranker reads anything. `equal` is reciprocal rank fusion with
equal weights and k = 60, as published; `federate` is the fusion that is served."""

RERANKED = {
    "similarity": "similarity ranker",
    "rank": "L2",
    "classify": "L3",
}
"""What models make of the first `CANDIDATES` of `federate`: all of them put the same in order."""

ORDERS = {**FIRST_STAGE, **RERANKED}
"""Layer -> title, in the order of a report."""

CANDIDATES = 50
"""Passages that are put in order; one side of the first stage finds no more."""

RETRIEVED, REWRITTEN = "retrieved", "retrieved-rewritten"
"""Settings of rows with these orders: the question as it stands, and with what it takes over from
the turns before it."""

GRADED, GRADED_DEV = "graded-pairs", "graded-pairs-dev"
"""Settings of rows whose content is the graded passages of a question, of the split that is asked
and of `dev`."""

EQUAL_K = 60.0
"""Of the equal fusion: Cormack, Clarke and Büttcher 2009."""
