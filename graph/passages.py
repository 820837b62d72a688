"""The bodies of passages while their run lasts."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..domain.errors import PassageLostError, SourceError
from ..domain.passage import Passage, id_of, source_of
from ..domain.ports import Source
from ..domain.request import Run

RUNS_KEPT = 64
"""Runs whose bodies stay in memory. A run that is pushed out is refilled from its sources, which
costs one look-up a source; a medium run holds about a megabyte."""


@dataclass(slots=True)
class RunPassages:
    """Bodies by run, in memory; what is missing is fetched from the sources again.

    That happens when a run resumes in another process. The sources check access anew, and each
    run sees only what it put itself: two callers with different rights share nothing.
    """

    sources: Sequence[Source]
    _runs: OrderedDict[str, dict[str, Passage]] = field(default_factory=OrderedDict)

    async def put(self, run: Run, passages: Sequence[Passage]) -> None:
        """Keep these passages for the run."""
        self._held(run.id).update((passage.key, passage) for passage in passages)

    async def get(self, run: Run, keys: Sequence[str]) -> dict[str, Passage]:
        """Return every passage asked for, by key. Raises PassageLostError."""
        held = self._held(run.id)
        missing = [key for key in dict.fromkeys(keys) if key not in held]
        if missing:
            await self._refill(run, missing)
        lost = [key for key in missing if key not in held]
        if lost:
            raise PassageLostError(lost)
        return {key: held[key] for key in keys}

    def drop(self, run: Run) -> None:
        """Forget a run that is over."""
        self._runs.pop(run.id, None)

    def _held(self, run_id: str) -> dict[str, Passage]:
        held = self._runs.setdefault(run_id, {})
        self._runs.move_to_end(run_id)
        while len(self._runs) > RUNS_KEPT:
            self._runs.popitem(last=False)
        return held

    async def _refill(self, run: Run, keys: Sequence[str]) -> None:
        principals = frozenset(run.principals)
        for source in self.sources:
            ids = [id_of(key) for key in keys if source_of(key) == source.name]
            if ids:
                try:
                    await self.put(run, await source.get(ids, principals=principals))
                except SourceError as exc:
                    raise PassageLostError(list(keys)) from exc
