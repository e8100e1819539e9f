"""What is open of a memory, and what everything over it shares: made when it is first asked for, and once.

Law: a property imports what it makes, so that a command pays for what it uses and for nothing else. What needs closing
is closed by the stack of whoever opened the memory.

Source: DESIGN 3, 11 (start-up is budgeted).
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from voice.core.settings.providers import EmbedSettings, LlmSettings
from voice.core.settings.values import Settings
from voice.wiring.data_directory import calibrations_of, reranker_of

if TYPE_CHECKING:
    from voice.adapters.index.index import FoldedIndex
    from voice.adapters.surreal.database import SurrealStores
    from voice.adapters.system.agent_records import RecordFile
    from voice.ports.files import CalibrationStore, ImportMarks
    from voice.ports.llm import LlmClient
    from voice.ports.retrieval_provider import Reranker, RetrievalProviders
    from voice.ports.search_index import Embedder
    from voice.ports.stores import GraphStore, MemoryStore, SessionStore, StoreMaintenance
    from voice.ports.system import Clock, EventLog, IdSource, Telemetry
    from voice.services.memory.forgotten_rows import Forgotten
    from voice.services.memory.ingest import Ingest
    from voice.services.retrieval.reranking import Rerank
    from voice.services.retrieval.row_lookups import Names, Scoping
    from voice.services.retrieval.search import Retrieve
    from voice.services.retrieval.text_cache import TextCache
    from voice.services.runtime.spending import Spending
    from voice.services.runtime.telemetry import ObservedTurns

INDEX_FOLDER: Final = "index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What may be put in place of the real thing; None takes the real thing."""

    clock: "Clock | None" = None
    ids: "IdSource | None" = None
    embedder: "Embedder | None" = None
    llm: "LlmClient | None" = None
    checker: "LlmClient | None" = None
    """The model that checks, where SURR_VERIFIER_MODEL names one of its own."""
    calibrations: "CalibrationStore | None" = None
    telemetry: "Telemetry | None" = None
    reranker: "Reranker | None" = None


