"""A small memory that every condition of a read divides.

Law: made from nothing but the program's own in-memory parts: no file, no network, no model. Each condition a filter can
set (table, every dimension of a scope, both ends of a window, privacy, each tag, superseded, marked, redacted, written
by the inner voice) is met by some rows and not by others, in every table; and rows that may not be seen hold the very
words that others are found by.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.errors import EmbedderUnavailable
from voice.core.records import (
    Entity,
    Observation,
    Origin,
    Relation,
    Row,
    RowStatus,
    Scope,
    Thought,
    TrustTier,
    VectorRow,
    table_of,
)
from voice.core.retrieval.searchable_text import indexed_text
from voice.ports.retrieval_provider import ProviderContext
from voice.ports.search_index import Embedder
from voice.ports.stores import Change, StoreHead, StoreStatus, WriteBatch

NOW: Final = datetime(2026, 3, 6, 9, tzinfo=UTC)
EDGE: Final = NOW - timedelta(days=20)
"""When one row of every table was made, to the microsecond."""
HOME: Final = Scope(session_id="s1", repo_id="/home", agent_id="a1", user_id="u1")
ELSEWHERE: Final[Mapping[str, Scope]] = {
    "session": replace(HOME, session_id="s2"),
    "repo": replace(HOME, repo_id="/away"),
    "agent": replace(HOME, agent_id="a2"),
    "user": replace(HOME, user_id="u2"),
}
"""Scopes that differ from `HOME` in one dimension each."""
_DIM: Final = 64  # of the hashed encoder
TOPICS: Final = (
    "The kiln was fired at dawn and two of the blue vases cracked.",
    "Anna mended the roof before the autumn rain began.",
    "The login bug of the shop came from an expired token.",
    "昨日、港でログインの問題を直した。",  # no blanks between words
    "We rewrote the parser in C++ because the old one was slow.",  # a name that tokenisers lose
    "The ferry to the island leaves at nine on weekdays.",
)
"""What the plain rows say, each of them something else: `t:plain0` and `o:plain0` the first, and so on."""


class FailingEmbedder(HashedEmbedder):
    """An encoder that is down."""

    async def embed(self, texts: object) -> list[bytes]:
        """Fail. Raises EmbedderUnavailable: always."""
        del texts
        raise EmbedderUnavailable("this encoder is down, to see what a provider makes of it")


class RowsInMemory:
    """`MemoryStore` in memory, for an index to follow; it takes whatever revision a row has."""

    def __init__(self, store_id: str = "corpus", *, has_scoped_rows: bool = False) -> None:
        self.store_id, self.has_scoped_rows = store_id, has_scoped_rows
        self.rows: dict[str, Row] = {}
        self.vectors: dict[str, VectorRow] = {}
        self.seqs: dict[str, int] = {}
        """The number of each row's last change, of those that are gone as well."""
        self.last_seq = 0

    async def write(self, batch: WriteBatch) -> int:
        """Write rows, vectors and tombstones, each under the next number."""
        for row in batch.rows:
            self.add(row)
        for vector in batch.vectors:
            self.vectors[vector.row_id] = vector
            self._touch(vector.row_id)
        for tombstone in batch.tombstones:
            self.rows.pop(tombstone.row_id, None)
            self.vectors.pop(tombstone.row_id, None)
            self._touch(tombstone.row_id)
        return self.last_seq

    def add(self, row: Row) -> None:
        """Write one row."""
        self.rows[row.id] = row
        self._touch(row.id)

    def _touch(self, row_id: str) -> None:
        self.last_seq += 1
        self.seqs[row_id] = self.last_seq
        if row_id in self.rows:
            self.rows[row_id] = replace(self.rows[row_id], seq=self.last_seq)  # as a store numbers its rows

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id."""
        return {row_id: self.rows[row_id] for row_id in ids if row_id in self.rows}

    async def changes(self, after_seq: int, limit: int) -> list[Change]:
        """Return changes in the order of their numbers."""
        after = sorted((seq, row_id) for row_id, seq in self.seqs.items() if seq > after_seq)
        return [
            Change(seq=seq, row_id=row_id, row=self.rows.get(row_id), vector=self.vectors.get(row_id))  # None: gone
            for seq, row_id in after[:limit]
        ]

    async def head(self) -> StoreHead:
        """Return the last number."""
        return await self.status()  # a status says all that a head does

    async def status(self) -> StoreStatus:
        """Return the numbers of rows and vectors."""
        return StoreStatus(
            store_id=self.store_id,
            last_seq=self.last_seq,
            rows=Counter(table_of(row_id) for row_id in self.rows),
            encodings=Counter((vector.model, vector.dim) for vector in self.vectors.values()),
            pending_embeddings=0,
            sessions=0,
            exchanges=0,
            has_scoped_rows=self.has_scoped_rows,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A memory with the parts a provider is made with."""

    store: RowsInMemory
    embedder: Embedder
    context: ProviderContext
    rows: tuple[Row, ...]

    @classmethod
    async def make(cls, *, is_embedder_down: bool = False) -> "Corpus":
        """Return the memory, written and embedded. `is_embedder_down`: the provider is given an encoder that fails."""
        store, embedder = RowsInMemory(has_scoped_rows=True), HashedEmbedder(_DIM)
        index = FoldedIndex(store, None, model=embedder.model, dim=embedder.dim)  # None: in memory
        given = FailingEmbedder(_DIM) if is_embedder_down else embedder
        context = ProviderContext(index=index, rows=store, embedder=given, clock=FixedClock(NOW))
        corpus = cls(store=store, embedder=embedder, context=context, rows=_rows())
        await corpus.write(corpus.rows)
        return corpus

    async def write(self, rows: tuple[Row, ...]) -> None:
        """Write rows with their vectors."""
        names = {row.id: row.name for row in (*self.rows, *rows) if isinstance(row, Entity)}
        data = await self.embedder.embed([indexed_text(row, names) for row in rows])
        vectors = tuple(
            VectorRow(row_id=row.id, model=self.embedder.model, dim=self.embedder.dim, data=vector)
            for row, vector in zip(rows, data, strict=True)
        )
        await self.store.write(WriteBatch(rows=rows, vectors=vectors))


