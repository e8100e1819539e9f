"""What `voice doctor` finds inside an open memory (index proof and orphan rows), and whether its model answers.

Law: looking is all it does. On the command line the index catches up first, as it would at any search, for each command
opens it anew; a page that is looked at changes nothing at all. A store that is behind its index has lost writes, and
that is said first (ruling H). An encoder on another machine is not called: a check-up costs and sends nothing (promise
10).

The index is proven by asking for some rows of the store, spread evenly over its changes and the same every time, each
by its own words and vector: it must be found with a cosine of 1 and by the words the store holds. Rows that say the
same at the same moment are equal: where more are found than an answer holds, each stands for the others. Counts are
compared elsewhere (`VerifiableIndex.faults`).

What a killed command left half stored is shown before it is mended. A note that its sentences become is stored before
they are taken back, so whoever is interrupted asks for the same again and nothing is lost or doubled by it.

The model is asked one short question of ours for `--reach`, once but for what its endpoint rejects of the request
(ruling J3), and nothing of a memory goes with it. Any reply will do. It is spending like any other: held to the caps on
a day and a month before it is asked, and kept, with its figures alone, whatever becomes of it.

Source: DESIGN 4 ("doctor proves it"); promises 7, 10; rulings D24, D25, F, H, I8; docs/store.md.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Final

from voice.core.errors import (
    BudgetExceeded,
    EmbedderUnavailable,
    ProviderError,
    ProviderUnavailable,
    StoreDamaged,
    StoreError,
)
from voice.core.graph.entity_names import is_bare_note
from voice.core.graph.row_display import named_by
from voice.core.graph.thoughts.distillation import PartialNote, comparable_text, partial_notes
from voice.core.health import (
    Finding,
    judge_clock,
    judge_index,
    judge_pins,
    judge_schema,
    judge_torn,
    judge_unread_index,
    judge_vectors,
)
from voice.core.records import Row, Table, Thought, table_of
from voice.core.retrieval.candidates import admits
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.values import Hit, RowFilter, Window
from voice.core.text.display import counted
from voice.core.text.instants import has_date
from voice.core.usage import worst_case_cost
from voice.ports.llm import LlmClient, LlmRequest, TokenCounter
from voice.ports.removal import OrphanRowStore
from voice.ports.search_index import Embedder, IndexQuery, SearchIndex, VerifiableIndex
from voice.ports.stores import Change, MemoryStore, SessionStore, StoreStatus, WriteBatch
from voice.ports.system import Clock, IdSource
from voice.services.memory.ingest import Ingest
from voice.services.recall.pins import Pins
from voice.services.retrieval.row_lookups import every_row
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import Trace, call_alone, facts_alone

_SYSTEM: Final = "You are asked whether you can be reached."
_PROMPT: Final = 'Reply with {"ok": true} and nothing else.'
_SCHEMA: Final = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
_MAX_OUTPUT_TOKENS: Final = 256  # room for a model that thinks before it speaks
_TIMEOUT_S: Final = 20.0  # a person waits for it
_OFFLINE: Final = "extractive"  # the provider that calls nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Checks that one model answers."""

    llm: LlmClient
    counter: TokenCounter
    clock: Clock
    ids: IdSource
    spending: Spending = Spending()
    """What the call is held to and counted in; without a store, nothing of it is kept."""

    @property
    def is_offline(self) -> bool:
        """Whether the provider makes no calls."""
        return self.llm.profile.provider == _OFFLINE

    @property
    def worst(self) -> tuple[int, Decimal | None]:
        """The most tokens that asking can take, and the most it can cost in US dollars; None = the price is unknown."""
        tokens = self.counter.count(_SYSTEM) + self.counter.count(_PROMPT)
        return tokens + _MAX_OUTPUT_TOKENS, worst_case_cost(tokens, _MAX_OUTPUT_TOKENS, self.llm.profile.price)

    async def __call__(self) -> Finding:
        """Return whether the model answered. Raises StoreError: what was spent cannot be read or kept."""
        profile = self.llm.profile
        if self.is_offline:
            detail = "the offline provider makes no calls, so there is nothing to test"
            return Finding(name="reach", state="ok", detail=detail)
        try:
            await self._ask()
        except ProviderError as fault:
            return Finding(name="reach", state="fault", detail=fault.message, advice=_advice(fault))
        is_untold = self.spending.store is None and self.worst[1] != 0  # 0: free; None: unknown
        untold = "; the cost is not recorded, because the memory is still empty" if is_untold else ""
        return Finding(name="reach", state="ok", detail=f"{profile.provider}, model {profile.model}, answers{untold}")

    async def _ask(self) -> None:
        """Ask, and keep the cost. Raises BudgetExceeded: a cap forbids it, not asked. ProviderError: no answer."""
        facts, worst = facts_alone(self.llm.profile, self.clock, self.ids), self.worst[1]
        async with call_alone(self.spending, facts, self.clock, worst=worst, purpose="reach") as trace:
            reply = await self.llm.complete(_request(trace))
            trace.record_reply(reply.usage, "draft")


