"""What `voice doctor` finds inside an open memory.

Law: looking is all it does; the index catches up with the store as it would at any search, and nothing else changes.
A store that is behind its index has lost writes, and that is said first (ruling H). An encoder on another machine is
not called: a check-up costs nothing and sends nothing (promise 10).
"""

from dataclasses import dataclass
from datetime import datetime

from voice.core.errors import EmbedderUnavailable, StoreDamaged, StoreError
from voice.core.health import Finding, judge_clock, judge_index, judge_pins, judge_schema, judge_vectors
from voice.core.text.counting import counted
from voice.ports.embedder import Embedder
from voice.ports.search_index import VerifiableIndex
from voice.ports.stores import MemoryStore, SessionStore, StoreStatus
from voice.ports.system import Clock
from voice.services.index_proof import prove_index
from voice.services.pins import Pins

_ADVICE_OF_INDEX = "mend that; the index is made anew by: voice maintain reindex"
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

    async def __call__(self) -> list[Finding]:
        """Return one finding per thing that was looked at.

        Raises:
            StoreError: the store cannot be read.
        """
        status = await self.store.status()
        return [
            _stored(status),
            judge_schema(status.schema),
            await self._index(status),
            self._vectors(status),
            judge_pins(*await self.pins.astray()),
            await self._encoder(),
            await self._clock(status),
        ]

    async def _clock(self, status: StoreStatus) -> Finding:
        before, after = self.clock.monotonic_ms(), self.clock.monotonic_ms()
        return judge_clock(
            self.clock.now(),
            await self._newest(),
            newest_row=await self._newest_row(status),
            is_steady=after >= before,
        )

    async def _index(self, status: StoreStatus) -> Finding:
        rows = sum(status.rows.values())
        try:
            folded = (await self.index.status()).folded_seq
            behind = await self.index.refresh() - folded
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
            advice = "mend it, then run: voice maintain embed-pending"
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