def thought(key: str, text: str, *, at: datetime = NOW) -> Thought:
    """Return a thought somebody wrote."""
    return Thought(id=f"t:{key}", created_at=at, recorded_at=at, origin=Origin.HUMAN, content=text)


def observation(key: str, text: str, *, at: datetime = NOW) -> Observation:
    """Return an observation somebody made."""
    return Observation(
        id=f"o:{key}", created_at=at, recorded_at=at, origin=Origin.HUMAN, trust=TrustTier.GREEN, text=text
    )


def _rows() -> tuple[Row, ...]:
    days = [NOW - timedelta(days=9 * number) for number in range(len(TOPICS))]  # some before `EDGE`, some after
    plain = [thought(f"plain{number}", text, at=days[number]) for number, text in enumerate(TOPICS)]
    noted = [observation(f"plain{number}", text, at=days[number]) for number, text in enumerate(TOPICS)]
    return (*plain, *noted, *_people(), *_restricted_rows(), *_filterable_rows())


def _restricted_rows() -> Iterator[Row]:
    """Yield what may not be seen, or not by everybody, in every table."""
    for row in _row_of_each_table("private", "A secret."):
        yield replace(row, is_private=True)
    for row in _row_of_each_table("marked", "Marked."):
        yield replace(row, status=RowStatus.REMOVAL)
    for row in _row_of_each_table("left", "Left with its note."):
        yield replace(row, status=RowStatus.REMOVAL, superseded_at=NOW)  # `superseded_at`: its note went
    for row in _row_of_each_table("old", "Superseded."):
        yield replace(row, status=RowStatus.SUPERSEDED)
    for row in _row_of_each_table("redacted", "Redacted."):
        yield replace(row, status=RowStatus.REDACTED)
    yield replace(thought("said", f"{TOPICS[0]} In short."), is_summary=True, pipeline="inner_voice")


def _filterable_rows() -> Iterator[Row]:
    """Yield what has a scope, a tag or a time that a filter may ask for, in every table."""
    for row in _row_of_each_table("here", "At home."):
        yield replace(row, scope=HOME, tags=("clay", "work"))
    for dimension, scope in ELSEWHERE.items():
        for row in _row_of_each_table(dimension, "Away."):
            yield replace(row, scope=scope, tags=("draft",))
    for row in _row_of_each_table("work", "At work."):
        yield replace(row, tags=("work",))
    for row in _row_of_each_table("edge", "That day."):
        yield replace(row, created_at=EDGE)


def _row_of_each_table(key: str, words: str) -> tuple[Row, ...]:
    """Return a row of each table that says what the first topic says, and `words`."""
    text = f"{TOPICS[0]} {words}"
    return (thought(key, text), observation(key, text), _person(key, f"{key} Potter", text), _bond(key, text))


def _people() -> tuple[Row, ...]:
    anna = _person("anna", "Anna", "a roofer who fires a kiln")
    bo = _person("bo", "Bo", "a potter with blue vases")
    return (anna, bo, _bond("knows", "from the pottery where the kiln stands"))


def _person(key: str, name: str, about: str) -> Entity:
    return Entity(
        id=f"e:{key}",
        created_at=NOW,
        recorded_at=NOW,
        origin=Origin.HUMAN,
        trust=TrustTier.GREEN,
        name=name,
        entity_type="person",
        description=about,
    )


def _bond(key: str, about: str) -> Relation:
    return Relation(
        id=f"r:{key}",
        created_at=NOW,
        recorded_at=NOW,
        origin=Origin.HUMAN,
        trust=TrustTier.GREEN,
        source_id="e:anna",
        target_id="e:bo",
        rel_type="knows",
        description=about,
    )
