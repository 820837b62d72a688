"""What is known of the public data sets: which show gains in ranking, what kind of text they hold.

Sets that are not named here are told by their own names.
"""

MAIN_SETS = (
    "financebench",
    "techdocs_faq",
    "conditionalqa",
    "2wikimultihopqa",
    "covidqa",
    "mtrag",
    "droit_travail_fr",
    "debian_docs_i18n",
)
"""Sets whose mean is the headline of ranking."""

REGRESSION_SETS = ("service_public_fr", "piaf", "cmrc2018", "xquad")
"""Sets whose first stage is near the ceiling, or that are large: a ranker must not harm them."""

_KINDS = {
    "filings": ("financebench", "tatqa"),
    "manuals": ("techdocs_faq", "debian_docs_i18n"),
    "research": ("covidqa", "pubmedqa"),
    "law and public services": ("conditionalqa", "service_public_fr", "droit_travail_fr"),
    "conversation": ("mtrag",),
    "encyclopedia": (
        *("squad2", "xquad", "piaf", "cmrc2018", "boolq", "hotpotqa", "2wikimultihopqa"),
        *("strategyqa", "clapnq"),
    ),
}

NEVER_TRAINED = ("financebench", "clapnq", "hotpotqa", "debian_docs_i18n")
"""Sets without a train split: sources that no ranker of this project has seen."""


def kind_of(dataset: str) -> str:
    """Give the kind of text that a data set holds."""
    return next((kind for kind, sets in _KINDS.items() if dataset in sets), dataset)
