"""Mapped pages that are given back.

Law: what a search has looked up in full stays mapped only until enough of it has gathered; the system keeps the pages
as long as it has room, the process does not count them as its own. Nothing read so far changes by it.
"""

import mmap
from dataclasses import dataclass, field
from typing import Final

_ROWS_HELD: Final = 1024
"""A row of 384 numbers lies on one page or two: at most 8 MB a segment."""


@dataclass(slots=True)
class Lease:
    """The bytes of one array in a mapped file."""

    mapped: mmap.mmap
    start: int
    size: int
    _read: int = field(default=0, init=False)

    def read_at_random(self) -> None:
        """Have the system map the pages that are read and none around them: a search reads single rows."""
        self._advise("MADV_RANDOM")

    def note(self, rows: int) -> None:
        """Note that so many rows were read."""
        self._read += rows
        if self._read >= _ROWS_HELD:
            self.release()

    def release(self) -> None:
        """Give all pages back that lie within the array alone."""
        self._read = 0
        self._advise("MADV_DONTNEED")

    def _advise(self, advice: str) -> None:
        first = -(-self.start // mmap.PAGESIZE) * mmap.PAGESIZE
        size = (self.start + self.size - first) // mmap.PAGESIZE * mmap.PAGESIZE
        if size > 0 and hasattr(mmap, advice):
            self.mapped.madvise(int(getattr(mmap, advice)), first, size)
