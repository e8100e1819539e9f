"""Wires what waits for a person."""

from voice.adapters.surreal import SurrealStores
from voice.core.settings.values import Settings
from voice.services.archiving import Archiving
from voice.services.ingest import Ingest
from voice.services.names import Names
from voice.services.review import Review


def review_of(settings: Settings, stores: SurrealStores, names: Names, ingest: Ingest, archiving: Archiving) -> Review:
    """Return both ends of the queue over open stores; what was staged is marked for removal where that is wanted."""
    marks = archiving.removals if settings.organise.auto_mark_removal else None
    return Review.of(stores.candidates, stores.graph, names, ingest, marks=marks)
