"""Find the centre of the multilingual embedder's vectors, and write it into the package.

    python -m headwater.models.training.centre --data FOLDER

The centre is the mean over languages of the mean vector of passages that may be learned from. What
it changes is measured on `dev`, beside the English embedder: mean cosine of the passages of each
grade, mean score of the similarity ranker, and how well both tell grades 3 and 4 from 0 and 1. The
same data and seed give the same file but for its date. `--out FOLDER` writes elsewhere than into
the package.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...domain.errors import ConfigurationError
from ...domain.ports import Embedder, RankTask, Scorable, Vector
from ..cache import cache_folder
from ..embedder import Encoder, LocalEmbedder, open_embedder
from ..multilingual.centre import FITTED, Centre, CentredEncoder
from ..multilingual.embedder import PASSAGE, QUERY, open_onnx
from ..registry import coefficients_digest
from ..similarities import embedded_text, fill_similarities
from ..similarity_ranker import open_similarity_ranker
from .labelled import NEVER_TRAIN, GradedList, Labelled, Row, read_rows
from .licences import licences_of
from .regression import Floats, auc

SEED = 7
_PACKAGE = Path(__file__).parent.parent / "fitted"


class Remembering:
    """An encoder that computes the vector of a text once."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.device = encoder.name, encoder.device
        self._encoder = encoder
        self._held: dict[str, Vector] = {}

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        new = [text for text in dict.fromkeys(texts) if text not in self._held]
        self._held.update(zip(new, self._encoder.encode(new), strict=True))
        return [self._held[text] for text in texts]


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the file with the centre."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=_PACKAGE)
    parser.add_argument("--passages", type=int, default=100, help="of each language")
    parser.add_argument("--held-out", type=int, default=4, help="queries of each set in dev")
    options = parser.parse_args(arguments)
    encoder = Remembering(open_onnx(cache_folder()))
    passages = drawn(options.data, options.passages)
    centre = centre_of(encoder, passages)
    lists = Labelled(options.data, "dev", options.held_out, SEED).graded_lists()
    fitted: dict[str, object] = {
        "centre": list(centre.mean),
        "measured": asyncio.run(measured(encoder, centre, lists)),
        "origin": {
            "command": "python -m headwater.models.training.centre --data DATA "
            f"--passages {options.passages} --held-out {options.held_out}",
            "date": datetime.now(UTC).date().isoformat(),
            "seed": SEED,
            "embedder": encoder.name,
            "passages": {language: len(rows) for language, rows in passages.items()},
            "datasets": licences_of(sorted({name for r in passages.values() for name, _ in r})),
        },
    }
    fitted["digest"] = coefficients_digest(fitted)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / FITTED).write_text(json.dumps(fitted, ensure_ascii=False) + "\n", "utf-8")
    print(json.dumps(fitted["measured"], indent=1))


def drawn(folder: Path, count: int) -> dict[str, list[tuple[str, str]]]:
    """Draw at most `count` passages of each language; set and text of each.

    Raises:
        ConfigurationError: there is no passage that may be learned from.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(folder.glob("*/corpus.jsonl.gz")):
        name = path.parent.name
        for row in () if name in NEVER_TRAIN else read_rows(path):
            if row["split"] != "eval":
                found.setdefault(row["lang"], []).append((name, _text(row)))
    if not found:
        raise ConfigurationError(f"There is no passage to learn from in {str(folder)!r}.")
    for language, rows in found.items():
        random.Random(f"{SEED} {language}").shuffle(rows)
    return {language: rows[:count] for language, rows in sorted(found.items())}


def centre_of(encoder: Encoder, passages: dict[str, list[tuple[str, str]]]) -> Centre:
    """Give the mean over languages of the mean vector; five digits are more than it is known to."""
    means = []
    for rows in passages.values():
        vectors = encoder.encode([PASSAGE + text for _, text in rows])
        means.append(np.mean([np.frombuffer(vector, "f4") for vector in vectors], axis=0))
    return Centre(tuple(round(float(number), 5) for number in np.mean(means, axis=0)))


async def measured(
    encoder: Encoder, centre: Centre, lists: Sequence[GradedList]
) -> dict[str, object]:
    """Give the figures of the English embedder, and of this one before and after."""
    centred = CentredEncoder(encoder, centre)
    embedders = {
        "english": open_embedder(device="cpu"),
        "multilingual": LocalEmbedder(encoder, query_prefix=QUERY, passage_prefix=PASSAGE),
        "centred": LocalEmbedder(centred, query_prefix=QUERY, passage_prefix=PASSAGE),
    }
    return {name: await _figures(embedder, lists) for name, embedder in embedders.items()}


async def _figures(embedder: Embedder, lists: Sequence[GradedList]) -> dict[str, object]:
    """Say what cosines, and the similarity ranker that reads them, make of the labelled pairs."""
    found = await fill_similarities(embedder, [(one.query, one.passages) for one in lists])
    tasks = [
        RankTask(
            one.query, [replace(p, similarity=c) for p, c in zip(one.passages, row, strict=True)]
        )
        for one, row in zip(lists, found, strict=True)
    ]
    scored = await open_similarity_ranker(embedder).score(tasks)
    cosines, scores = (np.concatenate([np.array(row) for row in rows]) for rows in (found, scored))
    grades = np.concatenate([np.array(one.grades) for one in lists])
    clear, labels = grades != 2, (grades > 2).astype(float)
    return {
        "mean_cosine_by_grade": _by_grade(cosines, grades),
        "mean_score_by_grade": _by_grade(scores, grades),
        "score_mean_absolute_error": round(float(np.abs(scores - grades).mean()), 4),
        "auc_3_against_1": {
            "cosine": round(auc(cosines[clear], labels[clear]), 4),
            "score": round(auc(scores[clear], labels[clear]), 4),
        },
        "pairs": len(grades),
    }


def _by_grade(numbers: Floats, grades: NDArray[np.int64]) -> dict[str, float]:
    return {
        str(grade): round(float(numbers[grades == grade].mean()), 4)
        for grade in sorted(set(grades.tolist()))
    }


def _text(row: Row) -> str:
    return embedded_text(Scorable(row["text"], title=row.get("title") or ""))


if __name__ == "__main__":
    main()
