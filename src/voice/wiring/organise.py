"""Wires the organising tool, and with it what reads notes."""

from voice.adapters.surreal import SurrealStores
from voice.core.settings.values import Settings
from voice.services.archiving import Archiving
from voice.services.configured import organise_defaults
from voice.services.extracting import Extracting
from voice.services.ingest import Ingest
from voice.services.organise import Organise
from voice.services.retrieve import Retrieve
from voice.services.staging import Staging


def organise_of(
    settings: Settings, stores: SurrealStores, retrieve: Retrieve, ingest: Ingest, archiving: Archiving
) -> Organise:
    """Return the service over open stores."""
    staging = Staging(candidates=stores.candidates, store=stores.memory, forgotten=ingest.forgotten, clock=ingest.clock)
    return Organise(
        retrieve=retrieve,
        extracting=Extracting(staging=staging, names=ingest.names, is_automatic=settings.organise.auto_candidates),
        ingest=ingest,
        removals=archiving.removals,
        defaults=organise_defaults(settings),
    )
