"""The bodies of passages while their run lasts."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..domain.errors import PassageLostError, SourceError
from ..domain.passage import Passage, id_of, may_read, source_of
from ..domain.ports import Source
from ..domain.request import Run


@dataclass(slots=True)
class RunPassages:
    """Bodies by run, in memory; what is missing is fetched from the sources again.

    That happens when a run resumes in another process, and when more than `runs_kept` runs are
    under way at once. Access is checked anew then, and each run sees only what is its own: two
    callers with different rights share nothing.
    """

    sources: Sequence[Source]
    runs_kept: int = 64
    """Runs whose bodies stay in memory, the latest used ones. More of them cost memory, fewer
    cost look-ups: a run that was pushed out asks each of its sources once more."""
    _runs: OrderedDict[str, dict[str, Passage]] = field(default_factory=OrderedDict)

    async def put(self, run: Run, passages: Sequence[Passage]) -> None:
        """Keep these passages for the run."""
        self._held(run).update((passage.key, passage) for passage in passages)

    async def get(self, run: Run, keys: Sequence[str]) -> dict[str, Passage]:
        """Return every passage asked for, by key. Raises PassageLostError."""
        held = self._held(run)
        missing = [key for key in dict.fromkeys(keys) if key not in held]
        if missing:
            # Other runs may push this one out while its sources are asked: `held` stays.
            held.update(await self._fetched(run, missing))
            await self.put(run, list(held.values()))
        lost = [key for key in missing if key not in held]
        if lost:
            raise PassageLostError(lost)
        return {key: held[key] for key in keys}

    def drop(self, run: Run) -> None:
        """Forget a run that is over."""
        self._runs.pop(run.id, None)

    def clear(self) -> None:
        """Forget all runs, those that failed or were cancelled among them."""
        self._runs.clear()

    def _held(self, run: Run) -> dict[str, Passage]:
        held = self._runs.setdefault(run.id, {})
        self._runs.move_to_end(run.id)
        while len(self._runs) > self.runs_kept:
            self._runs.popitem(last=False)
        return held

    async def _fetched(self, run: Run, keys: Sequence[str]) -> dict[str, Passage]:
        principals = frozenset(run.principals)
        fetched: dict[str, Passage] = {}
        for source in self.sources:
            ids = [id_of(key) for key in keys if source_of(key) == source.name]
            if ids:
                try:
                    passages = await source.get(ids, principals=principals)
                except SourceError as exc:
                    raise PassageLostError(list(keys)) from exc
                fetched.update((p.key, p) for p in passages if may_read(p.access, principals))
        return fetched
