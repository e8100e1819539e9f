"""Wires where sources stand."""

from pathlib import Path
from zoneinfo import ZoneInfo

from voice.adapters.files.followed_file import FollowedFile
from voice.adapters.files.note_texts import LocalNoteTexts
from voice.adapters.surreal.stores import SurrealStores
from voice.services.retrieval.source_locations import SourceLocations


def locations_of(stores: SurrealStores, home: Path, timezone: str) -> SourceLocations:
    """Return the service over open stores."""
    return SourceLocations(
        store=stores.memory, notes=LocalNoteTexts(), known=FollowedFile(home), zone=ZoneInfo(timezone)
    )