class OpenMemory:
    """An open memory: its settings, its stores, and what more than one service is made of."""

    def __init__(  # noqa: PLR0913 - what is open, by name
        self,
        *,
        settings: Settings,
        home: Path,
        key: bytes,
        stores: "SurrealStores",
        parts: Parts,
        stack: AsyncExitStack,
        make_llm: "Callable[[LlmSettings, Clock], LlmClient]",
    ) -> None:
        self.settings, self.home, self.key, self.stores, self.parts = settings, home, key, stores, parts
        self._stack = stack  # closes in reverse what was opened
        self._make_llm = make_llm

    @property
    def store(self) -> "MemoryStore":
        """Thoughts, the graph's rows, vectors and tombstones."""
        return self.stores.memory

    @property
    def sessions(self) -> "SessionStore":
        """Conversations and their turns."""
        return self.stores.sessions

    @property
    def maintenance(self) -> "StoreMaintenance":
        """Backups, verification, compaction."""
        return self.stores.maintenance

    @property
    def graph(self) -> "GraphStore":
        """The knowledge graph by its structure."""
        return self.stores.graph

    @property
    def timezone(self) -> str:
        """The person's time zone."""
        return self.settings.time.timezone

    @cached_property
    def clock(self) -> "Clock":
        """What tells the time."""
        from voice.adapters.system.clock_and_ids import SystemClock

        return self.parts.clock or SystemClock()

    @cached_property
    def ids(self) -> "IdSource":
        """What makes ids."""
        from voice.adapters.system.clock_and_ids import SystemIds

        return self.parts.ids or SystemIds(self.clock)  # ids begin with the time

    @cached_property
    def marks(self) -> "ImportMarks":
        """Which imports are under way."""
        from voice.adapters.system.import_marks import FileImportMarks

        return FileImportMarks(self.home)  # files, so that every process sees them

    @cached_property
    def agent_records(self) -> "RecordFile":
        """What programs of other frameworks keep beside the memory."""
        from voice.adapters.system.agent_records import RecordFile

        records = RecordFile(self.home)
        self._stack.callback(records.close)  # closed with the memory
        return records

    @cached_property
    def telemetry(self) -> "Telemetry":
        """Who is told of spans and figures: under `privacy.no_log` of counters alone (ruling D19)."""
        from voice.adapters.telemetry import CountersOnly, OpenTelemetry

        told = self.parts.telemetry or OpenTelemetry()
        return CountersOnly(told) if self.settings.privacy.no_log else told

    @cached_property
    def log(self) -> "EventLog":
        """Where figures are written."""
        from voice.adapters.system.event_log import event_log

        return event_log(self.settings.privacy, self.clock)  # silent under MCP_NO_LOG

    @cached_property
    def observed(self) -> "ObservedTurns":
        """What tells whoever watches of each turn."""
        from voice.services.runtime.telemetry import ObservedTurns

        return ObservedTurns(telemetry=self.telemetry, log=self.log)

    @cached_property
    def embedder(self) -> "Embedder":
        """What makes vectors."""
        from voice.adapters.embedding import make_embedder

        return self.parts.embedder or make_embedder(self.settings.embed)

    @cached_property
    def said(self) -> "TextCache":
        """What rows say, kept while it holds."""
        from voice.services.retrieval.text_cache import TextCache

        return TextCache(self.stores.memory, self.stores.skimming)

    @cached_property
    def names(self) -> "Names":
        """The names of the graph's entities."""
        from voice.services.retrieval.row_lookups import Names

        return Names(self.stores.memory, self.stores.graph)

    @cached_property
    def forgotten(self) -> "Forgotten":
        """What was forgotten and may not come back."""
        from voice.services.memory.forgotten_rows import Forgotten

        return Forgotten(tombstones=self.stores.ledger, key=self.key)

    @cached_property
    def ingest(self) -> "Ingest":
        """What stores thoughts and rows."""
        from voice.services.memory.ingest import Ingest

        settings = self.settings
        return Ingest(
            store=self.stores.memory,
            ledger=self.stores.ledger,
            capsules=self.stores.capsules,
            forgotten=self.forgotten,
            names=self.names,
            embedder=self.embedder,
            clock=self.clock,
            ids=self.ids,
            auto_observations=settings.organise.auto_observations,
            embed_private=settings.privacy.allow_private_remote or _is_local(settings.embed),  # ruling H
        )

    @cached_property
    def index(self) -> "FoldedIndex":
        """What searches."""
        from voice.adapters.index.index import FoldedIndex

        directory = None if self.stores.directory is None else self.home / INDEX_FOLDER  # none: an index in memory
        return FoldedIndex(self.stores.memory, directory, model=self.embedder.model, dim=self.embedder.dim)

    @cached_property
    def providers(self) -> "RetrievalProviders":
        """Who retrieves, by name. Raises ConfigurationError: the one that the settings name is not installed."""
        from voice.adapters.retrieval import installed_providers
        from voice.ports.retrieval_provider import ProviderContext

        rows, embedder = self.stores.memory, self.embedder
        context = ProviderContext(index=self.index, rows=rows, embedder=embedder, clock=self.clock)
        providers = installed_providers(context)
        providers.require(self.settings.retrieve.provider)  # a wrong name fails now, not at a search
        return providers

    @cached_property
    def reranker(self) -> "Reranker | None":
        """Who reads passages together with a question; None where none is installed; raises as `reranker_of` does."""
        return reranker_of(self.settings) if self.parts.reranker is None else self.parts.reranker

    @cached_property
    def scoping(self) -> "Scoping":
        """What decides in which scope a read is."""
        from voice.services.retrieval.row_lookups import Scoping

        return Scoping(store=self.stores.memory, capsules=self.stores.capsules, pins=self.stores.pins)

    @cached_property
    def retrieve(self) -> "Retrieve":
        """What retrieves."""
        from voice.services.retrieval.search import Retrieve

        return Retrieve(
            store=self.stores.memory,
            graph=self.stores.graph,
            providers=self.providers,
            scoping=self.scoping,
            clock=self.clock,
            log=self.log,
            telemetry=self.telemetry,
            rerank=self.rerank,
        )

    @cached_property
    def rerank(self) -> "Rerank":
        """What lets a re-ranker order what was found; it is made when it is first asked for."""
        from voice.services.retrieval.reranking import Rerank

        return Rerank(
            made=lambda: self.reranker,  # loading it takes time
            is_off=self.settings.retrieve.reranker == "none",
            allow_private_remote=self.settings.privacy.allow_private_remote,
        )

    @cached_property
    def model(self) -> "LlmClient":
        """The model that writes, told to whoever watches."""
        return self._observed(self.settings.llm, self.parts.llm)

    @cached_property
    def checker(self) -> "LlmClient | None":
        """The model that checks, where it is another one than writes."""
        verifier = self.settings.verifier
        if verifier.has_checker:
            return self._observed(verifier.llm_of(self.settings.llm), self.parts.checker)
        return None

    @cached_property
    def calibrations(self) -> "CalibrationStore":
        """How verifiers did when they were tried."""
        return self.parts.calibrations or calibrations_of(self.home)  # a double, or the file

    @cached_property
    def spending(self) -> "Spending":
        """What holds every call to the caps, whoever makes it."""
        from voice.wiring.service_settings import spending_of

        return spending_of(self.settings, self.stores.spending)

    def _observed(self, settings: LlmSettings, part: "LlmClient | None") -> "LlmClient":
        from voice.services.runtime.telemetry import ObservedLlm

        llm = part or self._make_llm(settings, self.clock)  # a double, or the real one
        self._stack.push_async_callback(llm.aclose)  # its connections close with the memory
        return ObservedLlm(inner=llm, telemetry=self.telemetry)


def _is_local(settings: EmbedSettings) -> bool:
    """Return whether what is embedded stays on this machine (ruling H)."""
    from voice.adapters.llm.model_facts import DEFAULT_API_BASE, is_loopback

    endpoint = settings.api_base or DEFAULT_API_BASE.get(settings.provider, "")  # ollama's default is on this machine
    return settings.provider in ("local", "hash") or is_loopback(endpoint)  # these two send nothing
