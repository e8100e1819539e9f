"""The stores of one database, each made when it is first used.

Law: a property imports the one store it returns, so that a command pays for the stores it uses.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    cached_property = property  # a type checker does not accept the real one for a port's property
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
        """Remember the database; no store is made yet."""
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

    @cached_property
    def _rows(self) -> "RememberedRows":
        """The last used rows, for all stores that read rows repeatedly."""
        from voice.adapters.surreal.stores.reading import RememberedRows

        return RememberedRows(connection=self.connection)

    @cached_property
    def memory(self) -> "SurrealMemoryStore":
        """Thoughts, the graph's rows, vectors and tombstones."""
        from voice.adapters.surreal.stores.rows import SurrealMemoryStore

        return SurrealMemoryStore(self.connection, self._writer, self._rows)

    @cached_property
    def ledger(self) -> "SurrealLedgerStore":
        """What was imported, and what has a tombstone."""
        from voice.adapters.surreal.stores.lookups import SurrealLedgerStore

        return SurrealLedgerStore(self.connection)

    @cached_property
    def graph(self) -> "SurrealGraphStore":
        """The knowledge graph's structure."""
        from voice.adapters.surreal.stores.lookups import SurrealGraphStore

        return SurrealGraphStore(self.connection, self._rows)

    @cached_property
    def history(self) -> "SurrealHistoryStore":
        """Superseded rows."""
        from voice.adapters.surreal.stores.lookups import SurrealHistoryStore

        return SurrealHistoryStore(self.connection)

    @cached_property
    def sessions(self) -> "SurrealSessionStore":
        """Conversations and their turns."""
        from voice.adapters.surreal.stores.sessions import SurrealSessionStore

        return SurrealSessionStore(self.connection, self._writer)

    @cached_property
    def removal(self) -> "SurrealSessionRemoval":
        """Deletes conversations."""
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
        """Rows that recall always shows."""
        from voice.adapters.surreal.stores.recall import SurrealPinStore

        return SurrealPinStore(self.connection, self._writer)

    @cached_property
    def capsules(self) -> "SurrealCapsuleStore":
        """Pieces of work and their summaries."""
        from voice.adapters.surreal.stores.recall import SurrealCapsuleStore

        return SurrealCapsuleStore(self.connection, self._writer)

    @cached_property
    def candidates(self) -> "SurrealCandidateStore":
        """Proposals that await review."""
        from voice.adapters.surreal.stores.candidates import SurrealCandidateStore

        return SurrealCandidateStore(self.connection, self._writer)

    @cached_property
    def merges(self) -> "SurrealMergeLog":
        """Merges of entities."""
        from voice.adapters.surreal.stores.decision_logs import SurrealMergeLog

        return SurrealMergeLog(self.connection, self._writer)

    @cached_property
    def conflicts(self) -> "SurrealConflictLog":
        """People's decisions on conflicts."""
        from voice.adapters.surreal.stores.decision_logs import SurrealConflictLog

        return SurrealConflictLog(self.connection, self._writer)

    @cached_property
    def maintenance(self) -> "SurrealMaintenance":
        """Backups, verification, compaction."""
        from voice.adapters.surreal.backup import SurrealMaintenance

        return SurrealMaintenance(self.connection, self._writer)

    @cached_property
    def removed(self) -> "SurrealRemovedRows":
        """Rows that were removed and can come back."""
        from voice.adapters.surreal.stores.removals import SurrealRemovedRows

        return SurrealRemovedRows(self.connection, self._writer)

    @cached_property
    def noted(self) -> "SurrealNotedRows":
        """Thoughts that a person has to vouch for."""
        from voice.adapters.surreal.stores.lookups import SurrealNotedRows

        return SurrealNotedRows(self.connection)

    @cached_property
    def torn(self) -> "SurrealTornRows":
        """Rows whose thoughts were never stored."""
        from voice.adapters.surreal.stores.removals import SurrealTornRows

        return SurrealTornRows(self.connection, self._writer)

    @cached_property
    def beginnings(self) -> "SurrealIdBeginnings":
        """Ids by prefix."""
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
