"""What an index was made with: whoever opens it must bring the same."""

import hashlib
import json
from dataclasses import asdict, dataclass

from ...domain.errors import IndexVersionError
from ...domain.words import STOP_WORDS, terms
from .keyword import Engine
from .sqlite import REBUILD

FORMAT = 1
"""Raise it when files of the former kind can no longer be read."""

# Holds what analysis has rules for: accents, plurals, compounds, numbers, several scripts.
_PROBE = (
    "The X-200's follow-up: Préférences et études, 3.5 buses, glasses, cities. 水泵の密封 펌프 v2"
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """Format of the files, weights of the vectors, engine and analysis of the words."""

    embedder: str
    dimensions: int
    keyword: Engine
    analysis: str
    format: int = FORMAT

    def check(self, stored: str, *, path: str) -> None:
        """Compare with the stamp of the index in `path`.

        Raises:
            IndexVersionError: they differ; says in what.
        """
        mine, theirs = asdict(self), json.loads(stored)
        for name, value in mine.items():
            if theirs.get(name) != value:
                cause = f"it was made with {name} {theirs.get(name)!r}, now it is {value!r}."
                raise IndexVersionError(path, cause, fix=REBUILD)

    def versions(self) -> dict[str, str]:
        """Its parts as text, for people."""
        return {name: str(value) for name, value in asdict(self).items()}

    def dumps(self) -> str:
        """Write it down for `check`."""
        return json.dumps(asdict(self))


def analysis_version() -> str:
    """Name the present way of cutting text into terms; another way gives another name."""
    sample = json.dumps([terms(_PROBE), sorted(STOP_WORDS)])
    return hashlib.sha256(sample.encode()).hexdigest()[:12]
