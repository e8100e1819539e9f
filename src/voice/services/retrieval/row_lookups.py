"""Look rows up: in which scope, by the beginning of an id, once a call, with the texts that their vectors are made of.

Law: one call sees one state of a row: what was fetched is not fetched again, and what a later look needs is added.
With an entity come the edges that leave it, and with an edge its two ends, because their texts name them (ruling C19):
one step out and no further. Whether the reader may see them is decided by whoever makes the text
(`voice.core.retrieval.candidates.Neighbourhood`). Names are never older than the store: each call asks what has changed
since the last one.

A row's vector is that of the text that is indexed of it, in which names of private entities stand only where the row is
private itself (promise 6). What no search finds, a bare link or title, costs no encoding.

One scope for every read and every list, through every door: a row, a capsule or a pin that is scoped makes the memory a
scoped one, of which nothing is read without a scope (ruling A18). A session does not: it says only what rows say, and
where one of those is scoped the memory is.

Source: spec inner_voice.retrieve, Performance Notes; retrieval-contract, Scoping; DESIGN 4 (`seq`); rulings A10, A11,
A13, A18, A21, C2, C19, E, H.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import anyio

from voice.core.graph.entity_names import KnownNames, fixed_vector, is_bare_note
from voice.core.recall.disclosure import missing_behind
from voice.core.recall.params import scope_of_read
from voice.core.records import (
    TABLE_OF_PREFIX,
    Entity,
    EntityName,
    Observation,
    Relation,
    Row,
    RowStatus,
    Scope,
    Table,
    Thought,
    VectorRow,
    table_of,
)
from voice.core.retrieval.candidates import successors
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.text.display import MOST_LISTED, id_prefix_of, resolve_id_prefix
from voice.core.text.normalise import content_hash
from voice.ports.recall_stores import CapsuleFilter, CapsuleStore, PinStore
from voice.ports.row_queries import IdPrefixes
from voice.ports.search_index import Embedder
from voice.ports.stores import Change, GraphStore, MemoryStore, WriteBatch

NO_SCOPE = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoping:
    """Decides for one memory which part of it a read may see."""

    store: MemoryStore
    capsules: CapsuleStore
    pins: PinStore

    async def __call__(self, scope: Scope, surroundings: Scope = NO_SCOPE) -> Scope:
        """Return the scope that is read in: the named one, else what the entrance reads; `Scope.ALL` where nothing is
        scoped. Raises ScopeRequired: nothing was named nor is read by default, and something is scoped (ruling A18)."""
        if not scope.is_empty:
            return scope
        return scope_of_read(scope, surroundings, is_scoped=not surroundings.everything and await self._holds_scoped())

    async def _holds_scoped(self) -> bool:
        """Return whether a row, a capsule or a pin belongs to a scope."""
        if (await self.store.head()).has_scoped_rows:  # the cheapest question first
            return True
        if await self.capsules.capsules(limit=1, where=CapsuleFilter(is_scoped=True)):
            return True
        return any(not pin.scope.is_empty for pin in await self.pins.pins())


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveIds:
    """Finds ids by their beginnings."""

    beginnings: IdPrefixes

    async def __call__(self, said: Iterable[str]) -> tuple[str, ...]:
        """Return the ids that are meant, in order; see `one`."""
        return tuple([await self.one(each) for each in said])

    async def one(self, said: str) -> str:
        """Return the id that is meant; what is no id and no beginning of one comes back as it is. Raises UnknownId: it
        ends in `…`, and no id begins with it; InvalidParams: it could mean several, or ends in `…` and is too short."""
        if (start := id_prefix_of(said)) is None:
            return said
        return resolve_id_prefix(said, await self.beginnings.ids_from(start, limit=MOST_LISTED + 1))


@dataclass(slots=True, kw_only=True)
class FetchedRows:
    """Rows by id, growing."""

    store: MemoryStore
    graph: GraphStore
    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    _surrounded: set[str] = field(default_factory=set[str])  # entities whose edges are there

    async def fetch(self, row_ids: Iterable[str]) -> None:
        """Add the rows that exist."""
        missing = [row_id for row_id in row_ids if row_id not in self.rows]
        if missing:
            self.rows.update(await self.store.fetch(missing))

    async def fetch_successors(self, row_ids: Iterable[str]) -> None:
        """Add the rows that exist, with all that took their places, one after the other."""
        known = set(row_ids)
        wanted = known
        while wanted:  # a cycle ends: what is known is not walked again
            await self.fetch(wanted)
            heirs = {heir for row_id in wanted for heir in successors(row_id, self.rows)}
            wanted = heirs - known
            known |= heirs

    async def fetch_texts(self, row_ids: Collection[str]) -> None:
        """Add the rows that exist, with all that their texts name."""
        await self.fetch(row_ids)
        entities = {row_id for row_id in row_ids if table_of(row_id) is Table.ENTITIES} - self._surrounded
        self._surrounded |= entities
        around = await fetch_surroundings(self.store, self.graph, entities, self.rows)
        self.rows = {**around, **self.rows}  # what was read first stays as it was read


async def fetch_surroundings(
    store: MemoryStore, graph: GraphStore, entity_ids: Collection[str], rows: Mapping[str, Row]
) -> dict[str, Row]:
    """Return what the texts of the entities and of the relations among `rows` name, without what is in `rows` already;
    entities that `rows` lacks are fetched, too."""
    edges = await graph.relations_of(sorted(entity_ids), leaving=True) if entity_ids else []
    relations = [row for row in rows.values() if isinstance(row, Relation)]
    ends = {end for edge in (*edges, *relations) for end in (edge.source_id, edge.target_id)}
    missing = sorted(({*entity_ids} | ends) - rows.keys())
    fetched = await store.fetch(missing) if missing else {}
    return {**fetched, **{edge.id: edge for edge in edges}}


async def fetch_with_source_thoughts(store: MemoryStore, ids: Iterable[str]) -> dict[str, Row]:
    """Return the rows with these ids and the thoughts behind them, by id; unknown ones are absent."""
    wanted = sorted(set(ids))
    rows = await store.fetch(wanted) if wanted else {}
    missing = missing_behind(rows)
    return {**rows, **await store.fetch(missing)} if missing else rows


async def fetch_thoughts(store: MemoryStore, ids: Iterable[str]) -> dict[str, Thought]:
    """Return the thoughts with these ids, by id; what is not there or is none is absent."""
    rows = await store.fetch(sorted(set(ids)))
    return {row_id: row for row_id, row in rows.items() if isinstance(row, Thought)}


async def change_pages(store: MemoryStore, *, size: int = 1_000) -> AsyncIterator[list[Change]]:
    """Yield every change that the store holds, in order, `size` at a time."""
    seq = 0
    while page := await store.changes(seq, size):
        yield page
        seq = page[-1].seq


async def every_row(store: MemoryStore) -> AsyncIterator[Row]:
    """Yield every row of the store; one that is changed meanwhile comes again."""
    async for page in change_pages(store):
        for change in page:
            if change.row is not None:  # None: deleted
                yield change.row


REMEMBERED = 10_000  # hashes


@dataclass(slots=True, kw_only=True)
class ContentHashes:
    """The hashes of the rows used last. Only those of thoughts and observations are remembered, by revision: the text
    of an entity or a relation also names its neighbours, which may change while the row itself does not."""

    most: int = REMEMBERED
    _known: OrderedDict[tuple[Table, str, int], str] = field(default_factory=OrderedDict[tuple[Table, str, int], str])

    def __call__(self, row: Row, text: str) -> str:
        """Return the content hash of `text`, which is what `row` says."""
        if not isinstance(row, Thought | Observation):
            return content_hash(text)
        key = (table_of(row.id), row.id, row.revision)
        known = self._known.pop(key, None)  # out and in again: used last
        self._known[key] = hashed = content_hash(text) if known is None else known
        if len(self._known) > self.most:
            self._known.popitem(last=False)
        return hashed


_FEW: Final = 64  # changes folded one by one; for more, reading all names afresh costs less


class Names:
    """Reads the names when they are first needed, and again when they have changed."""

    def __init__(self, store: MemoryStore, graph: GraphStore) -> None:
        self._store = store
        self._graph = graph
        self._lock = anyio.Lock()  # one reading for all who ask at once
        self._seq: int | None = None
        self._known = KnownNames()

    async def known(self) -> KnownNames:
        """Return the names of the live entities as the store has them now."""
        async with self._lock:
            changes = [] if self._seq is None else await self._store.changes(self._seq, _FEW)
            if self._seq is None or len(changes) == _FEW:
                # An empty batch writes nothing and tells the number that the reading after it is not older than.
                seq = await self._store.write(WriteBatch())
                self._known, self._seq = KnownNames(nodes=tuple(await self._graph.names())), seq
            elif changes:
                self._known, self._seq = _with_changes(self._known, changes), changes[-1].seq
            return self._known

    async def visible(self, *, include_private: bool) -> KnownNames:
        """Return those names that a reader may see."""
        known = await self.known()
        return known if include_private else known.public


def _with_changes(known: KnownNames, changes: Sequence[Change]) -> KnownNames:
    changed = dict[str, EntityName | None]()
    for change in changes:
        if TABLE_OF_PREFIX.get(change.row_id.partition(":")[0]) is Table.ENTITIES:
            row = change.row
            changed[change.row_id] = None  # gone, unless it is live
            if isinstance(row, Entity) and row.status is RowStatus.ACTIVE:
                changed[change.row_id] = EntityName.of(row)
    return known.with_(changed) if changed else known


async def embed_rows(rows: Sequence[Row], names: KnownNames, embedder: Embedder) -> list[VectorRow]:
    """Return a vector of each row; texts may name what `names` and the entities among the rows are called. Raises
    EmbedderUnavailable: it fails."""
    model, dim = embedder.model, embedder.dim
    encoded = [row for row in rows if not is_bare_note(row)]
    blank = [fixed_vector(row.id, model, dim) for row in rows if is_bare_note(row)]  # nothing to encode, not pending
    if not encoded:
        return blank
    known = names.with_({row.id: EntityName.of(row) for row in encoded if isinstance(row, Entity)})
    vectors = zip(encoded, await embedder.embed([text_to_embed(row, known) for row in encoded]), strict=True)
    return [*(VectorRow(row_id=row.id, model=model, dim=dim, data=data) for row, data in vectors), *blank]


def text_to_embed(row: Row, names: KnownNames) -> str:
    """Return the text of a row that its vector is made of."""
    return indexed_text(row, (names if row.is_private else names.public).name_of)
