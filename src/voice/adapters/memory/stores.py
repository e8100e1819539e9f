"""The in-memory stores together."""

from dataclasses import dataclass
from typing import Self

from voice.adapters.memory.recall import (
    TransientCandidateStore,
    TransientCapsuleStore,
    TransientConflictLog,
    TransientMergeLog,
    TransientPinStore,
)
from voice.adapters.memory.removals import (
    TransientExchangeWords,
    TransientMaintenance,
    TransientNotedRows,
    TransientRemovedRows,
    TransientSessionRemoval,
    TransientTornRows,
)
from voice.adapters.memory.rows import (
    Tables,
    TransientGraphStore,
    TransientHistoryStore,
    TransientIdBeginnings,
    TransientLedgerStore,
    TransientMemoryStore,
)
from voice.adapters.memory.sessions import (
    TransientMetricsStore,
    TransientSessionStore,
    TransientSkimming,
    TransientSpendStore,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransientStores:
    """Stores over the same tables; they write nothing to disk except a requested backup."""

    memory: TransientMemoryStore
    ledger: TransientLedgerStore
    graph: TransientGraphStore
    history: TransientHistoryStore
    sessions: TransientSessionStore
    removal: TransientSessionRemoval
    spending: TransientSpendStore
    metrics: TransientMetricsStore
    pins: TransientPinStore
    capsules: TransientCapsuleStore
    candidates: TransientCandidateStore
    merges: TransientMergeLog
    conflicts: TransientConflictLog
    maintenance: TransientMaintenance
    removed: TransientRemovedRows
    noted: TransientNotedRows
    torn: TransientTornRows
    beginnings: TransientIdBeginnings
    words: TransientExchangeWords
    skimming: TransientSkimming

    async def aclose(self) -> None:
        """Do nothing; the content stays as long as the stores."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def transient_stores(store_id: str = "transient") -> TransientStores:
    """Return fresh, empty stores; an index tells them from others by `store_id`."""
    tables = Tables(store_id)
    return TransientStores(
        memory=TransientMemoryStore(tables),
        ledger=TransientLedgerStore(tables),
        graph=TransientGraphStore(tables),
        history=TransientHistoryStore(tables),
        sessions=TransientSessionStore(tables),
        removal=TransientSessionRemoval(tables),
        spending=TransientSpendStore(tables),
        metrics=TransientMetricsStore(tables),
        pins=TransientPinStore(tables),
        capsules=TransientCapsuleStore(tables),
        candidates=TransientCandidateStore(tables),
        merges=TransientMergeLog(tables),
        conflicts=TransientConflictLog(tables),
        maintenance=TransientMaintenance(tables),
        removed=TransientRemovedRows(tables),
        noted=TransientNotedRows(tables),
        torn=TransientTornRows(tables),
        beginnings=TransientIdBeginnings(tables),
        words=TransientExchangeWords(tables),
        skimming=TransientSkimming(tables),
    )
