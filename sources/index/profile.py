"""Statistics of an index for choosing among sources, computed once for each change."""

import base64
import json
import threading
from array import array

from ...domain.ports import SourceProfile
from .store import IndexStore

TERMS = 20_000
SAMPLE = 256
_KEY = "profile"


class Profiles:
    """Gives profiles; keeps the last one in memory and in the index itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: tuple[IndexStore, int, SourceProfile] | None = None

    def of(self, store: IndexStore) -> SourceProfile:
        """Return the profile of what is in the index now."""
        with self._lock:
            changes = store.catalog.changes
            if self._last is not None and self._last[:2] == (store, changes):
                return self._last[2]
            stored = store.catalog.get(_KEY)
            profile = _computed(store) if stored is None else _loads(stored)
            if stored is None:
                store.catalog.put(_KEY, _dumps(profile), if_at=changes)
            self._last = (store, changes, profile)
            return profile


def _computed(store: IndexStore) -> SourceProfile:
    catalog = store.catalog
    return SourceProfile(
        passages=catalog.count(),
        mean_words=catalog.mean_words(),
        document_frequency=catalog.frequencies(TERMS),
        sample=list(store.vectors.vectors(catalog.evenly(SAMPLE)).values()),
    )


def _dumps(profile: SourceProfile) -> str:
    sample = [base64.b64encode(vector.tobytes()).decode() for vector in profile.sample]
    fields = (profile.passages, profile.mean_words, profile.document_frequency, sample)
    return json.dumps(fields)


def _loads(stored: str) -> SourceProfile:
    passages, mean_words, frequency, sample = json.loads(stored)
    vectors = [array("f", base64.b64decode(text)) for text in sample]
    return SourceProfile(passages, mean_words, frequency, vectors)
