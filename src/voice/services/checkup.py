"""What `voice doctor` finds inside an open memory.

Law: looking is all it does. On the command line the index catches up first, as it would at any search, for each command
opens it anew; a page that is looked at changes nothing at all.
A store that is behind its index has lost writes, and that is said first (ruling H). An encoder on another machine is
not called: a check-up costs nothing and sends nothing (promise 10).
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from voice.core.errors import EmbedderUnavailable, StoreDamaged, StoreError
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
from voice.core.text.counting import counted
from voice.ports.embedder import Embedder
from voice.ports.search_index import VerifiableIndex
from voice.ports.stores import MemoryStore, SessionStore, StoreStatus
from voice.ports.system import Clock
from voice.services.index_proof import prove_index
from voice.services.pins import Pins
from voice.services.torn import Torn

_ADVICE_OF_INDEX = "fix that, then rebuild the index: voice maintain reindex"
_ON_THIS_MACHINE = ("local", "hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """Looks at store, index, encoder and clock."""

    store: MemoryStore
    sessions: SessionStore
    pins: Pins
    index: VerifiableIndex
    embedder: Embedder
    clock: Clock
    torn: Torn
    """What a killed command left half stored."""

    async def __call__(self) -> list[Finding]:
        """Return one finding per thing that was looked at, after the index caught up as it would at any search.

        Raises:
            StoreError: the store cannot be read.
        """
        return [finding async for finding in self._each(self._caught_up)]

    def looks(self) -> AsyncIterator[Finding]:
        """Yield one finding per thing as soon as it was looked at; nothing is written, and the index stays as it is.

        Raises:
            StoreError: the store cannot be read.
        """
        return self._each(self._only_seen)

    async def _each(self, ready: Callable[[], Awaitable[int | Finding]]) -> AsyncIterator[Finding]:
        """Yield the findings, what takes long last; `ready` says how far behind the index was, or what ails it."""
        status = await self.store.status()
        yield _stored(status)
        yield judge_schema(status.schema)
        yield self._vectors(status)
        yield judge_torn(len(await self.torn.rows.torn()))
        yield judge_pins(*await self.pins.astray())
        yield await self._encoder()
        yield await self._clock(status)
        yield await self._index(status, ready)

    async def _clock(self, status: StoreStatus) -> Finding:
        before, after = self.clock.monotonic_ms(), self.clock.monotonic_ms()
        return judge_clock(
            self.clock.now(),
            await self._newest(),
            newest_row=await self._newest_row(status),
            is_steady=after >= before,
        )

    async def _caught_up(self) -> int:
        folded = (await self.index.status()).folded_seq
        return await self.index.refresh() - folded

    async def _only_seen(self) -> int | Finding:
        behind = await self.index.behind()
        return judge_unread_index(behind) if behind != 0 else 0

    async def _index(self, status: StoreStatus, ready: Callable[[], Awaitable[int | Finding]]) -> Finding:
        rows = sum(status.rows.values())
        try:
            behind = await ready()
            if isinstance(behind, Finding):
                return behind
            if faults := await self.index.faults():
                return judge_index(faults, rows)
        except StoreDamaged as damage:
            return Finding(name="index", state="fault", detail=damage.message, advice="restore a backup")
        except StoreError as fault:
            return Finding(name="index", state="fault", detail=fault.message, advice=_ADVICE_OF_INDEX)
        proof = await prove_index(self.store, self.index, self.embedder)
        return judge_index(proof.faults, rows, asked=proof.asked, asked_by_vector=proof.asked_by_vector, behind=behind)

    def _vectors(self, status: StoreStatus) -> Finding:
        comparable = status.encodings.get((self.embedder.model, self.embedder.dim), 0)
        return judge_vectors(
            pending=status.pending_embeddings, comparable=comparable, foreign=status.vectors - comparable
        )

    async def _encoder(self) -> Finding:
        name = f"{self.embedder.provider}/{self.embedder.model} ({self.embedder.dim})"
        if self.embedder.provider not in _ON_THIS_MACHINE:
            return Finding(name="encoder", state="unchecked", detail=f"{name} is on another machine and was not called")
        try:
            await self.embedder.embed(["Is anybody there?"])
        except EmbedderUnavailable as fault:
            advice = "fix it, then run: voice maintain embed-pending"
            return Finding(name="encoder", state="fault", detail=fault.message, advice=advice)
        return Finding(name="encoder", state="ok", detail=f"{name} encodes")

    async def _newest(self) -> datetime | None:
        recent = await self.sessions.sessions(limit=1)
        return recent[0].last_interaction if recent else None

    async def _newest_row(self, status: StoreStatus) -> datetime | None:
        """Return when the row that changed last was recorded; None where the last change took one away."""
        changes = await self.store.changes(status.last_seq - 1, 1)
        rows = [change.row for change in changes if change.row is not None]
        return rows[-1].recorded_at if rows else None


def _stored(status: StoreStatus) -> Finding:
    counts = ", ".join(f"{count} {table}" for table, count in sorted(status.rows.items()) if count) or "no rows"
    talks = f"{counted(status.sessions, 'session')}, {counted(status.exchanges, 'exchange')}"
    unread = "texts and hashes were not read; `voice maintain verify` does that"
    return Finding(name="store", state="ok", detail=f"opens; {counts}, {talks}; {unread}")