def _request(trace: Trace) -> LlmRequest:
    return LlmRequest(
        system=_SYSTEM,
        prompt=_PROMPT,
        schema=_SCHEMA,
        max_output_tokens=_MAX_OUTPUT_TOKENS,
        timeout_s=_TIMEOUT_S,
        max_tries=1,  # a check-up tells the first failure
        on_retry=trace.again_paid,
    )


def _advice(fault: ProviderError) -> str:
    if isinstance(fault, BudgetExceeded):
        return "voice made no call; raise the spending cap, or leave out --reach"
    if isinstance(fault, ProviderUnavailable):
        return "check the network and try again; until then: SURR_INNER_VOICE_PROVIDER=extractive"
    return "check the provider, the model and the key; see: voice config"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanRows:
    """Looks for half stored notes in one memory, and mends them."""

    rows: OrphanRowStore
    ingest: Ingest
    index: SearchIndex

    async def found(self) -> list[PartialNote]:
        """Return what is left of notes that were stored in part; changes nothing."""
        ids = await self.rows.torn()
        if not ids:  # else every row is read
            return []
        torn = await self.ingest.store.fetch(ids)
        said, named = set[str](), set[str]()
        rows = {row.id: row async for row in every_row(self.ingest.store) if row.id not in torn}
        for row in rows.values():
            said.add(comparable_text(row))
            named.update(named_by(row))  # entities that other rows name stay
        return partial_notes([row for row in torn.values() if not isinstance(row, Thought)], said, named)

    async def mend(self) -> list[PartialNote]:
        """Mend what is found, and return it. Raises InvalidParams: a row changed; StoreError: not all is right."""
        notes = await self.found()
        for note in notes:
            thought = note.note(self.ingest.ids.new_id("t"))  # None: other rows say it all
            if thought is not None:
                await self.ingest.store_thoughts([thought])  # before its rows go: a crash loses nothing
            if note.kept:
                await self.ingest.store.write(WriteBatch(rows=note.kept))
            await self.rows.take_back({row.id: row.revision for row in note.going})
        if notes:
            await self.index.rebuild()  # once, for all of them
        return notes


_ADVICE_OF_INDEX = "fix that, then rebuild the index: voice maintain rebuild"
_ON_THIS_MACHINE = ("local", "hash")  # providers of encoders that send nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """Looks at store, index, encoder and clock."""

    store: MemoryStore
    sessions: SessionStore
    pins: Pins
    index: VerifiableIndex
    embedder: Embedder
    clock: Clock
    torn: OrphanRows
    """What a killed command left half stored."""

    async def __call__(self) -> list[Finding]:
        """Return one finding per thing that was looked at, after the index caught up as it would at any search."""
        return [finding async for finding in self._findings(self._catch_up)]

    def looks(self) -> AsyncIterator[Finding]:
        """Yield one finding per thing as soon as it was looked at; nothing is written, and the index stays as it is."""
        return self._findings(self._lag_as_it_is)

    async def _findings(self, ready: Callable[[], Awaitable[int | Finding]]) -> AsyncIterator[Finding]:
        """Yield the findings, what takes long last; `ready` says how far behind the index was, or what ails it."""
        status = await self.store.status()
        counts = ", ".join(f"{count} {table}" for table, count in sorted(status.rows.items()) if count) or "no rows"
        talks = f"{counted(status.sessions, 'session')}, {counted(status.exchanges, 'exchange')}"
        unread = "texts and hashes were not read; `voice maintain verify` does that"
        yield Finding(name="store", state="ok", detail=f"opens; {counts}, {talks}; {unread}")
        yield judge_schema(status.schema)
        comparable = status.encodings.get((self.embedder.model, self.embedder.dim), 0)
        yield judge_vectors(
            pending=status.pending_embeddings, comparable=comparable, foreign=status.vectors - comparable
        )
        yield judge_torn(len(await self.torn.rows.torn()))
        yield judge_pins(*await self.pins.astray())
        yield await self._encoder()
        yield await self._clock(status)
        yield await self._index(status, ready)

    async def _clock(self, status: StoreStatus) -> Finding:
        before, after = self.clock.monotonic_ms(), self.clock.monotonic_ms()  # twice: it must not run backwards
        recent = await self.sessions.sessions(limit=1)
        changes = await self.store.changes(status.last_seq - 1, 1)  # the newest row
        rows = [change.row for change in changes if change.row is not None]
        return judge_clock(
            self.clock.now(),
            recent[0].last_interaction if recent else None,
            newest_row=rows[-1].recorded_at if rows else None,
            is_steady=after >= before,
        )

    async def _catch_up(self) -> int:
        folded = (await self.index.status()).folded_seq
        return await self.index.refresh() - folded  # how far behind it was

    async def _lag_as_it_is(self) -> int | Finding:
        behind = await self.index.behind()
        return judge_unread_index(behind) if behind != 0 else 0

    async def _index(self, status: StoreStatus, ready: Callable[[], Awaitable[int | Finding]]) -> Finding:
        rows = sum(status.rows.values())
        try:
            behind = await ready()
            if isinstance(behind, Finding):
                return behind
            if faults := await self.index.faults():  # sampling a faulty index tells no more
                return judge_index(faults, rows)
            proof = await prove_index(self.store, self.index, self.embedder)
        except StoreDamaged as damage:
            detail = f"{damage.message} [{damage.code}]"
            return Finding(name="index", state="fault", detail=detail, advice="restore a backup")
        except StoreError as fault:
            return Finding(name="index", state="fault", detail=fault.message, advice=_ADVICE_OF_INDEX)
        return judge_index(proof.faults, rows, asked=proof.asked, asked_by_vector=proof.asked_by_vector, behind=behind)

    async def _encoder(self) -> Finding:
        name = f"{self.embedder.provider}/{self.embedder.model} ({self.embedder.dim})"
        if self.embedder.provider not in _ON_THIS_MACHINE:
            return Finding(name="encoder", state="unchecked", detail=f"{name} is on another machine and was not called")
        try:
            await self.embedder.embed(["Is anybody there?"])
        except EmbedderUnavailable as fault:
            advice = "fix it, then run: voice maintain rebuild vectors"
            return Finding(name="encoder", state="fault", detail=fault.message, advice=advice)
        return Finding(name="encoder", state="ok", detail=f"{name} encodes")


