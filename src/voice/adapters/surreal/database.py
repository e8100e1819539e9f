"""The stores of one database, each made where it is first asked for.

Law: a property imports the one store it returns, so that a command pays for the stores it uses.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    cached_property = property  # what a port's property is to a type checker, which takes the real one for none
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
    from voice.adapters.surreal.stores.reading import RememberedRows, SurrealSkimming
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
else:
    from functools import cached_property


class SurrealStores:
    """The stores of one database; an async context manager that closes it."""

    def __init__(self, connection: "Connection", writer: "Writer", directory: Path | None) -> None:
        """Know the database; no store is made yet.

        Args:
            writer: what all writes go through.
            directory: where an embedded store keeps its files.
        """
        self.connection = connection
        self.directory = directory
        self._writer = writer

    async def aclose(self) -> None:
        """Close the database and give its lock back, or leave its holder; safe to call twice."""
        await self.connection.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @cached_property
    def _rows(self) -> "RememberedRows":
        """The rows that were read last, for all stores that read them again and again."""
        from voice.adapters.surreal.stores.reading import RememberedRows

        return RememberedRows(connection=self.connection)

    @cached_property
    def memory(self) -> "SurrealMemoryStore":
        """Thoughts, the graph's rows, vectors and tombstones."""
        from voice.adapters.surreal.stores.rows import SurrealMemoryStore

        return SurrealMemoryStore(self.connection, self._writer, self._rows)

    @cached_property
    def ledger(self) -> "SurrealLedgerStore":
        """What was imported, and what is a tombstone."""
        from voice.adapters.surreal.stores.lookups import SurrealLedgerStore

        return SurrealLedgerStore(self.connection)

    @cached_property
    def graph(self) -> "SurrealGraphStore":
        """The knowledge graph by its structure."""
        from voice.adapters.surreal.stores.lookups import SurrealGraphStore

        return SurrealGraphStore(self.connection, self._rows)

    @cached_property
    def history(self) -> "SurrealHistoryStore":
        """What was superseded."""
        from voice.adapters.surreal.stores.lookups import SurrealHistoryStore

        return SurrealHistoryStore(self.connection)

    @cached_property
    def sessions(self) -> "SurrealSessionStore":
        """Conversations and their turns."""
        from voice.adapters.surreal.stores.sessions import SurrealSessionStore

        return SurrealSessionStore(self.connection, self._writer)

    @cached_property
    def removal(self) -> "SurrealSessionRemoval":
        """Takes conversations away."""
        from voice.adapters.surreal.stores.removals import SurrealSessionRemoval

        return SurrealSessionRemoval(self.connection, self._writer)

    @cached_property
    def spending(self) -> "SurrealSpendStore":
        """What was spent."""
        from voice.adapters.surreal.stores.spending import SurrealSpendStore

        return SurrealSpendStore(self.connection, self._writer)

    @cached_property
    def metrics(self) -> "SurrealMetricsStore":
        """Figures of turns."""
        from voice.adapters.surreal.stores.sessions import SurrealMetricsStore

        return SurrealMetricsStore(self.connection)

    @cached_property
    def pins(self) -> "SurrealPinStore":
        """What recall always shows."""
        from voice.adapters.surreal.stores.recall import SurrealPinStore

        return SurrealPinStore(self.connection, self._writer)

    @cached_property
    def capsules(self) -> "SurrealCapsuleStore":
        """Pieces of work and their summaries."""
        from voice.adapters.surreal.stores.recall import SurrealCapsuleStore

        return SurrealCapsuleStore(self.connection, self._writer)

    @cached_property
    def candidates(self) -> "SurrealCandidateStore":
        """What waits for review."""
        from voice.adapters.surreal.stores.candidates import SurrealCandidateStore

        return SurrealCandidateStore(self.connection, self._writer)

    @cached_property
    def merges(self) -> "SurrealMergeLog":
        """Which entities were made one."""
        from voice.adapters.surreal.stores.decision_logs import SurrealMergeLog

        return SurrealMergeLog(self.connection, self._writer)

    @cached_property
    def conflicts(self) -> "SurrealConflictLog":
        """What somebody said of pairs that cannot both hold."""
        from voice.adapters.surreal.stores.decision_logs import SurrealConflictLog

        return SurrealConflictLog(self.connection, self._writer)

    @cached_property
    def maintenance(self) -> "SurrealMaintenance":
        """Backups, verification, compaction."""
        from voice.adapters.surreal.backup import SurrealMaintenance

        return SurrealMaintenance(self.connection, self._writer)

    @cached_property
    def removed(self) -> "SurrealRemovedRows":
        """Rows that were taken away and can come back."""
        from voice.adapters.surreal.stores.removals import SurrealRemovedRows

        return SurrealRemovedRows(self.connection, self._writer)

    @cached_property
    def noted(self) -> "SurrealNotedRows":
        """Thoughts that somebody has to vouch for."""
        from voice.adapters.surreal.stores.lookups import SurrealNotedRows

        return SurrealNotedRows(self.connection)

    @cached_property
    def torn(self) -> "SurrealTornRows":
        """What rests on thoughts that were never stored."""
        from voice.adapters.surreal.stores.removals import SurrealTornRows

        return SurrealTornRows(self.connection, self._writer)

    @cached_property
    def beginnings(self) -> "SurrealIdBeginnings":
        """Ids by how they begin."""
        from voice.adapters.surreal.stores.lookups import SurrealIdBeginnings

        return SurrealIdBeginnings(self.connection)

    @cached_property
    def words(self) -> "SurrealExchangeWords":
        """The words of turns that quote rows."""
        from voice.adapters.surreal.stores.removals import SurrealExchangeWords

        return SurrealExchangeWords(self.connection, self._writer)

    @cached_property
    def skimming(self) -> "SurrealSkimming":
        """The words of everything."""
        from voice.adapters.surreal.stores.reading import SurrealSkimming

        return SurrealSkimming(self.connection)
