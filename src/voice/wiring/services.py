"""Everything that can be done with one open memory; the ports behind it are `voice.wiring.open_memory`.

Law: a property imports and makes one service, when it is first asked for: here the program decides what a command
costs, and no other module imports late for that reason (docs/architecture.md, "Start-up"; DESIGN 3, 11).
"""

from collections.abc import AsyncGenerator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from voice.core.session.turn_events import Event, EventListener, ignore_event
from voice.wiring.open_memory import OpenPorts

if TYPE_CHECKING:
    from voice.ports.home_records import CalibrationStore
    from voice.services.graph.browse import Browse, Duplicates, Portraits
    from voice.services.graph.conflict_resolution import ConflictResolution
    from voice.services.graph.conflict_verification import ConflictVerification
    from voice.services.graph.conflicts import Conflicts
    from voice.services.graph.correct import Correcting
    from voice.services.graph.editor import GraphEditor
    from voice.services.graph.entity_merge import Merging
    from voice.services.graph.extraction import Extracting
    from voice.services.graph.row_dossier import Dossiers
    from voice.services.graph.vouching import Review
    from voice.services.imports.capture import SessionCapture
    from voice.services.imports.memory_files import Transfer
    from voice.services.imports.sync import FolderSync
    from voice.services.maintenance.doctor import Checkup, OrphanRows
    from voice.services.recall.capsules import Capsules
    from voice.services.recall.pins import Pins
    from voice.services.recall.recall import Recall
    from voice.services.removal.archives import Archives
    from voice.services.removal.derived_stores import PastWords
    from voice.services.removal.forget import Forget
    from voice.services.retrieval.catalogue import Catalogue
    from voice.services.retrieval.literal_search import LiteralSearch
    from voice.services.retrieval.retrieve import RetrieveByWords
    from voice.services.retrieval.source_locations import SourceLocations
    from voice.services.runtime.id_prefixes import ResolveIds
    from voice.services.runtime.turn import AskRequest, Turn
    from voice.services.sessions.lifecycle import SessionLife
    from voice.services.sessions.report import Reports, SessionTotals
    from voice.services.sessions.transcripts import Transcripts
    from voice.services.turn.ask import Ask
    from voice.services.turn.audit import Audit
    from voice.services.turn.organise import Organise
    from voice.services.turn.preview import ForeseenTurn
    from voice.services.turn.replay import Replays
    from voice.services.turn.summaries import Summaries
    from voice.wiring.asking import LazyAsking


