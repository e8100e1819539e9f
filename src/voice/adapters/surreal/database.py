"""The stores of one database, each made when it is first used.

Law: an attribute imports the one store it is, so that a command pays for the stores it uses.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from voice.adapters.surreal.backup import SurrealMaintenance
    from voice.adapters.surreal.connection import Connection
    from voice.adapters.surreal.stores.candidates import SurrealCandidateStore
    from voice.adapters.surreal.stores.decision_logs import SurrealConflictLog, SurrealMergeLog
    from voice.adapters.surreal.stores.lookups import (
        SurrealGraphStore,
        SurrealHistoryStore,
        SurrealIdBeginnings,
        SurrealLedgerStore,
        SurrealNotedRows,
    )
    from voice.adapters.surreal.stores.reading import SurrealSkimming
    from voice.adapters.surreal.stores.recall import SurrealCapsuleStore, SurrealPinStore
    from voice.adapters.surreal.stores.removals import (
        SurrealExchangeWords,
        SurrealRemovedRows,
        SurrealSessionRemoval,
        SurrealTornRows,
    )
    from voice.adapters.surreal.stores.rows import SurrealMemoryStore
    from voice.adapters.surreal.stores.sessions import SurrealMetricsStore, SurrealSessionStore
    from voice.adapters.surreal.stores.spending import SurrealSpendStore
    from voice.adapters.surreal.writer import Writer

_READING: Final = ("connection",)
_WRITING: Final = ("connection", "_writer")
# By attribute: where the store's class is, and what it is made with.
_STORES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "_rows": ("stores.reading:RememberedRows", _READING),
    "memory": ("stores.rows:SurrealMemoryStore", (*_WRITING, "_rows")),
    "ledger": ("stores.lookups:SurrealLedgerStore", _READING),
    "graph": ("stores.lookups:SurrealGraphStore", (*_READING, "_rows")),
    "history": ("stores.lookups:SurrealHistoryStore", _READING),
    "sessions": ("stores.sessions:SurrealSessionStore", _WRITING),
    "removal": ("stores.removals:SurrealSessionRemoval", _WRITING),
    "spending": ("stores.spending:SurrealSpendStore", _WRITING),
    "metrics": ("stores.sessions:SurrealMetricsStore", _READING),
    "pins": ("stores.recall:SurrealPinStore", _WRITING),
    "capsules": ("stores.recall:SurrealCapsuleStore", _WRITING),
    "candidates": ("stores.candidates:SurrealCandidateStore", _WRITING),
    "merges": ("stores.decision_logs:SurrealMergeLog", _WRITING),
    "conflicts": ("stores.decision_logs:SurrealConflictLog", _WRITING),
    "maintenance": ("backup:SurrealMaintenance", _WRITING),
    "removed": ("stores.removals:SurrealRemovedRows", _WRITING),
    "noted": ("stores.lookups:SurrealNotedRows", _READING),
    "torn": ("stores.removals:SurrealTornRows", _WRITING),
    "beginnings": ("stores.lookups:SurrealIdBeginnings", _READING),
    "words": ("stores.removals:SurrealExchangeWords", _WRITING),
    "skimming": ("stores.reading:SurrealSkimming", _READING),
}


class SurrealStores:
    """The stores of one database; an async context manager that closes it."""

    memory: "SurrealMemoryStore"
    """Thoughts, the graph's rows, vectors and tombstones."""
    ledger: "SurrealLedgerStore"
    """What was imported, and what has a tombstone."""
    graph: "SurrealGraphStore"
    history: "SurrealHistoryStore"
    """Superseded rows."""
    sessions: "SurrealSessionStore"
    removal: "SurrealSessionRemoval"
    """Deletes conversations."""
    spending: "SurrealSpendStore"
    metrics: "SurrealMetricsStore"
    """Figures of turns."""
    pins: "SurrealPinStore"
    capsules: "SurrealCapsuleStore"
    """Pieces of work and their summaries."""
    candidates: "SurrealCandidateStore"
    """Proposals that await review."""
    merges: "SurrealMergeLog"
    conflicts: "SurrealConflictLog"
    maintenance: "SurrealMaintenance"
    removed: "SurrealRemovedRows"
    """Rows that were removed and can come back."""
    noted: "SurrealNotedRows"
    """Thoughts that a person has to vouch for."""
    torn: "SurrealTornRows"
    """Rows whose thoughts were never stored."""
    beginnings: "SurrealIdBeginnings"
    """Ids by prefix."""
    words: "SurrealExchangeWords"
    """The words of turns that quote rows."""
    skimming: "SurrealSkimming"
    """The words of everything."""

    def __init__(self, connection: "Connection", writer: "Writer", directory: Path | None) -> None:
        self.connection = connection
        self.directory = directory
        self._writer = writer

    async def aclose(self) -> None:
        """Close the database and release its lock, or leave its holder; safe to call twice."""
        await self.connection.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _store(place: str, needed: tuple[str, ...]) -> "cached_property[object]":
    return cached_property(
        lambda stores: resolve_name(f"{__package__}.{place}")(*(getattr(stores, each) for each in needed))
    )


for _name, _how in _STORES.items():
    setattr(SurrealStores, _name, _store(*_how))
    vars(SurrealStores)[_name].__set_name__(SurrealStores, _name)
