"""Wires where sources stand."""

from pathlib import Path
from zoneinfo import ZoneInfo

from voice.adapters.files.synced_notes import LocalNoteTexts, SyncedFoldersFile
from voice.adapters.surreal.database import SurrealStores
from voice.services.retrieval.source_locations import SourceLocations


def locations_of(stores: SurrealStores, home: Path, timezone: str) -> SourceLocations:
    """Return the service over open stores."""
    return SourceLocations(
        store=stores.memory, notes=LocalNoteTexts(), known=SyncedFoldersFile(home), zone=ZoneInfo(timezone)
    )
