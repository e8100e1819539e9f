"""The last run of a memory's exam, as a file of the data directory.

Law: `exam.json`, mode 0600, replaced whole. A file that is not as it was written counts as none: the next run has
nothing to be held against, and writes it anew.
"""

import json
from pathlib import Path
from typing import Final

from voice.adapters.disk.private_files import replacing
from voice.adapters.disk.values_json import from_json, to_json
from voice.core.exam.results import ExamRun

EXAM_NAME: Final = "exam.json"


class ExamFile:
    """The last exam of one data directory."""

    def __init__(self, home: Path) -> None:
        """Make it; nothing is read or written yet."""
        self._path = home / EXAM_NAME

    def last(self) -> ExamRun | None:
        """Return the run that was kept last; see `ExamStore.last`."""
        try:
            return from_json(ExamRun, json.loads(self._path.read_bytes()))
        except (OSError, ValueError, RecursionError):
            return None

    def keep(self, run: ExamRun) -> None:
        """Keep a run; see `ExamStore.keep`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        with replacing(self._path) as file:
            file.write(json.dumps(to_json(ExamRun, run), indent=1).encode())
