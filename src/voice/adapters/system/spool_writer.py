"""The writing of one entry into the spool of ended sessions.

Law: a program waits while this runs, so it imports next to nothing. An entry is written whole or not at all, mode 0600
(ruling H), and holds no word that anybody said.

Source: docs/capture.md.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from voice.adapters.disk.private_files import replacing, secure_directory

HOSTS = ("claude-code", "codex", "gemini-cli")
"""Whose sessions are taken (`voice.core.capture.hosts.Host`, spelt out so that nothing is imported for it)."""
SPOOL_FOLDER = "spool"
"""Where sessions that ended wait to be taken in, in the data directory."""


def has_entries(home: Path) -> bool:
    """Return whether anything waits in the spool of a data directory."""
    return next((home / SPOOL_FOLDER).glob("*.json"), None) is not None


def write_entry(home: Path, entry: Mapping[str, str | None]) -> None:
    """Put an ended session into the spool of a data directory: its host, session, transcript and cwd, and when it ended
    (`ended_at`, ISO 8601). Raises ConfigurationError: it cannot be written; StoreUnavailable: the disk is full or
    fails."""
    folder = secure_directory(home / SPOOL_FOLDER)
    # Begins with the time, so names sort by it.
    stamp = "".join(each for each in entry["ended_at"] or "" if each.isalnum())
    with replacing(folder / f"{stamp}-{os.urandom(4).hex()}.json") as file:
        file.write(json.dumps(entry).encode())