SAMPLE: Final = 64
"""Rows asked for at most: a share of 5 % that is wrong goes unseen once in 27 times, one of 10 % once in 800."""
AT_ONE_INSTANT: Final = 500
"""Rows of one moment that are looked at for one; imports give whole files one date."""
_TEXT: Final = 400  # characters of a row: enough to find it
_SAME: Final = 0.9999  # a cosine of 1, but for rounding
_EVERYTHING: Final = RowFilter(tables=frozenset(Table), include_private=True, include_superseded=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The result of searching the index for some of the store's rows."""

    asked: int
    asked_by_vector: int
    """Rows among them that were asked for by their vector; one of another encoder cannot be."""
    faults: tuple[str, ...]


async def prove_index(store: MemoryStore, index: SearchIndex, embedder: Embedder) -> Proof:
    """Ask the index, which has caught up, for some of the store's rows."""
    asked, asked_by_vector, faults = 0, 0, list[str]()
    async for change, row in _sample(store):
        vector = change.vector
        is_comparable = vector is not None and (vector.model, vector.dim) == (embedder.model, embedder.dim)
        if is_bare_note(row) or not (is_comparable or _has_words(row)):  # no search finds it
            continue
        hit = await _search(index, row, vector.data if vector is not None and is_comparable else None)
        asked, asked_by_vector = asked + 1, asked_by_vector + is_comparable
        if fault := _fault(hit, row, is_comparable=is_comparable):
            faults.append(fault)
    return Proof(asked=asked, asked_by_vector=asked_by_vector, faults=tuple(faults))


async def _sample(store: MemoryStore) -> AsyncIterator[tuple[Change, Row]]:
    """Yield rows that may be found, once each, evenly over the store's changes, the newest among them."""
    last = (await store.head()).last_seq
    seen = set[str]()
    for place in range(min(SAMPLE, last)):
        for change in await store.changes((place + 1) * last // min(SAMPLE, last) - 1, 1):  # the last is the newest
            if change.row is not None and change.row_id not in seen and admits(_EVERYTHING, change.row):
                seen.add(change.row_id)
                yield change, change.row


async def _search(index: SearchIndex, row: Row, vector: bytes | None) -> Hit | None:
    is_dated = has_date(row.created_at)
    moment = Window(start=row.created_at, end=row.created_at + timedelta(microseconds=1)) if is_dated else Window()
    query = IndexQuery(
        filter=RowFilter(
            tables=_EVERYTHING.tables, window=moment, include_private=row.is_private, include_superseded=True
        ),
        vector=vector,
        text=_own_words(row),
        weights=(0.5, 0.5),  # both arms must find it
        limit=AT_ONE_INSTANT,
    )
    hits = [hit for hit in (await index.search(query)).hits if hit.table is table_of(row.id)]
    is_full = len(hits) == AT_ONE_INSTANT
    are_equal = all((hit.cosine is None or hit.cosine >= _SAME) and hit.lexical == hits[0].lexical for hit in hits)
    return next((hit for hit in hits if hit.row_id == row.id), hits[-1] if is_full and are_equal else None)


def _fault(hit: Hit | None, row: Row, *, is_comparable: bool) -> str | None:
    if hit is None:
        return f"{row.id} is stored, and the index does not find it"
    if is_comparable and (hit.cosine is None or hit.cosine < _SAME):
        return f"{row.id} has another vector in the index than in the store"
    if hit.lexical == 0.0 and _has_words(row):
        return f"{row.id} has other words in the index than in the store"
    return None


def _has_words(row: Row) -> bool:
    return any(char.isalnum() for char in _own_words(row))


def _own_words(row: Row) -> str:
    """Return what the row is found by, without the date, which rows share."""
    return indexed_text(row, {}).partition("] ")[2][:_TEXT]  # behind "[date] "
