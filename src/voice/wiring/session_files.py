"""Wires conversations that leave and enter as files."""

from voice.adapters.files.session_file import LocalSessionFiles
from voice.adapters.surreal.database import SurrealStores
from voice.core.settings.values import Settings
from voice.ports.system import Clock
from voice.services.sessions.transcripts import Transcripts


def transcripts_of(settings: Settings, stores: SurrealStores, clock: Clock, key: bytes) -> Transcripts:
    """Return the service over open stores."""
    files, zone = LocalSessionFiles(), settings.time.timezone
    sessions, rows = stores.sessions, stores.memory
    return Transcripts(sessions=sessions, store=rows, files=files, clock=clock, key=key, timezone=zone)
