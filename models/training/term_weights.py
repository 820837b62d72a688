"""Count how rare each term is in running text, and write the weights into the package.

    python -m headwater.models.training.term_weights --data FOLDER

Reads the passages that may be learned from, of every set and language, and keeps numbers alone: no
text goes into the file. The same data give the same file. `--out FOLDER` writes elsewhere than
into the package.
"""

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ...domain.errors import ConfigurationError
from ...domain.words import terms
from ..ranker.evidence import TERM_WEIGHTS_FILE
from ..registry import coefficients_digest
from .labelled import NEVER_TRAIN, Row, read_rows
from .licences import licences_of

SET_PASSAGES = 2_500
"""Most passages of one set and language, evenly taken, so that no set makes the language."""

MIN_PASSAGES = 3
"""A term in fewer passages tells more of its text than of the language; it is not kept."""

FEW_PASSAGES = 500
"""Fewer of a language, and their subjects would pass for its common words: then only terms in a
sixth of them are taken, which are its function words."""

MAX_TERMS = 45_000
"""The most frequent ones; the file stays below 400 kB. A rarer term has the largest weight."""

_STEP = 0.1
"""Weights are rounded to this, so that the terms of one weight can be listed together."""

_PACKAGE = Path(__file__).parent.parent / "fitted"


@dataclass
class Counts:
    """In how many passages of one language each term is."""

    passages: int = 0
    terms: int = 0
    frequency: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        """Count one passage."""
        found = terms(text)
        self.passages += 1
        self.terms += len(found)
        self.frequency.update(set(found))

    def common(self) -> Iterator[tuple[str, float]]:
        """Give the terms in enough passages, each with its weight."""
        least = MIN_PASSAGES if self.passages >= FEW_PASSAGES else self.passages / 6
        for term, df in self.frequency.items():
            if df >= max(MIN_PASSAGES, least):
                yield term, self.weight(term)

    def weight(self, term: str) -> float:
        """Give ln(1 + (n - df + 0.5) / (df + 0.5)), as BM25 does (Robertson and Zaragoza 2009)."""
        df = self.frequency[term]
        return math.log(1.0 + (self.passages - df + 0.5) / (df + 0.5))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the file of term weights."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=_PACKAGE)
    options = parser.parse_args(arguments)
    fitted = term_weights(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    written = json.dumps(fitted, indent=0, ensure_ascii=False) + "\n"
    (options.out / TERM_WEIGHTS_FILE).write_text(written, "utf-8")
    print(json.dumps(fitted["origin"], indent=1))


def term_weights(folder: Path) -> dict[str, object]:
    """Give the object of the file: weights, the weight of an unknown term, origin.

    Raises:
        ConfigurationError: the folder has no passage that may be learned from.
    """
    sets = _allowed_sets(folder)
    languages: dict[str, Counts] = {}
    read: Counter[str] = Counter()
    for name in sets:
        for language, rows in _by_language(folder / name / "corpus.jsonl.gz").items():
            for row in evenly(rows, SET_PASSAGES):
                languages.setdefault(language, Counts()).add(_text(row))
                read[name] += 1
    if not read:
        raise ConfigurationError(f"There is no passage to learn from in {str(folder)!r}.")
    weights, unknown = _weights(languages.values())
    mean = sum(c.terms for c in languages.values()) / sum(c.passages for c in languages.values())
    fitted: dict[str, object] = {
        "unknown": unknown,
        "mean_terms": round(mean, 1),
        "weights": _listed(weights),
        "origin": {
            "command": "python -m headwater.models.training.term_weights --data DATA",
            "date": datetime.now(UTC).date().isoformat(),
            "passages": dict(sorted(read.items())),
            "languages": {name: c.passages for name, c in sorted(languages.items())},
            "min_passages": MIN_PASSAGES,
            "terms": len(weights),
            "datasets": licences_of(sorted(read)),
        },
    }
    return {**fitted, "digest": coefficients_digest(fitted)}


def evenly(rows: Sequence[Row], most: int) -> list[Row]:
    """Take at most `most` rows, evenly spread over all of them, in order."""
    if len(rows) <= most:
        return list(rows)
    return [rows[i * len(rows) // most] for i in range(most)]


def _allowed_sets(folder: Path) -> list[str]:
    found = sorted(path.parent.name for path in folder.glob("*/corpus.jsonl.gz"))
    return [name for name in found if name not in NEVER_TRAIN]


def _by_language(path: Path) -> dict[str, list[Row]]:
    """Read the passages that are not kept for evaluation."""
    found: dict[str, list[Row]] = {}
    for row in _learnable(read_rows(path)):
        found.setdefault(row.get("lang") or "", []).append(row)
    return found


def _learnable(rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if row["split"] != "eval")


def _text(row: Row) -> str:
    return f"{row.get('title') or ''}\n{row['text']}"


def _weights(languages: Iterable[Counts]) -> tuple[dict[str, float], float]:
    """Weigh each term in the language where it is most common, and give what the rest weighs.

    A word of one language turns up in another as a name or a quotation, where it would look rare.
    """
    found: dict[str, float] = {}
    for counts in languages:
        for term, exact in counts.common():
            weight = max(_STEP, round(exact, 1))
            found[term] = min(weight, found.get(term, weight))
    kept = sorted(found.items(), key=lambda pair: (pair[1], pair[0]))[:MAX_TERMS]
    return dict(kept), max((weight for _, weight in kept), default=1.0)


def _listed(weights: Mapping[str, float]) -> dict[str, str]:
    """List the terms of each weight in one string, terms and weights in ascending order."""
    lists: dict[float, list[str]] = {}
    for term, weight in weights.items():
        lists.setdefault(weight, []).append(term)
    return {str(weight): " ".join(sorted(lists[weight])) for weight in sorted(lists)}


if __name__ == "__main__":
    main()
