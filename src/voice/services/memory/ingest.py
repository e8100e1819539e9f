"""Take thoughts in: store first, embed as well as possible, never lose a row.

Law: what a person wrote is on disk when this returns, with or without a vector (ruling C17). A thought and all that is
distilled from it are one transaction, however long it is (rulings A21, I8). What was imported before is skipped, what
was forgotten stays forgotten (rulings F, H), and the origin is the entrance's word, not the text's (ruling H).

Source: rulings A12, A21, C10, C17, F, H, I8; spec rag-organize 1.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Final, Literal

from voice.core.errors import EmbedderUnavailable, InvalidParams, UnknownId
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.thoughts.distillation import distil, may_promote, packed
from voice.core.graph.thoughts.vouching import vouch_of
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS
from voice.core.interchange.origin import require_tags
from voice.core.messages.showing import vendor
from voice.core.recall.capsules import require_place
from voice.core.recall.values import require_kind
from voice.core.records import EmbeddingStatus, Observation, Origin, Row, RowStatus, Thought, VectorRow
from voice.core.text.normalise import clean_text, content_hash, norm_v1
from voice.ports.recall_stores import CapsuleStore
from voice.ports.search_index import Embedder
from voice.ports.stores import ImportKey, LedgerStore, MemoryStore, WriteBatch
from voice.ports.system import Clock, IdSource
from voice.services.memory.forgotten_rows import Forgotten
from voice.services.memory.ingest_values import NOTHING_BROUGHT, Admitted, IncomingRows, IngestReport, NewThought
from voice.services.retrieval.row_lookups import Names, embed_rows

BATCH_THOUGHTS = 256
MAX_TRANSACTION_ROWS = 500
"""Rows in one transaction; what one thought says is more where it must be."""
_ENCODED_TOGETHER: Final = 4  # transactions encoded at once; few enough for a progress bar to move
_FIRST_THOUGHTS: Final = 8  # encoded before the others, so that progress is told within seconds
MAX_VECTOR_BYTES = 32 * 1024 * 1024
"""Vectors in one transaction; those of a thought that has more follow it, and its rows wait for them till then."""
AutoObservations = Literal["human", "off"]
Write = Callable[[WriteBatch], Awaitable[object]]
"""Writes a batch in one transaction, with whatever else it adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """Stores thoughts with what is distilled from them, and rows that are ready-made."""

    store: MemoryStore
    ledger: LedgerStore
    capsules: CapsuleStore
    forgotten: Forgotten
    names: Names
    embedder: Embedder
    clock: Clock
    ids: IdSource
    auto_observations: AutoObservations = "human"
    embed_private: bool = True
    """Whether private rows may be given to the encoder; not to one on another machine without consent (ruling H)."""

    async def remember(
        self, items: Sequence[NewThought], *, progress: Callable[[int], None] | None = None
    ) -> IngestReport:
        """Store thoughts and their observations, batch by batch, each batch in one transaction. Raises InvalidParams:
        an item is empty or too long, a tag is too long, its kind is no word, or its thread is a capsule of another
        scope; CapsuleClosed: its thread is a closed capsule; nothing was stored."""
        thoughts = [self._thought(item) for item in items]
        await self._require_places(thoughts)
        return await self.store_thoughts(thoughts, progress=progress)

    async def store_thoughts(
        self,
        thoughts: Sequence[Thought],
        *,
        brought: IncomingRows = NOTHING_BROUGHT,
        progress: Callable[[int], None] | None = None,
    ) -> IngestReport:
        """Store ready-made thoughts with their observations and with what is brought along, batch by batch."""
        names = brought.names or await self.names.known()  # a file's own nodes, too
        report = IngestReport()
        for start in range(0, len(thoughts), BATCH_THOUGHTS):
            batch = thoughts[start : start + BATCH_THOUGHTS]
            report += await self._store_batch(batch, names, brought, progress or (lambda _stored: None))
        return report

    async def _store_batch(
        self, thoughts: Sequence[Thought], names: KnownNames, brought: IncomingRows, progress: Callable[[int], None]
    ) -> IngestReport:
        admitted = await self.admitted(thoughts, again=brought.again)
        if len(admitted.fresh) < len(thoughts):  # known ones count as done
            progress(len(thoughts) - len(admitted.fresh))
        stored: list[str] = []
        observations, unembedded, fault = 0, 0, None
        groups = (self._with_its_rows(thought, names, brought) for thought in admitted.fresh)
        packs = chain.from_iterable(
            packed(some, size=MAX_TRANSACTION_ROWS) for some in (islice(groups, _FIRST_THOUGHTS), groups)
        )
        while together := list(islice(packs, _ENCODED_TOGETHER if stored else 1)):
            batches, why = await self._prepared_together(together, names)
            fault = fault or why
            for pack, batch in zip(together, batches, strict=True):  # a transaction each
                alive = batch
                if len(together) > 1:  # encoding the packs before it took its time
                    own = {vector.row_id: vector for vector in batch.vectors}
                    alive = _batch_of(await self._fresh(batch.rows), own)
                if alive.rows:
                    await self._write_prepared(alive)
                unembedded += len(alive.rows) - len(alive.vectors)
                stored += [row.id for row in alive.rows if isinstance(row, Thought)]
                observations += sum(isinstance(row, Observation) and row.id not in brought.ids for row in alive.rows)
                progress(sum(isinstance(row, Thought) for row in pack))
        return IngestReport(
            stored=tuple(stored),
            observations=observations,
            # What somebody else stored, or forgot, since it was looked for is known by now.
            already_known=admitted.known + len(admitted.fresh) - len(stored),
            forgotten=admitted.forgotten,
            unembedded=unembedded,
            embedder_fault=fault,
        )

    async def claim(self, thoughts: Sequence[Thought]) -> IngestReport:
        """Raise stored thoughts to the person's own, as they say now what they are called, or to words they vouch for.
        What came in as somebody else's words is distilled now; on what a program noted `voice review` alone decides."""
        said = {
            each.id: each.origin
            for each in thoughts
            if each.origin is Origin.LOGGED or (each.origin is Origin.HUMAN and each.speaker)
        }
        stored = await self.store.fetch(list(said)) if said else {}  # no read for most imports
        own = [
            replace(row, origin=said[row.id], revision=row.revision + 1)
            for row in stored.values()
            if isinstance(row, Thought) and row.origin is Origin.TOOL and row.status is RowStatus.ACTIVE
            if said[row.id] is Origin.HUMAN or row.vouched is None  # a program's notes wait for `voice review`
        ]
        names = await self.names.known()
        report = IngestReport()
        groups = [self._with_its_rows(each, names, NOTHING_BROUGHT) for each in own]
        for pack in packed(groups, size=MAX_TRANSACTION_ROWS):
            batch, unembedded, fault = await self.prepared(pack, names=names)
            await self._write_prepared(batch)
            report += IngestReport(
                stored=tuple(row.id for row in pack if isinstance(row, Thought)),
                observations=sum(isinstance(row, Observation) for row in pack),
                unembedded=unembedded,
                embedder_fault=fault,
            )
        return report

    def _with_its_rows(self, thought: Thought, names: KnownNames, brought: IncomingRows) -> tuple[Row, ...]:
        distils = thought.id not in brought.undistilled and may_promote(thought, self.auto_observations)
        made = distil(thought, entities=names.index) if distils else ()
        return (thought, *made, *brought.rows.get(thought.id, ()))

    async def _prepared_together(
        self, packs: Sequence[Sequence[Row]], names: KnownNames
    ) -> tuple[list[WriteBatch], str | None]:
        """Return each pack's new rows with vectors, encoded together as equal lengths are, and why some have none."""
        every = {row.id: row for row in chain.from_iterable(packs)}
        batch, _, why = await self.prepared(await self._fresh(list(every.values())), names=names)
        rows = {row.id: row for row in batch.rows}
        vectors = {vector.row_id: vector for vector in batch.vectors}
        own = [[rows.pop(row.id) for row in pack if row.id in rows] for pack in packs]
        return [_batch_of(each, vectors) for each in own], why

    async def _fresh(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows that are not stored yet and were not forgotten before (ruling H)."""
        there = (await self.store.fetch([row.id for row in rows])).keys() | await self.forgotten.among(rows)
        return [row for row in rows if row.id not in there]

    async def _require_places(self, thoughts: Sequence[Thought]) -> None:
        """Check that a thought whose thread is a capsule may go into it: a capsule's laws bind every entrance."""
        threads = sorted({thought.thread for thought in thoughts if thought.thread})
        capsules = {thread: await self.capsules.capsule(thread) for thread in threads}
        for thought in thoughts:
            capsule = capsules.get(thought.thread or "")  # a thread that is no capsule is free
            if capsule is not None:
                require_place(capsule, thought.scope)

    def _thought(self, item: NewThought) -> Thought:
        content = require_content(item.content)
        now = self.clock.now()
        return Thought(
            id=item.id or self.ids.new_id("t"),
            content=content,
            created_at=item.created_at or now,
            recorded_at=now,
            origin=item.origin,
            kind=require_kind(item.kind),
            tags=require_tags(item.tags),
            is_private=item.is_private,
            scope=item.scope,
            speaker=item.speaker,
            thread=item.thread,
            source_ref=item.source_ref,
            noted_by=item.noted_by,
            vouched=vouch_of(item.origin),
        )

    async def admitted(self, thoughts: Sequence[Thought], *, again: bool = False) -> Admitted:
        """Return which thoughts would be stored, and how many are known already or were forgotten; stores nothing."""
        keys = {
            thought.id: ImportKey(source_ref=thought.source_ref, content_hash=content_hash(thought.content))
            for thought in thoughts
            if thought.source_ref is not None
        }
        known = set[ImportKey]() if again else await self.ledger.known_imports(list(keys.values()))
        stored = await self.store.fetch([thought.id for thought in thoughts])
        unknown = [each for each in thoughts if keys.get(each.id) not in known and each.id not in stored]
        gone = await self.forgotten.among(unknown)
        away = frozenset[str]() if again else await self.forgotten.taken_away(unknown)
        fresh: list[Thought] = []
        for thought in unknown:
            key = keys.get(thought.id)
            if key not in known and thought.id not in stored and thought.id not in away:
                fresh.append(thought)
                stored[thought.id] = thought  # the same thought later in the batch is known
                known |= {key} if key else set()
        alive = [thought for thought in fresh if thought.id not in gone]
        return Admitted(fresh=tuple(alive), known=len(thoughts) - len(fresh), forgotten=len(fresh) - len(alive))

    async def save(
        self, rows: Sequence[Row], *, names: KnownNames, beside: Sequence[Row] = (), write: Write | None = None
    ) -> tuple[int, str | None]:
        """Write `rows` in one transaction, with their vectors; return how many have none, and why. Vectors of more than
        `MAX_VECTOR_BYTES` follow in transactions of their own. `beside`: stored rows that keep their vectors, written
        with them; `write` adds what else is to be in the transaction."""
        if not (rows or beside):
            return 0, None
        batch, missing, why = await self.prepared(rows, names=names)  # encoded before the transaction
        await self._write_prepared(batch, beside=beside, write=write)
        return missing, why

    async def _write_prepared(
        self, batch: WriteBatch, *, beside: Sequence[Row] = (), write: Write | None = None
    ) -> None:
        fitting = at_once(batch.vectors)
        first, later = batch.vectors[:fitting], batch.vectors[fitting:]
        await (write or self.store.write)(replace(batch, rows=(*batch.rows, *beside), vectors=first))
        made_of = {row.id: row.revision for row in batch.rows}  # a row changed meanwhile keeps what it has
        for start in range(0, len(later), MAX_TRANSACTION_ROWS):
            await self._write_vectors(later[start : start + MAX_TRANSACTION_ROWS], made_of)

    async def prepared(self, rows: Sequence[Row], *, names: KnownNames) -> tuple[WriteBatch, int, str | None]:
        """Return `rows` with their vectors, to be written by whoever writes more with them; how many have none, why."""
        shown = self._may_be_embedded(rows)
        try:
            vectors = await embed_rows(shown, names, self.embedder)
        except EmbedderUnavailable as fault:
            pending = tuple(replace(row, embedding_status=EmbeddingStatus.PENDING) for row in rows)
            return WriteBatch(rows=pending), len(rows), fault.message
        batch = WriteBatch(rows=tuple(rows), vectors=tuple(vectors))
        if not (withheld := len(rows) - len(shown)):
            return batch, 0, None
        why = (
            f"private rows are not sent to the encoder of {vendor(self.embedder.provider)} without consent and are "
            "found by their words alone; with SURR_ALLOW_PRIVATE_REMOTE=1, `voice maintain rebuild vectors` embeds them"
        )
        return batch, withheld, why

    def _may_be_embedded(self, rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if self.embed_private or not row.is_private]

    async def reembed(self, *, limit: int, progress: Callable[[int], None] | None = None) -> int:
        """Embed up to `limit` rows of another encoder anew; return how many. Raises EmbedderUnavailable: it fails."""
        names = await self.names.known()
        encoding = (self.embedder.model, self.embedder.dim)
        done, last = 0, ""
        while done < limit:
            room = min(BATCH_THOUGHTS, limit - done)
            found = await self.ledger.foreign_embeddings(encoding, after=last, limit=room)
            if not found:
                break
            last = found[-1].id  # private ones are passed over, not met again
            if rows := self._may_be_embedded(found):
                written = await self._give_vectors(rows, names)
                done += written
                if progress:
                    progress(written)
        return done

    async def _give_vectors(self, rows: Sequence[Row], names: KnownNames) -> int:
        """Give stored rows their vectors and return how many got one."""
        return await self._write_vectors(
            await embed_rows(rows, names, self.embedder), {row.id: row.revision for row in rows}
        )

    async def _write_vectors(self, made: Sequence[VectorRow], made_of: Mapping[str, int]) -> int:
        """Write vectors of rows still at the revision they were made of, and return how many were."""
        vectors = {vector.row_id: vector for vector in made}
        refused = -1  # no number of rows
        while True:
            held = await self.store.fetch(list(vectors))
            same = tuple(vectors[row_id] for row_id, row in held.items() if row.revision == made_of[row_id])
            try:
                await self.store.write(WriteBatch(vectors=same, made_of=made_of))
            except (InvalidParams, UnknownId):
                # Refused once more with the same rows, it was not because one of them changed.
                if len(same) == refused:
                    raise
                refused = len(same)
            else:
                return len(same)

    async def embed_pending(self, *, limit: int) -> int:
        """Embed up to `limit` rows that wait (ruling C17); return how many. Raises EmbedderUnavailable: it fails."""
        names = await self.names.known()
        done = withheld = 0
        while done < limit:
            room = min(MAX_TRANSACTION_ROWS, limit - done)
            waiting = await self.ledger.pending_embeddings(withheld + room)  # withheld ones stay in front
            rows = self._may_be_embedded(waiting)[:room]
            if not rows and len(waiting) < withheld + room:  # all that wait are withheld
                break
            withheld = sum(row.is_private for row in waiting) if not self.embed_private else 0
            if rows:
                done += await self._give_vectors(rows, names)
        return done


def _batch_of(rows: Sequence[Row], vectors: Mapping[str, VectorRow]) -> WriteBatch:
    return WriteBatch(rows=tuple(rows), vectors=tuple(vectors[row.id] for row in rows if row.id in vectors))


def at_once(vectors: Sequence[VectorRow]) -> int:
    """Return how many of the vectors one transaction holds."""
    return max(1, MAX_VECTOR_BYTES // max((len(vector.data) for vector in vectors), default=1))  # one, however large


def require_content(text: str, *, lacking: str = "there is nothing to remember") -> str:
    """Return `text` fit to be stored. Raises InvalidParams: nothing to see, or longer than `MAX_TEXT_CHARS`."""
    if len(text) > MAX_TEXT_CHARS:
        raise InvalidParams(
            f"the text has {len(text):,} characters; a thought can have at most {MAX_TEXT_CHARS:,}: split it first"
        )
    cleaned = clean_text(text)
    if not norm_v1(cleaned):
        raise InvalidParams(f"{lacking}: the text is empty")
    return cleaned
