"""What reads one open memory: search, recall, the graph.

Law: a property imports and makes one service, when it is first asked for.
"""

from functools import cached_property
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from voice.wiring.open_memory import OpenMemory

if TYPE_CHECKING:
    from voice.services.graph.browse import Browse, Duplicates, Portraits
    from voice.services.graph.row_dossier import Dossiers, VisibleIds
    from voice.services.recall.capsules import Capsules, CurrentSummary
    from voice.services.recall.pins import Pins
    from voice.services.recall.recall import Recall
    from voice.services.retrieval.catalogue import Catalogue, LiteralSearch
    from voice.services.retrieval.retrieve import QueryTime, RetrieveByWords
    from voice.services.retrieval.row_lookups import ResolveIds
    from voice.services.retrieval.source_locations import SourceLocations


class ReadingServices(OpenMemory):
    """What reads one open memory."""

    @cached_property
    def find(self) -> "RetrieveByWords":
        """Finds what a question in words is about."""
        from voice.services.retrieval.retrieve import RetrieveByWords

        return RetrieveByWords(
            retrieve=self.retrieve,
            history=self.stores.history,
            merges=self.stores.merges,
            defaults=self.settings.retrieve,
            time_of=self._time_of,
            half_lives=self.settings.organise.ageing,
        )

    @property
    def _time_of(self) -> "QueryTime":
        from voice.services.retrieval.retrieve import QueryTime
        from voice.wiring.service_settings import nlq_settings

        return QueryTime(names=self.names, nlq=nlq_settings(self.settings), timezone=self.timezone)

    @cached_property
    def recall(self) -> "Recall":
        """Recalls pins, the current summary and candidates within a budget."""
        from voice.services.recall.recall import Recall

        stores = self.stores
        return Recall(
            store=stores.memory,
            graph=stores.graph,
            pins=stores.pins,
            capsules=stores.capsules,
            redacted=stores.ledger,  # the ledger finds redacted rows, too
            scoping=self.scoping,
            current=self._current_summary,
            providers=self.providers,
            clock=self.clock,
            time_of=self._time_of,
            rerank=self.rerank,
            quarantine_instructions=self.settings.llm.quarantine_instructions,
        )

    @cached_property
    def pins(self) -> "Pins":
        """Pins rows that recall always shows."""
        from voice.services.recall.pins import Pins

        return Pins(
            store=self.store,
            held=self.stores.pins,
            scoping=self.scoping,
            current=self._current_summary,
            clock=self.clock,
            ids=self.ids,
        )

    @property
    def _current_summary(self) -> "CurrentSummary":
        from voice.services.recall.capsules import CurrentSummary

        stores = self.stores
        return CurrentSummary(
            store=stores.memory,
            capsules=stores.capsules,
            sessions=stores.sessions,
            timezone=self.timezone,
            timeout_hours=self.settings.session.timeout_hours,
        )

    @cached_property
    def capsules(self) -> "Capsules":
        """Opens, sums up and closes pieces of work."""
        from voice.services.recall.capsules import Capsules

        held = self.stores.capsules
        return Capsules(capsules=held, store=self.store, scoping=self.scoping, clock=self.clock, ids=self.ids)

    @cached_property
    def browse(self) -> "Browse":
        """Reads the graph as a person sees it."""
        from voice.services.graph.browse import Browse

        stores = self.stores
        return Browse(
            store=stores.memory,
            graph=stores.graph,
            names=self.names,
            history=stores.history,
            merges=stores.merges,
            clock=self.clock,
            half_lives=self.settings.organise.ageing,
        )

    @property
    def portraits(self) -> "Portraits":
        """What reads parts of the graph, to be written out or drawn."""
        from voice.services.graph.browse import Portraits

        return Portraits(store=self.store, graph=self.graph, names=self.names)

    @property
    def duplicates(self) -> "Duplicates":
        """Suggests entities that are perhaps one; see `voice.services.graph.browse.Duplicates`."""
        from voice.services.graph.browse import Duplicates

        encoding = (self.embedder.model, self.embedder.dim)
        return Duplicates(browse=self.browse, vectors=self.stores.removed, encoding=encoding)  # it reads every vector

    @property
    def dossiers(self) -> "Dossiers":
        """What tells everything of one row."""
        from voice.services.graph.row_dossier import Dossiers

        stores = self.stores
        return Dossiers(
            store=stores.memory,
            graph=stores.graph,
            history=stores.history,
            sessions=stores.sessions,
            pins=self.pins,
            forgotten=self.forgotten,
        )

    @property
    def catalogue(self) -> "Catalogue":
        """What leafs through the rows and looks for some."""
        from voice.services.retrieval.catalogue import Catalogue

        return Catalogue(store=self.store, find=self.find, said=self.said)

    @property
    def literal(self) -> "LiteralSearch":
        """What finds the very words."""
        from voice.services.retrieval.catalogue import LiteralSearch

        return LiteralSearch(store=self.store, sessions=self.sessions, said=self.said, names=self.names)

    @cached_property
    def source_locations(self) -> "SourceLocations":
        """Says where rows were found."""
        from voice.adapters.files.synced_notes import LocalNoteTexts, SyncedFoldersFile
        from voice.services.retrieval.source_locations import SourceLocations

        known, zone = SyncedFoldersFile(self.home), ZoneInfo(self.timezone)
        return SourceLocations(store=self.store, notes=LocalNoteTexts(), known=known, zone=zone)

    @cached_property
    def resolve_ids(self) -> "ResolveIds":
        """Completes ids that were begun."""
        from voice.services.retrieval.row_lookups import ResolveIds

        return ResolveIds(beginnings=self.stores.beginnings)

    @property
    def visible_ids(self) -> "VisibleIds":
        """Completes ids that programs name, and tells them nothing of private ones."""
        from voice.services.graph.row_dossier import VisibleIds

        stores = self.stores
        return VisibleIds(beginnings=stores.beginnings, store=stores.memory, candidates=stores.candidates)
