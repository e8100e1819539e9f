"""Keeping the last run of a memory's exam.

Law: what is kept holds no word of a memory: figures, settings and keyed hashes. What cannot be read is as good as not
there.
"""

from typing import Protocol

from voice.core.exam.results import ExamRun


class ExamStore(Protocol):
    """The last exam of one data directory."""

    def last(self) -> ExamRun | None:
        """Return the run that was kept last, None where there is none; it may read from a disk."""
        ...

    def keep(self, run: ExamRun) -> None:
        """Keep a run in the place of the one before; it may write to a disk.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        ...
