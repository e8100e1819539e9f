"""What an open memory is made of, as ports: handed on, never made here."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voice.adapters.system.agent_records import RecordFile
    from voice.core.text.dates import DateOrder
    from voice.ports.embedder import Embedder
    from voice.ports.retrieval_provider import RetrievalProviders
    from voice.ports.search_index import VerifiableIndex
    from voice.ports.stores import GraphStore, MemoryStore, MetricsStore, SessionStore, StoreMaintenance
    from voice.ports.system import Clock, IdSource
    from voice.services.memory.ingest import Ingest
    from voice.services.runtime.telemetry import ObservedTurns
    from voice.wiring.opened import Opened


class OpenPorts:
    """The ports behind one open memory."""

    def __init__(self, opened: "Opened") -> None:
        """Know what is open; no service is made yet."""
        self._opened = opened

    @property
    def store(self) -> "MemoryStore":
        """Thoughts, the graph's rows, vectors and tombstones."""
        return self._opened.stores.memory

    @property
    def sessions(self) -> "SessionStore":
        """Conversations and their turns."""
        return self._opened.stores.sessions

    @property
    def metrics(self) -> "MetricsStore":
        """Figures of turns."""
        return self._opened.stores.metrics

    @property
    def maintenance(self) -> "StoreMaintenance":
        """Backups, verification, compaction."""
        return self._opened.stores.maintenance

    @property
    def graph(self) -> "GraphStore":
        """The knowledge graph by its structure."""
        return self._opened.stores.graph

    @property
    def home(self) -> Path:
        """The data directory."""
        return self._opened.home

    @property
    def timezone(self) -> str:
        """The person's time zone."""
        return self._opened.settings.time.timezone

    @property
    def date_order(self) -> "DateOrder | None":
        """What 05/06/2024 means to the person, where they said so."""
        return self._opened.settings.time.date_order

    @property
    def clock(self) -> "Clock":
        """What tells the time."""
        return self._opened.clock

    @property
    def ids(self) -> "IdSource":
        """What makes ids."""
        return self._opened.ids

    @property
    def embedder(self) -> "Embedder":
        """What makes vectors."""
        return self._opened.embedder

    @property
    def index(self) -> "VerifiableIndex":
        """What searches."""
        return self._opened.index

    @property
    def providers(self) -> "RetrievalProviders":
        """Who retrieves, by name."""
        return self._opened.providers

    @property
    def observed(self) -> "ObservedTurns":
        """Tells whoever watches of each turn."""
        return self._opened.observed

    @property
    def agent_records(self) -> "RecordFile":
        """What programs of other frameworks keep beside the memory."""
        return self._opened.agent_records

    @property
    def ingest(self) -> "Ingest":
        """Stores thoughts and rows."""
        return self._opened.ingest
