"""Look for statements that cannot both hold, and keep what waits for review.

Law: nothing is looked for unless somebody asks. Private rows are compared and shown only where they are asked for. A
pair of which somebody said that both hold is not shown again.

Source: ruling F; promise 6.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from anyio.to_thread import run_sync

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.conflicts.pairs import (
    Conflict,
    ConflictRecord,
    ConflictState,
    conflicts_among,
    is_about,
    is_since,
    near_conflicts,
    recorded,
    restored,
    sealed_words,
)
from voice.core.records import Observation, Origin, Relation
from voice.core.text.instants import date_sort_key
from voice.core.text.words import content_words
from voice.ports.review_stores import ConflictLog
from voice.ports.stores import MemoryStore
from voice.ports.system import Clock
from voice.services.graph.editor import resolve_entity
from voice.services.retrieval.entity_names import Names

PAGE: Final = 50
"""Conflicts that are shown and put up for review unless somebody says otherwise."""
_NEAR: Final = 10_000
"""Near pairs that are looked through for those about something."""
_READ: Final = 1_000
_Meant = tuple[frozenset[str], frozenset[str]] | None
"""The stems and the rows that conflicts are to be about; None: any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRequest:
    """Which conflicts somebody asks for."""

    about: str | None = None
    """An entity by its id, name or alias; a row's id; else words that one of the two says."""
    since: datetime | None = None
    """One of the two was told then or later."""
    include_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictsFound:
    """What was found."""

    conflicts: tuple[Conflict, ...]
    """Real ones first, then changes; each by when the later of its two was told, the latest first."""
    total: int
    """How many there are altogether."""
    agreed: int = 0
    """How many of them are not shown because somebody said that both hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicts:
    """Finds conflicts of one memory, and settles them."""

    store: MemoryStore
    names: Names
    log: ConflictLog
    clock: Clock
    key: bytes = field(repr=False)
    """The store's 32 bytes."""

    async def __call__(self, wanted: ConflictRequest, *, limit: int | None = PAGE) -> ConflictsFound:
        """Return what cannot both hold now.

        Raises:
            InvalidParams: a name means several entities, or the limit is none.
            StoreError: the memory cannot be read.
        """
        if limit is not None and limit < 1:
            raise InvalidParams("a list has at least 1 conflict")
        observations, relations = await self._rows(include_private=wanted.include_private)
        found = await self._among(observations, relations, include_private=wanted.include_private)
        meant = await self._meant(wanted, observations, relations)
        asked = [each for each in found if _is_wanted(each, wanted, meant)]
        agreed = await self._agreed()
        shown = in_turn(each for each in asked if not agreed(each))
        return ConflictsFound(conflicts=shown[:limit], total=len(shown), agreed=len(asked) - len(shown))

    async def near(self, wanted: ConflictRequest, *, most: int) -> tuple[Conflict, ...]:
        """Return pairs that may contradict each other in what they mean, the nearest first; changes nothing.

        Raises:
            InvalidParams: a name means several entities.
            StoreError: the memory cannot be read.
        """
        observations, relations = await self._rows(include_private=wanted.include_private)
        found = await run_sync(partial(near_conflicts, observations, now=self.clock.now(), most=_NEAR))
        agreed = await self._agreed()
        meant = await self._meant(wanted, observations, relations)
        return tuple(each for each in found if not agreed(each) and _is_wanted(each, wanted, meant))[:most]

    async def _agreed(self) -> Callable[[Conflict], bool]:
        """Return what tells whether somebody said of a pair, or of another one in its very words, that both hold."""
        kept = [each for each in await self.log.records() if each.state is ConflictState.BOTH]
        ids, words = {each.id for each in kept}, {each.sealed for each in kept}
        return lambda pair: pair.id in ids or (bool(words) and sealed_words(pair, self.key) in words)

    async def put_up(self, conflicts: Sequence[Conflict], *, by: Origin = Origin.HUMAN) -> int:
        """Let conflicts wait for review, and return how many did not before.

        Raises:
            StoreError: nothing was written.
        """
        known = {each.id for each in await self.log.records() if each.state is ConflictState.WAITING}
        fresh = [each for each in conflicts if each.id not in known]
        at = self.clock.now()
        await self.log.save([self.record(each, ConflictState.WAITING, at=at, by=by) for each in fresh])
        return len(fresh)

    def record(self, conflict: Conflict, state: ConflictState, *, at: datetime, by: Origin) -> ConflictRecord:
        """Return what is kept of a conflict."""
        return recorded(conflict, state, at=at, by=by, key=self.key)

    async def waiting(self, *, include_private: bool = False, limit: int | None = None) -> ConflictsFound:
        """Return what waits for review and still cannot both hold.

        Raises:
            StoreError: it cannot be read.
        """
        kept = [each for each in await self.log.records() if each.state is ConflictState.WAITING]
        found = in_turn((await self._restored(kept, include_private=include_private)).values())
        return ConflictsFound(conflicts=found[:limit], total=len(found))

    async def one(self, conflict_id: str, *, include_private: bool = False) -> Conflict:
        """Return a conflict that waits for review, or else is found again.

        Raises:
            UnknownId: nothing of that id cannot both hold, or somebody said that both hold.
        """
        kept = [each for each in await self.log.records() if each.id == conflict_id]
        waiting = [each for each in kept if each.state is ConflictState.WAITING]
        found = await self._restored(waiting, include_private=include_private)
        if not (found or any(each.state is ConflictState.BOTH for each in kept)):
            rows = await self._rows(include_private=include_private)
            found = {each.id: each for each in await self._among(*rows, include_private=include_private)}
        if conflict_id not in found:
            raise UnknownId(f"there is no conflict {conflict_id!r} to settle; `voice conflicts` lists those there are")
        return found[conflict_id]

    async def _among(
        self, observations: Sequence[Observation], relations: Sequence[Relation], *, include_private: bool
    ) -> tuple[Conflict, ...]:
        """Return what cannot both hold; on a thread, for comparing many rows takes its time."""
        names = await self._called(include_private=include_private)
        return await run_sync(partial(conflicts_among, observations, relations, names, now=self.clock.now()))

    async def _restored(self, kept: Sequence[ConflictRecord], *, include_private: bool) -> Mapping[str, Conflict]:
        ids = sorted({row_id for each in kept for row_id in each.row_ids})
        rows: dict[str, Observation | Relation] = {}
        for start in range(0, len(ids), _READ):
            for row in (await self.store.fetch(ids[start : start + _READ])).values():
                if isinstance(row, Observation | Relation) and (include_private or not row.is_private):
                    rows[row.id] = row
        names, now = await self._called(include_private=include_private), self.clock.now()
        found = (restored(each, rows, names, now=now) for each in kept)
        return {each.id: each for each in found if each is not None}

    async def _called(self, *, include_private: bool) -> Mapping[str, str]:
        known = await self.names.known()
        return {node.id: node.name for node in (known.nodes if include_private else known.public.nodes)}

    async def _rows(self, *, include_private: bool) -> tuple[list[Observation], list[Relation]]:
        rows: dict[str, Observation | Relation] = {}
        seq = 0
        while page := await self.store.changes(seq, _READ):
            for each in page:
                row = each.row
                if isinstance(row, Observation | Relation) and (include_private or not row.is_private):
                    rows[row.id] = row
            seq = page[-1].seq
        every = rows.values()
        return [row for row in every if isinstance(row, Observation)], [r for r in every if isinstance(r, Relation)]

    async def _meant(
        self, wanted: ConflictRequest, observations: Sequence[Observation], relations: Sequence[Relation]
    ) -> _Meant:
        if wanted.about is None:
            return None
        known = await self.names.known()
        nodes = known.nodes if wanted.include_private else known.public.nodes
        try:
            entity = resolve_entity(wanted.about, nodes).id
        except UnknownId:
            entity = wanted.about
        about = {row.id for row in observations if entity in row.entity_ids or entity == row.id}
        about |= {row.id for row in observations if any(place.thought_id == entity for place in row.provenance)}
        about |= {row.id for row in relations if entity in {row.source_id, row.target_id, row.id}}
        return frozenset(word.stem for word in content_words(wanted.about)), frozenset(about)


def _is_wanted(conflict: Conflict, wanted: ConflictRequest, meant: _Meant) -> bool:
    is_meant = meant is None or is_about(conflict, *meant)
    return is_meant and (wanted.since is None or is_since(conflict, wanted.since))


def in_turn(conflicts: Iterable[Conflict]) -> tuple[Conflict, ...]:
    """Return conflicts in the order they are shown: those that nothing explains first, then the latest."""

    def key(each: Conflict) -> tuple[bool, tuple[bool, float], str]:
        latest = min(date_sort_key(side.told_at, latest_first=True) for side in (each.one, each.other))
        return each.is_change, latest, each.id

    return tuple(sorted(conflicts, key=key))
