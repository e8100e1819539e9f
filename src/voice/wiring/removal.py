"""Wires marking, archiving, taking away and bringing back."""

from pathlib import Path

from voice.adapters.archive.directory import LocalArchives
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.system.data_directory import archives_in
from voice.core.graph.removal.lifecycle import Retention
from voice.core.settings.values import Settings
from voice.services.memory.ingest import Ingest
from voice.services.removal.archive_shelf import ArchiveShelf
from voice.services.removal.archives import Archives
from voice.services.removal.removals import DependentRows, Removals


def archiving_of(settings: Settings, home: Path, stores: SurrealStores, ingest: Ingest) -> Archives:
    """Return the service over open stores; a relative archive directory is below the data directory."""
    group = settings.archive
    removals = Removals(
        store=stores.memory,
        tombstones=stores.ledger,
        removed=stores.removed,
        undecided=stores.candidates,
        shelf=ArchiveShelf(
            files=LocalArchives(), directory=str(archives_in(home, group.directory)), store=stores.memory
        ),
        taken_along=DependentRows(store=stores.memory, resting=stores.removed),
        clock=ingest.clock,
        retention=Retention(days=group.retention_days, timezone=settings.time.timezone),
        key=ingest.forgotten.key,
    )
    return Archives(removals=removals, graph=stores.graph, ingest=ingest, form=group.format)
