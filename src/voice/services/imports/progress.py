"""The progress of an import.

Law: how far an import has read is told of what is stored, for reading is quick and storing is not: what is left takes
as long as what was stored took.

Source: docs/import.md, "While an import runs".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.ports.files import ReadBatch, ReportStored
from voice.services.imports.request import Progress


def tell_both(tell: ReportStored, storing: Progress | None) -> Progress:
    """Return what tells both the marks and whoever waits how many rows are stored."""

    def both(done: int, total: int | None) -> None:
        tell(done)
        if storing:
            storing(done, total)

    return both


@dataclass(slots=True, kw_only=True)
class BatchProgress:
    """The progress of an import that stores while it reads."""

    reading: Progress | None
    storing: Progress | None
    _rows: int = 0
    """Stored so far."""
    _read: int = 0
    """How far the reading was before this batch."""
    _batch: ReadBatch = ReadBatch(lines=(), done=0, total=None)
    _before: int = 0
    """Stored before this batch."""
    _wanted: int = 0
    """Rows of this batch that are to be stored."""

    def begin(self, batch: ReadBatch, rows: int) -> None:
        """Know that so many rows of a batch are stored next."""
        self._read, self._before = self._batch.done, self._rows
        self._batch, self._wanted = batch, rows

    def stored(self, rows: int) -> None:
        """Tell that so many more of them are stored."""
        self._rows += rows
        if self.storing:
            self.storing(self._rows, None)
        self._tell((self._rows - self._before) / self._wanted)

    def end(self) -> None:
        """Tell that the batch is stored."""
        self._tell(1.0)

    def _tell(self, share: float) -> None:
        if self.reading:
            self.reading(self._read + int(share * (self._batch.done - self._read)), self._batch.total)


@dataclass(slots=True, kw_only=True)
class StepProgress:
    """The progress of work with known steps, each as long as what it stores."""

    sizes: Sequence[int]
    tell: ReportStored
    storing: Progress | None
    _done: int = 0
    _far: int = 0

    def advance(self, steps: int = 1) -> None:
        """Tell that so many more steps are done; more than were known are none."""
        further = self.sizes[self._done : self._done + steps]
        self._done, self._far = self._done + len(further), self._far + sum(further)
        self.tell(self._done)
        if self.storing:
            self.storing(self._far, sum(self.sizes))
