"""Stand-ins for what retrieval needs from the world: they answer what they are given and remember what they were asked.

The index here believes whatever it is told, so that a test can show what becomes of a stale one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from voice.adapters.retrieval import installed_providers
from voice.core.errors import EmbedderUnavailable
from voice.core.records import Entity, EntityName, Observation, Relation, Row, RowStatus, Table
from voice.core.retrieval.passages import Sentence
from voice.core.retrieval.values import Hit
from voice.ports.retrieval_provider import ProviderContext
from voice.ports.search_index import (
    Advance,
    Embedder,
    IndexAnswer,
    IndexQuery,
    IndexStatus,
    SearchIndex,
    ignore_progress,
)
from voice.ports.stores import WriteBatch
from voice.services.retrieval.row_lookups import Scoping
from voice.services.retrieval.search import Retrieve
from voice.testing.corpus import RowsInMemory

NOW = datetime(2026, 3, 6, 9, tzinfo=UTC)


class Rows(RowsInMemory):
    """A memory and its graph, in a dictionary; `fetched` says what was fetched of it."""

    def __init__(self, store_id: str = "x", *, has_scoped_rows: bool = False) -> None:
        super().__init__(store_id, has_scoped_rows=has_scoped_rows)
        self.fetched: list[str] = []

    @classmethod
    def of(cls, *rows: Row, has_scoped_rows: bool = False) -> Self:
        made = cls(has_scoped_rows=has_scoped_rows)
        for row in rows:
            made.add(row)
        return made

    async def write(self, batch: WriteBatch) -> int:
        assert batch == WriteBatch(), "retrieval writes nothing; an empty batch tells the newest number"
        return self.last_seq

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        self.fetched.extend(ids)
        return await super().fetch(ids)

    async def names(self) -> list[EntityName]:
        entities = (row for row in self.rows.values() if isinstance(row, Entity))
        return [EntityName.of(row) for row in entities if row.status is RowStatus.ACTIVE]

    async def relations_of(self, entity_ids: Sequence[str], *, leaving: bool = False) -> list[Relation]:
        relations = (row for _, row in sorted(self.rows.items()) if isinstance(row, Relation))
        return [row for row in relations if {row.source_id, *([] if leaving else [row.target_id])} & set(entity_ids)]

    async def observations_of(self, entity_ids: Sequence[str]) -> list[Observation]:
        raise AssertionError("retrieval finds observations by the index")

    async def derived_from(self, thought_ids: Sequence[str]) -> list[Row]:
        raise AssertionError("retrieval does not follow provenance")

    async def sentences_of(self, thought_ids: Sequence[str]) -> dict[str, list[Sentence]]:
        raise AssertionError("retrieval joins no passages")


@dataclass(slots=True, kw_only=True)
class BelievingIndex:
    """Returns the hits it was given, of the tables asked for and up to the limit."""

    hits: tuple[Hit, ...]
    excluded_other_model: int = 0
    queries: list[IndexQuery] = field(default_factory=list[IndexQuery])
    calls: list[str] = field(default_factory=list[str])

    async def refresh(self) -> int:
        self.calls.append("refresh")
        return 0

    async def search(self, query: IndexQuery) -> IndexAnswer:
        self.calls.append("search")
        self.queries.append(query)
        return IndexAnswer(
            hits=tuple(hit for table in Table for hit in self._of(table, query)),
            admitted={},
            matched={},
            excluded_other_model=self.excluded_other_model,
            folded_seq=0,
        )

    def _of(self, table: Table, query: IndexQuery) -> Iterable[Hit]:
        wanted = [hit for hit in self.hits if hit.table is table and table in query.filter.tables]
        return wanted[: query.limit]

    async def rebuild(self, advance: Advance = ignore_progress) -> IndexStatus:
        del advance
        raise AssertionError("retrieval rebuilds nothing")

    async def status(self) -> IndexStatus:
        raise AssertionError("retrieval needs no counts")


@dataclass(slots=True, kw_only=True)
class OneVector:
    """Embeds every text as the same vector, or fails as told."""

    provider: str = "local"
    model: str = "tiny"
    dim: int = 2
    size: int = 8
    down: bool = False
    texts: list[str] = field(default_factory=list[str])

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        if self.down:
            raise EmbedderUnavailable("the encoder does not answer")
        self.texts.extend(texts)
        return [b"\x01" * self.size for _ in texts]


@dataclass(slots=True, kw_only=True)
class StepClock:
    """Stands still by the calendar and advances 7 ms at every look at its stopwatch."""

    at: datetime = NOW
    elapsed: float = 0.0

    def now(self) -> datetime:
        return self.at

    def monotonic_ms(self) -> float:
        self.elapsed += 7.0
        return self.elapsed


def retrieve_over(store: Rows, index: SearchIndex, embedder: Embedder) -> Retrieve:
    """Return the service with the local providers over `index`."""
    clock = StepClock()
    context = ProviderContext(index=index, rows=store, embedder=embedder, clock=clock)
    providers = installed_providers(context)
    return Retrieve(store=store, graph=store, providers=providers, scoping=scoping_over(store), clock=clock)


def scoping_over(store: Rows) -> Scoping:
    """Return what decides in which scope a memory without pins and capsules is read."""
    from recall_doubles import Capsules, Pins

    return Scoping(store=store, capsules=Capsules(kept=[], rows=store.rows), pins=Pins())
