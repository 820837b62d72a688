"""The terms under which sets that something is fitted on may be used, for the fitted files."""

LICENCES = {
    "2wikimultihopqa": "Apache-2.0; passages Wikipedia, CC BY-SA",
    "boolq": "CC BY-SA 3.0",
    "clapnq": "Apache-2.0; passages Wikipedia, CC BY-SA 3.0",
    "cmrc2018": "CC BY-SA 4.0",
    "conditionalqa": "BSD-2-Clause; page text Open Government Licence 3.0",
    "covidqa": "Apache-2.0; papers CC BY",
    "debian_docs_i18n": "free copying with the notice kept; GPL-2+",
    "droit_travail_fr": "Licence Ouverte 2.0; packages Apache-2.0",
    "hotpotqa": "CC BY-SA 4.0",
    "mtrag": "Apache-2.0; StackExchange passages CC BY-SA",
    "piaf": "MIT; passages Wikipedia, CC BY-SA",
    "pubmedqa": "MIT",
    "service_public_fr": "Licence Ouverte 2.0",
    "squad2": "CC BY-SA 4.0",
    "strategyqa": "MIT",
    "tatqa": "CC BY 4.0",
    "techdocs_faq": "PSF-2.0; GPL-1+ or Artistic; GPL-2; public domain",
    "xquad": "CC BY-SA 4.0",
}


def licences_of(datasets: list[str]) -> dict[str, str]:
    """Give the licence of each set; a set that is not known here says so."""
    return {name: LICENCES.get(name, "not recorded") for name in datasets}
