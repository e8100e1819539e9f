"""Stores of rows, conversations and figures: where truth is kept.

Law: a write is one transaction and is on disk when it returns (promise 3); each written row gets a store-wide, strictly
rising `seq`; reads return values, never cursors of a vendor. Rows come back in the order stated, never in chance order.

Source: DESIGN 4; rulings B, C1, D17, D21, D26, H.
"""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Literal, Protocol

from voice.core.errors import InvalidParams
from voice.core.records import (
    Entity,
    EntityName,
    Observation,
    Relation,
    Row,
    Table,
    Thought,
    Tombstone,
    VectorRow,
    require_utc,
    table_of,
)
from voice.core.retrieval.passages import Sentence
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.normalise import clean_text

MAX_BATCH = 2000
"""Rows that are read, or decided on, at once."""
MAX_WRITE = 100_000
"""Rows, vectors or tombstones in one batch: more than the longest thought says, which is one write (ruling I8)."""
TYPE_OF_TABLE: dict[Table, type[Row]] = {
    Table.THOUGHTS: Thought,
    Table.ENTITIES: Entity,
    Table.OBSERVATIONS: Observation,
    Table.RELATIONS: Relation,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBatch:
    """Rows that become true together or not at all.

    A row whose id exists is replaced (its `revision` must be the stored one plus 1) and gets a new `seq`. `vectors` may
    belong to rows of this batch or to stored rows; writing one sets that row's `embedding_status` to `ready` and gives
    the row a new `seq`, so that the index sees it. `embedding_failed` marks rows `failed` (ruling C17). A row that is
    replaced keeps its vector only if its value says `ready`; a row that says `ready` without a vector is `pending`.
    `made_of` names the revisions of stored rows whose words `vectors` were made of: a row that says something else by
    now keeps what it has, so the batch is refused.

    Raises:
        InvalidParams: more than `MAX_WRITE` of a kind, an id twice or in two contradicting places, or a row under
            another table's prefix.
    """

    rows: tuple[Row, ...] = ()
    vectors: tuple[VectorRow, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()  # the rows of these ids go
    embedding_failed: tuple[str, ...] = ()  # row ids
    made_of: Mapping[str, int] = field(default_factory=dict[str, int])  # row id → revision

    def __post_init__(self) -> None:
        rows = [row.id for row in self.rows]
        vectors = [vector.row_id for vector in self.vectors]
        gone = [tombstone.row_id for tombstone in self.tombstones]
        for ids in (rows, vectors, gone, self.embedding_failed):
            check_ids(ids)
            for row_id in ids:
                table_of(row_id)  # refuses a prefix of no table
        for tombstone in self.tombstones:
            require_utc(tombstone.at, "a tombstone's time")  # the store compares naive ones wrongly (ruling B10)
        if set(gone) & {*rows, *vectors, *self.embedding_failed} or set(vectors) & set(self.embedding_failed):
            raise InvalidParams("a batch says two different things of one row")  # gone and written, or ready and failed
        for row in self.rows:
            if not isinstance(row, TYPE_OF_TABLE[table_of(row.id)]):
                raise InvalidParams(f"the id {row.id} belongs to another table than its row")
            if row.scope.everything:
                raise InvalidParams("a row belongs to one scope; everything is for reading only")


def check_ids(ids: Sequence[str], what: str = "row") -> None:
    """Check the ids of one batch. Raises InvalidParams: there are too many, one is named twice, or is none."""
    if len(ids) > MAX_WRITE:  # a statement to the embedded engine is bounded (ruling H)
        raise InvalidParams(f"a batch holds at most {MAX_WRITE:,} {what}s; write several")
    if len(set(ids)) != len(ids):
        raise InvalidParams(f"a batch names the same {what} twice")
    for each in ids:
        check_id(each)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A row as it now stands, with its vector; `row` is None when it is gone (a tombstone)."""

    seq: int  # of its latest change
    row_id: str
    row: Row | None  # None: gone for good
    vector: VectorRow | None  # None: it has none yet, or the row is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHead:
    """What every read may ask first."""

    store_id: str
    """Fixed when the store was made; an index of another store is thrown away."""
    last_seq: int  # a reader that has folded it is up to date
    has_scoped_rows: bool
    """Whether any row but declined notes names a scope dimension (ruling A18)."""


Encoding = tuple[str, int]
"""The model a vector was made by, and its dimension."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus(StoreHead):
    """Counts and identity, for `doctor` and the index."""

    rows: Mapping[Table, int]
    encodings: Mapping[Encoding, int]
    """How many vectors there are of each model and dimension; those of one alone can be compared."""
    pending_embeddings: int  # failed ones, too
    sessions: int
    exchanges: int
    schema: str = ""
    """The newest step that its schema has taken; empty where there are no steps."""

    @property
    def vectors(self) -> int:
        """How many vectors there are, whatever made them."""
        return sum(self.encodings.values())


class MemoryStore(Protocol):
    """Thoughts, the knowledge graph, their vectors and tombstones."""

    async def write(self, batch: WriteBatch) -> int:
        """Write the batch in one transaction and return the highest `seq` it got (the current one for an empty batch).
        Raises InvalidParams: a row's revision is not the stored one plus 1, or a row bears a tombstone's id;
        StoreError: nothing of the batch was written."""
        ...

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id; unknown ids are absent (ruling B3)."""
        ...

    async def changes(self, after_seq: int, limit: int) -> list[Change]:  # a row that changes again comes once more
        """Return up to `limit` changes with `seq > after_seq`, ascending by `seq`, each row at most once per call."""
        ...

    async def head(self) -> StoreHead:
        """Return what a read asks first; it costs the same however many rows there are."""
        ...

    async def status(self) -> StoreStatus:
        """Return counts taken from the rows themselves; it costs more the more rows there are."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportKey:
    """What makes an import idempotent: where it came from, and what it says."""

    source_ref: str | None
    content_hash: str  # of the whole text, before any cap (ruling A11)


class HeldVectors(Protocol):
    """Reads the vectors of rows, to compare what is stored without encoding anything."""

    async def vectors_of(self, row_ids: Sequence[str]) -> dict[str, VectorRow]:
        """Return the vectors that exist, by row id, whatever made them."""
        ...


class LedgerStore(Protocol):
    """What is already known: imports, vectors that are missing or another model's."""

    async def known_imports(self, keys: Sequence[ImportKey]) -> set[ImportKey]:
        """Return the keys whose thought is already stored with the same `source_ref` and content hash."""
        ...

    async def pending_embeddings(self, limit: int) -> list[Row]:
        """Return up to `limit` rows without a ready vector, oldest `seq` first (pending before failed)."""
        ...

    async def foreign_embeddings(self, encoding: Encoding, *, after: str, limit: int) -> list[Row]:
        """Return up to `limit` rows whose vector is of another encoding, by id, of those after the id `after`."""
        ...


class TombstoneStore(Protocol):
    """What was removed for good."""

    async def tombstoned(self, keyed_hashes: Sequence[str]) -> set[str]:
        """Return those keyed hashes that a tombstone holds: such a row must not come back (ruling H)."""
        ...

    async def buried(self, row_ids: Sequence[str]) -> set[str]:
        """Return those ids that a tombstone bears (ruling H)."""
        ...

    async def tombstones(self) -> list[Tombstone]:
        """Return every tombstone, by row id."""
        ...


class GraphStore(Protocol):
    """Reading the knowledge graph by its structure."""

    async def names(self) -> list[EntityName]:
        """Return the names of all live entities, by id; they feed questions and distilling (ruling E)."""
        ...

    async def relations_of(self, entity_ids: Sequence[str], *, leaving: bool = False) -> list[Relation]:
        """Return live relations that touch any of the entities, by id; only those that leave one, if asked."""
        ...

    async def observations_of(self, entity_ids: Sequence[str]) -> list[Observation]:
        """Return live observations that name any of the entities, by id."""
        ...

    async def derived_from(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the KG rows whose provenance names any of the thoughts, by id."""
        ...

    async def sentences_of(self, thought_ids: Sequence[str]) -> dict[str, list[Sentence]]:
        """Return where the live observations of thoughts stand in them, in the order of the text; by thought."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionListItem:
    """One line of a session list."""

    id: str
    thread_topic: str  # withheld ones are hidden by whoever shows them
    status: str  # from the store, an expired one is "open"
    created_at: datetime
    last_interaction: datetime
    total_exchanges: int  # shared ones of a fork included
    topic_status: str = "open"
    own_from: int = 0
    """Index of its first own turn; those before it are shared."""
    begun_by: str | None = None
    """The program whose conversation it is; None: the person's own."""

    @property
    def is_fork(self) -> bool:
        """Whether it shares the first turns of another session."""
        return self.own_from > 0


def check_id(row_id: str) -> None:
    """Check that something can be stored under `row_id`. Raises InvalidParams: it is not `<prefix>:<key>`."""
    prefix, _, key = row_id.partition(":")
    if not (prefix and key) or clean_text(row_id) != row_id:  # no NUL, no half of a surrogate pair
        raise InvalidParams("an id must look like prefix:key")


def check_save(session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], expected: int) -> None:
    """Check what `SessionStore.save` is given. Raises InvalidParams: `session.revision` is not `expected + 1`, the
    exchanges are not the session's newest ones in order without a hole before, between or after them, its lineage is
    none, or an instant is naive (ruling B10)."""
    first = session.total_exchanges - len(exchanges)  # the index of the first one that is new
    for stored_id in (session.id, *(exchange.id for exchange in exchanges)):
        check_id(stored_id)
    for moment in (session.created_at, session.last_interaction, *(exchange.timestamp for exchange in exchanges)):
        require_utc(moment, "a session's time")  # the store compares naive ones wrongly (ruling B10)
    if session.revision != expected + 1:
        raise InvalidParams("a session is saved with the revision that follows the loaded one")
    if any(exchange.session_id != session.id for exchange in exchanges):  # a fork shares turns and does not hold them
        raise InvalidParams("an exchange belongs to another session")
    if [exchange.index for exchange in exchanges] != list(range(first, session.total_exchanges)):
        raise InvalidParams("the exchanges do not continue the session without a hole")
    _check_lineage(session, first)


def _check_lineage(session: InnerVoiceSession, first: int) -> None:
    ends = [point.through_index for point in session.lineage]
    holders = {session.id, *(point.session_id for point in session.lineage)}
    rises = all(before < after for before, after in pairwise([-1, *ends]))  # from -1, as a fork may share turn 0 alone
    if not rises or len(holders) != len(ends) + 1 or session.own_from > first:
        raise InvalidParams("a fork shares the first turns of other sessions, and its own ones follow them")


class SessionStore(Protocol):
    """Sessions and exchanges, as rows of their own."""

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """Write the session row and append `exchanges` in one transaction; return the session with its new `seq`.

        `expected` is the revision the caller loaded; 0 creates the session. `session.revision` must be `expected + 1`.
        `context_window` is not stored. Of a fork its own exchanges are; the others are read where its lineage says.

        Raises:
            InvalidParams: what is saved does not hang together (`check_save`).
            SessionConflict: the stored revision is another one, or a session that a new fork shares turns of is not
                there; nothing was written (ruling D21).
            AlreadyAsked: another exchange is stored under the same `idempotency`; nothing was written.
            StoreError: an exchange's id or index is stored already; nothing was written.
        """
        ...

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:  # 0: without its turns
        """Return the session with its newest `window` exchanges not folded into the summary, oldest first."""
        ...

    async def sessions(self, *, limit: int, status: Literal["open", "all"] = "all") -> list[SessionListItem]:
        """Return sessions by `last_interaction` descending, then id."""
        ...

    async def topics(self) -> Mapping[str, str]:
        """Return the topic of every session by its id, and read nothing else of them."""
        ...

    async def exchanges(
        self,
        *,
        exchange_id: str | None = None,
        idempotency: str | None = None,
        session_id: str | None = None,
        after_index: int = -1,  # before the first one
        limit: int = 1000,  # a page; the next one begins behind it
    ) -> list[DialogueExchange]:
        """Return exchanges: of all sessions by (timestamp, id), of one session by index.

        A turn that lost a race has a later index than its time says; by index, a page leaves none out. Of a fork the
        turns it shares come first, each as the session holds it that it is of; over all sessions every turn comes once.
        `exchange_id` alone returns that one exchange, or nothing; `idempotency` alone does so, too. Turns of a deleted
        session are figures alone.
        """
        ...

    def figures(self, since: datetime | None = None) -> AsyncIterator[Sequence[DialogueExchange]]:  # not async
        """Yield all turns from `since` on in pages, by id, each once, as `turn_figures` leaves them: what reports count
        and the ids of the rows they cite. It costs a tenth of reading them whole where they were read before."""
        ...

    async def first_exchanges(self, session_ids: Collection[str]) -> Mapping[str, DialogueExchange]:
        """Return the first turn of each of these sessions that has one, by the session's id: of a fork, the one it
        shares. They are read together, however many there are."""
        ...


class MetricsStore(Protocol):
    """Counters and per-turn metrics; never text (ruling D19)."""

    async def record(self, name: str, at: datetime, values: Mapping[str, float | int | str | bool]) -> None:
        """Store one metrics row."""
        ...

    async def count(self, name: str) -> int:
        """Return how many rows of that name are stored."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """What a backup holds, as re-read from disk."""

    path: str
    rows: int
    sha256: str


class StoreMaintenance(Protocol):
    """Backup and verification of everything a store holds (ruling H); progress: records looked at, of how many."""

    async def backup(self, path: str) -> BackupReport:
        """Write every row to one file (JSON lines, checksummed), re-read it, and only then put it in place."""
        ...

    async def verify(self, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Return a sentence per fault found (missing rows, broken hashes, holes in exchanges); empty = sound."""
        ...

    async def recount(self, *, mend: bool = False, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Return a sentence where the sums that caps go by are not what turns cost; put them right under `mend`."""
        ...

    async def restore(self, path: str) -> BackupReport:
        """Fill this empty store from a backup file. Raises DataFileError: the file does not verify; InvalidParams: the
        store is not empty; nothing was written."""
        ...
