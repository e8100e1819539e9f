"""Wires the capture of agents' sessions."""

import os
from pathlib import Path

from voice.adapters.files.memory_files import LocalMemoryFiles
from voice.adapters.system.host_settings import codex_home
from voice.adapters.system.spool import FileSpool
from voice.adapters.system.working_tree import LocalWorkingTree
from voice.services.imports.capture import SessionCapture
from voice.wiring.open_memory import OpenMemory


def spool_of(home: Path) -> FileSpool:
    """Return the spool of a data directory."""
    return FileSpool(home, codex_home(Path.home(), os.environ) / "sessions")


def capturing_of(opened: OpenMemory) -> SessionCapture:
    """Return what takes in the sessions that ended."""
    return SessionCapture(
        spool=spool_of(opened.home),
        tree=LocalWorkingTree(),
        files=LocalMemoryFiles(),
        ingest=opened.ingest,
        ignored=tuple(os.path.expanduser(glob) for glob in opened.settings.capture.globs),  # noqa: PTH111 - a glob
    )