class Services(OpenPorts):
    """One open memory: what can be done with it, and the ports behind it."""

    @cached_property
    def calibrations(self) -> "CalibrationStore":
        """How verifiers did when they were tried."""
        from voice.wiring.home_records import calibrations_of

        return self._opened.parts.calibrations or calibrations_of(self.home)

    @cached_property
    def makers(self) -> "LazyAsking":
        """What is made when a question is first asked."""
        from voice.wiring.asking import LazyAsking

        return LazyAsking(self._opened, lambda: self.calibrations)

    @cached_property
    def find(self) -> "RetrieveByWords":
        """Finds what a question in words is about."""
        from voice.wiring.finding import find_of

        return find_of(self._opened)

    @cached_property
    def recall(self) -> "Recall":
        """Recalls pins, the current summary and candidates within a budget."""
        from voice.wiring.recall import recall_of

        return recall_of(self._opened)

    @cached_property
    def browse(self) -> "Browse":
        """Reads the graph as a person sees it."""
        from voice.wiring.graph_reading import browse_of

        return browse_of(self._opened)

    @cached_property
    def pins(self) -> "Pins":
        """Pins rows that recall always shows."""
        from voice.wiring.pins_and_capsules import pins_of

        return pins_of(self._opened)

    @cached_property
    def capsules(self) -> "Capsules":
        """Opens, sums up and closes pieces of work."""
        from voice.wiring.pins_and_capsules import capsules_of

        return capsules_of(self._opened)

    @cached_property
    def transfer(self) -> "Transfer":
        """Brings in and writes out memory files."""
        from voice.wiring.transfer import transfer_of

        return transfer_of(self._opened.stores, self.ingest, self._opened.marks)

    @cached_property
    def capturing(self) -> "SessionCapture":
        """Takes in the sessions of agents that ended."""
        from voice.wiring.capture import capturing_of

        return capturing_of(self._opened)

    @cached_property
    def following(self) -> "FolderSync":
        """Keeps the memory in step with folders of notes."""
        from voice.wiring.transfer import following_of

        return following_of(self._opened, self.transfer, self.archiving.removals, lambda: self.forget)

    @cached_property
    def source_locations(self) -> "SourceLocations":
        """Says where rows were found."""
        from voice.wiring.source_locations import locations_of

        return locations_of(self._opened.stores, self.home, self.timezone)

    @cached_property
    def transcripts(self) -> "Transcripts":
        """Writes out and brings in conversations."""
        from voice.wiring.session_files import transcripts_of

        return transcripts_of(self._opened.settings, self._opened.stores, self.clock, self._opened.key)

    @cached_property
    def life(self) -> "SessionLife":
        """Lists, names, forks, closes and deletes conversations."""
        from voice.wiring.session_life import session_life_of

        return session_life_of(self._opened)

    @cached_property
    def report(self) -> "Reports":
        """Reports on past turns."""
        from voice.wiring.reports import report_of

        return report_of(self._opened)

    @cached_property
    def audit(self) -> "Audit":
        """Verifies stored answers again."""
        from voice.wiring.session_proofs import audit_of

        return audit_of(self._opened)

    @cached_property
    def replays(self) -> "Replays":
        """Rebuilds prompts and proves them."""
        from voice.wiring.session_proofs import replays_of

        return replays_of(self._opened)

    @cached_property
    def summaries(self) -> "Summaries":
        """Makes the summary of a conversation again."""
        from voice.wiring.summaries import summaries_of

        return summaries_of(self._opened)

    @cached_property
    def checkup(self) -> "Checkup":
        """Looks whether everything is in order."""
        from voice.wiring.checkup import checkup_of

        return checkup_of(self._opened, self.pins, self.torn)

    @cached_property
    def torn(self) -> "OrphanRows":
        """Finds notes that were stored in part, and mends them."""
        from voice.services.maintenance.doctor import OrphanRows

        return OrphanRows(rows=self._opened.stores.torn, store=self.store, ingest=self.ingest, index=self.index)

    @cached_property
    def review(self) -> "Review":
        """Decides on what waits."""
        from voice.wiring.extraction import review_of

        return review_of(self._opened)

    @cached_property
    def archiving(self) -> "Archives":
        """Marks, archives, takes away and brings back."""
        from voice.wiring.removal import archiving_of

        return archiving_of(self._opened.settings, self.home, self._opened.stores, self.ingest)

    @cached_property
    def forget(self) -> "Forget":
        """Forgets and redacts."""
        from voice.wiring.forgetting import make_forget

        return make_forget(self._opened, self.archiving.removals)

    @cached_property
    def organise(self) -> "Organise":
        """Answers in the notes' own words and stages what they name."""
        from voice.wiring.organise import organise_of

        return organise_of(self._opened, self.extracting, self.archiving.removals)

    @cached_property
    def conflicts(self) -> "Conflicts":
        """Finds what cannot both hold."""
        from voice.wiring.conflicts import conflicts_of

        return conflicts_of(self._opened)

    @property
    def settling(self) -> "ConflictResolution":
        """What settles conflicts; see `voice.services.graph.conflict_resolution.ConflictResolution`."""
        from voice.services.graph.conflict_resolution import ConflictResolution

        return ConflictResolution(conflicts=self.conflicts, correcting=self.correcting)

    @property
    def conflict_verifying(self) -> "ConflictVerification | None":
        """What asks the verifier about pairs of statements; None where no verifier is set."""
        from voice.services.graph.conflict_verification import ConflictVerification

        calibrating = self.makers.calibrating()
        allowed = self._opened.settings.privacy.allow_private_remote
        return (
            None if calibrating is None else ConflictVerification(calibrating=calibrating, allow_private_remote=allowed)
        )

    @cached_property
    def merging(self) -> "Merging":
        """Makes two entities one, and two again."""
        from voice.wiring.merging import merging_of

        return merging_of(self._opened.stores, self.ingest)

    @cached_property
    def resolve_ids(self) -> "ResolveIds":
        """Completes ids that were begun."""
        from voice.services.runtime.id_prefixes import ResolveIds

        return ResolveIds(beginnings=self._opened.stores.beginnings)

    @property
    def graph_editor(self) -> "GraphEditor":
        """What adds entities, relations and statements by hand."""
        from voice.services.graph.editor import GraphEditor

        opened = self._opened
        return GraphEditor(store=self.store, names=opened.names, ingest=self.ingest, clock=self.clock, ids=self.ids)

    @cached_property
    def extracting(self) -> "Extracting":
        """What reads notes and stages what they name."""
        from voice.wiring.extraction import extracting_of

        return extracting_of(self._opened)

    @property
    def portraits(self) -> "Portraits":
        """What reads parts of the graph, to be written out or drawn."""
        from voice.services.graph.browse import Portraits

        return Portraits(store=self.store, graph=self.graph, names=self._opened.names)

    @property
    def catalogue(self) -> "Catalogue":
        """What leafs through the rows and looks for some."""
        from voice.services.retrieval.catalogue import Catalogue

        return Catalogue(store=self.store, find=self.find, said=self._opened.said)

    @property
    def literal(self) -> "LiteralSearch":
        """What finds the very words."""
        from voice.services.retrieval.literal_search import LiteralSearch

        opened = self._opened
        return LiteralSearch(
            store=self.store,
            sessions=opened.stores.sessions,
            said=opened.said,
            names=opened.names,
        )

    @property
    def session_figures(self) -> "SessionTotals":
        """What sessions came to."""
        from voice.services.sessions.report import SessionTotals

        return SessionTotals(skimming=self._opened.stores.skimming)

    @property
    def dossiers(self) -> "Dossiers":
        """What tells everything of one row."""
        from voice.wiring.graph_reading import dossiers_of

        return dossiers_of(self._opened, self.pins)

    @property
    def past_words(self) -> "PastWords":
        """Finds what the history holds of rows; see `voice.services.removal.derived_stores.PastWords`."""
        from voice.services.removal.derived_stores import PastWords

        return PastWords(history=self._opened.stores.history, graph=self.graph)

    @property
    def correcting(self) -> "Correcting":
        """Corrects rows; see `voice.services.graph.correct.Correcting`."""
        from voice.wiring.transfer import correcting_of

        return correcting_of(self._opened.stores, self.ingest)

    @property
    def duplicates(self) -> "Duplicates":
        """Suggests entities that are perhaps one; see `voice.services.graph.browse.Duplicates`."""
        from voice.wiring.merging import duplicates_of

        return duplicates_of(self._opened, self.browse)

    async def ask(self, request: "AskRequest", tell: EventListener = ignore_event) -> "Turn":
        """Run one turn, telling of what happens, event by event; see `voice.services.turn.ask.Ask`.

        Raises:
            ConfigurationError: the provider needs a key and there is none (ruling A23).
        """
        from voice.services.imports.progress import with_import_warnings

        asking, asked = await self._as_of(self.makers.ask(), request)
        return await with_import_warnings(self._opened.marks, self.observed(partial(asking, tell=tell), asked))

    def stream(self, request: "AskRequest") -> AsyncGenerator[Event]:
        """Return one turn as events, up to its answer or refusal (`voice.services.runtime.event_stream`)."""
        from voice.services.runtime.event_stream import stream_turn

        return stream_turn(partial(self.ask, request))

    async def dry_run(self, request: "AskRequest") -> "ForeseenTurn":
        """Return what a question would send and cost; see `voice.services.turn.ask.Ask.dry_run`. No key is needed."""
        foresight, asked = await self._as_of(self.makers.foresight(), request)
        return await foresight.dry_run(asked)

    async def _as_of(self, ask: "Ask", request: "AskRequest") -> "tuple[Ask, AskRequest]":
        from voice.services.turn.ask_as_of import ask_as_of

        stores = self._opened.stores
        return await ask_as_of(ask, request, stores.history, stores.merges, timezone=self.timezone)
