"""The memory as it was at some earlier moment.

Law: as the memory *knew* it then: a row is there if it was recorded by then and not yet superseded, in the words it had
then. What became true later but was known already is there, and what was true then but learnt later is not. Each of
these is a layer around a port that reads; nothing is written through it. What was forgotten, redacted or hidden since
is not brought back (rulings F, H), and a statement's end that a later correction told stays told.

Source: ruling F; STYLE 14.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from voice.core.graph.corrections import as_it_stood
from voice.core.graph.entities.merge_history import MergeHistory
from voice.core.graph.removal.lifecycle import was_held
from voice.core.graph.row_text import named_by
from voice.core.records import Entity, Observation, Relation, Row, RowStatus, Table, table_of
from voice.core.retrieval.values import Found
from voice.ports.retrieval_provider import ProviderAnswer, ProviderQuery, RetrievalProvider, RetrievalProviders
from voice.ports.row_history import HistoryStore, MergeLog
from voice.ports.stores import GraphStore, MemoryStore
from voice.services.retrieval.fetched_rows import ContentHashes
from voice.services.retrieval.search import Retrieve

_AnyRow = TypeVar("_AnyRow", Observation, Relation)


async def retrieve_as_of(retrieve: Retrieve, history: HistoryStore, merges: MergeLog, moment: datetime) -> Retrieve:
    """Return what retrieves from the memory as it was at `moment`.

    Raises:
        StoreError: it cannot be read.
    """
    not_held = frozenset(await history.not_held_at(moment))
    then = MergeHistory(await merges.merges(), moment)
    return replace(
        retrieve,
        store=MemoryAsOf(retrieve.store, history, moment, then),
        graph=GraphAsOf(retrieve.graph, history, moment, then),
        providers=_ProvidersAsOf(retrieve.providers, retrieve.store, not_held | then.ended, then.absorbed),
        hashes=ContentHashes(),
    )


class MemoryAsOf:
    """A `MemoryStore` whose rows are fetched as they were; the rest is the store's own."""

    def __init__(self, inner: MemoryStore, history: HistoryStore, moment: datetime, merges: MergeHistory) -> None:
        """Read `inner` as it was at `moment`."""
        self._inner = inner
        self._history = history
        self._moment = moment
        self._merges = merges
        self.write = inner.write
        self.changes = inner.changes
        self.head = inner.head
        self.status = inner.status

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that were held, by id; an entity that was described anew since, as it was described."""
        rows = await self._inner.fetch(ids)
        held = {row_id: _then(row, self._merges) for row_id, row in rows.items() if was_held(row, self._moment)}
        later = [row_id for row_id, row in rows.items() if isinstance(row, Entity) and row_id not in held]
        past = await self._history.replaced_by(later) if later else []
        before = [replace(as_it_stood(row), id=row.superseded_by or row.id) for row in past if self._is_then(row)]
        return {**held, **{row.id: row for row in before}}

    def _is_then(self, row: Row) -> bool:
        return isinstance(row, Entity) and was_held(row, self._moment) and row.id not in self._merges.absorbed


class GraphAsOf:
    """A `GraphStore` whose edges and statements are those of an earlier moment; names are today's."""

    def __init__(self, inner: GraphStore, history: HistoryStore, moment: datetime, merges: MergeHistory) -> None:
        """Read `inner` as it was at `moment`."""
        self._inner = inner
        self._history = history
        self._moment = moment
        self._merges = merges
        self.names = inner.names
        self.derived_from = inner.derived_from

    async def relations_of(self, entity_ids: Sequence[str], *, leaving: bool = False) -> list[Relation]:
        """Return the relations that touched any of the entities, by id; only those that left one, if asked."""
        ids = self._merges.around(entity_ids)
        past = [row for row in await self._history.past_of(ids) if isinstance(row, Relation)]
        held = self._held([*await self._inner.relations_of(ids, leaving=leaving), *past], entity_ids)
        return [row for row in held if not leaving or row.source_id in entity_ids]

    async def observations_of(self, entity_ids: Sequence[str]) -> list[Observation]:
        """Return the observations that named any of the entities, by id."""
        ids = self._merges.around(entity_ids)
        past = [row for row in await self._history.past_of(ids) if isinstance(row, Observation)]
        return self._held([*await self._inner.observations_of(ids), *past], entity_ids)

    def _held(self, rows: Sequence[_AnyRow], entity_ids: Sequence[str]) -> list[_AnyRow]:
        there = (row for row in rows if was_held(row, self._moment) and row.id not in self._merges.ended)
        held = [self._merges.row(as_it_stood(row)) for row in there]
        named = [row for row in held if not set(entity_ids).isdisjoint(named_by(row))]
        return sorted(named, key=lambda row: row.id)


def _then(row: Row, merges: MergeHistory) -> Row:
    stood = as_it_stood(row)
    if isinstance(stood, Observation):
        return merges.row(stood)
    return merges.row(stood) if isinstance(stood, Relation) else stood


@dataclass(frozen=True, slots=True)
class _ProvidersAsOf:
    """Providers that find what was held."""

    inner: RetrievalProviders
    store: MemoryStore
    not_held: frozenset[str]
    absorbed: frozenset[str]

    def names(self) -> tuple[str, ...]:
        return self.inner.names()

    def named(self, name: str) -> RetrievalProvider:
        return _ProviderAsOf(self.inner.named(name), self.store, self.not_held, self.absorbed)


class _ProviderAsOf:
    """A provider for which what was not held is not there, and what was superseded since is."""

    def __init__(
        self, inner: RetrievalProvider, store: MemoryStore, not_held: frozenset[str], absorbed: frozenset[str]
    ) -> None:
        self._inner = inner
        self._store = store
        self._not_held = not_held
        self._absorbed = absorbed

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def is_deterministic(self) -> bool:
        return self._inner.is_deterministic

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return what was found; the past value of an entity under the id that other rows name it by."""
        then = replace(
            query,
            filter=replace(query.filter, include_superseded=True),
            exclude_ids=query.exclude_ids | self._not_held,
        )
        answer = await self._inner.search(then)
        nodes = [one.hit.row_id for one in answer.found if one.hit.table is Table.ENTITIES]
        rows = await self._store.fetch([each for each in nodes if each not in self._absorbed]) if nodes else {}
        return replace(answer, found=tuple(_under_its_id(one, rows) for one in answer.found))


def _under_its_id(one: Found, rows: Mapping[str, Row]) -> Found:
    row = rows.get(one.hit.row_id)
    if row is None or row.status is not RowStatus.SUPERSEDED or row.superseded_by is None:
        return one
    assert table_of(row.superseded_by) is Table.ENTITIES, "an entity is replaced by an entity"
    return replace(one, hit=replace(one.hit, row_id=row.superseded_by))
