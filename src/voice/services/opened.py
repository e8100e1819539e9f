"""One open memory, and everything that can be done with it.

Law: it holds what the program was wired to and decides nothing; who wires it is `voice.bootstrap`.
"""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from voice.core.session.events import Event, Tell, untold
from voice.ports.calibration_store import CalibrationStore
from voice.ports.embedder import Embedder
from voice.ports.history import HistoryStore
from voice.ports.retrieval_provider import RetrievalProviders
from voice.ports.search_index import VerifiableIndex
from voice.ports.stores import GraphStore, MemoryStore, MetricsStore, SessionStore, StoreMaintenance
from voice.ports.system import Clock, IdSource
from voice.services.archiving import Archiving
from voice.services.as_of import asking_as_of
from voice.services.ask import Ask, AskRequest, Turn
from voice.services.audit import Audit
from voice.services.beside import BesideCorrections
from voice.services.browse import Browse
from voice.services.calibrating import Calibrating
from voice.services.capsules import Capsules
from voice.services.catalogue import Catalogue
from voice.services.checkup import Checkup
from voice.services.correcting import Correcting
from voice.services.dossier import Dossiers
from voice.services.duplicates import Duplicates
from voice.services.extracting import Extracting
from voice.services.find import Find
from voice.services.foresee import Foreseen
from voice.services.forget import Forget
from voice.services.graph import GraphEditor
from voice.services.ingest import Ingest
from voice.services.meant import Meant
from voice.services.merging import Merging
from voice.services.observed import ObservedTurns
from voice.services.organise import Organise
from voice.services.past_words import PastWords
from voice.services.pins import Pins
from voice.services.portraits import Portraits
from voice.services.recall import Recall
from voice.services.replay import Replays
from voice.services.report import Reports
from voice.services.review import Review
from voice.services.session_life import SessionLife
from voice.services.streaming import streamed
from voice.services.summaries import Summaries
from voice.services.transcripts import Transcripts
from voice.services.transfer import Transfer


@dataclass(frozen=True, slots=True, kw_only=True)
class Makers:
    """What is made where it is first needed."""

    ask: Callable[[], Ask]
    """Makes the asking service at the first question: only then is a key or a provider needed."""
    foresight: Callable[[], Ask]
    """Makes what tells what a question would do: it asks nobody, so it needs no key."""
    calibrating: Callable[[], Calibrating | None]
    """Makes what tries the verifier that is set up; None where there is none."""
    calibrations: CalibrationStore
    """How verifiers did when they were tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """One open memory: what can be done with it, and the ports behind it."""

    makers: Makers
    observed: ObservedTurns
    """Tells whoever watches of each turn."""
    find: Find
    recall: Recall
    ingest: Ingest
    browse: Browse
    pins: Pins
    capsules: Capsules
    transfer: Transfer
    transcripts: Transcripts
    life: SessionLife
    report: Reports
    audit: Audit
    replays: Replays
    summaries: Summaries
    checkup: Checkup
    review: Review
    archiving: Archiving
    forget: Forget
    organise: Organise
    merging: Merging
    meant: Meant

    store: MemoryStore
    sessions: SessionStore
    metrics: MetricsStore
    maintenance: StoreMaintenance
    index: VerifiableIndex
    providers: RetrievalProviders
    home: Path

    @property
    def calibrations(self) -> CalibrationStore:
        """How verifiers did when they were tried."""
        return self.makers.calibrations

    @property
    def embedder(self) -> Embedder:
        """What makes vectors."""
        return self.ingest.embedder

    @property
    def clock(self) -> Clock:
        """What tells the time."""
        return self.ingest.clock

    @property
    def ids(self) -> IdSource:
        """What makes ids."""
        return self.ingest.ids

    @property
    def graph_editor(self) -> GraphEditor:
        """What adds entities, relations and statements by hand."""
        names, ingest = self.browse.names, self.ingest
        return GraphEditor(store=self.store, names=names, ingest=ingest, clock=self.clock, ids=self.ids)

    @property
    def extracting(self) -> Extracting:
        """What reads notes and stages what they name."""
        return self.organise.extracting

    @property
    def portraits(self) -> Portraits:
        """What reads parts of the graph, to be written out or drawn."""
        return Portraits(store=self.store, graph=self.graph, names=self.browse.names)

    @property
    def catalogue(self) -> Catalogue:
        """What leafs through the rows and looks for some."""
        return Catalogue(store=self.store, find=self.find)

    @property
    def dossiers(self) -> Dossiers:
        """What tells everything of one row."""
        return Dossiers(
            store=self.store,
            graph=self.graph,
            history=self.history,
            sessions=self.sessions,
            pins=self.pins,
            forgotten=self.ingest.forgotten,
        )

    async def ask(self, request: AskRequest, tell: Tell = untold) -> Turn:
        """Run one turn; see `voice.services.ask.Ask`.

        Args:
            request: what is asked.
            tell: is told of what happens, event by event.

        Raises:
            ConfigurationError: the provider needs a key and there is none (ruling A23).
        """
        asking, asked = await self._as_of(self.makers.ask(), request)
        return await self.observed(partial(asking, tell=tell), asked)

    def stream(self, request: AskRequest) -> AsyncGenerator[Event]:
        """Return one turn as events, up to its answer or refusal; see `voice.services.streaming.streamed`."""
        return streamed(partial(self.ask, request))

    async def dry_run(self, request: AskRequest) -> Foreseen:
        """Return what a question would send and cost; see `voice.services.ask.Ask.dry_run`. No key is needed."""
        asking, asked = await self._as_of(self.makers.foresight(), request)
        return await asking.dry_run(asked)

    async def _as_of(self, ask: Ask, request: AskRequest) -> tuple[Ask, AskRequest]:
        return await asking_as_of(ask, request, self.history, self.merging.log, timezone=self.find.timezone)

    @property
    def graph(self) -> GraphStore:
        """The knowledge graph by its structure."""
        return self.browse.graph

    @property
    def history(self) -> HistoryStore:
        """What was superseded."""
        return self.browse.history

    @property
    def past_words(self) -> PastWords:
        """Finds what the history holds of rows; see `voice.services.past_words.PastWords`."""
        return PastWords(history=self.history, graph=self.graph)

    @property
    def correcting(self) -> Correcting:
        """Corrects rows; see `voice.services.correcting.Correcting`."""
        beside = BesideCorrections(store=self.store, graph=self.graph)
        return replace(self.transfer.edited.correcting, beside=beside)

    @property
    def duplicates(self) -> Duplicates:
        """Suggests entities that are perhaps one; see `voice.services.duplicates.Duplicates`."""
        encoding = (self.embedder.model, self.embedder.dim)
        return Duplicates(browse=self.browse, vectors=self.archiving.removals.removed, encoding=encoding)
