"""Mapped pages that are given back.

Law: what a search has looked up in full stays mapped only until enough of it has gathered; the system keeps the pages
as long as it has room, the process does not count them as its own. Nothing read so far changes by it.
"""

import mmap
from dataclasses import dataclass, field
from typing import Final

_ROWS_HELD: Final = 128
"""The kernel maps 64 kB around each row that is read: about 8 MB a segment."""


@dataclass(slots=True)
class Lease:
    """The bytes of one array in a mapped file."""

    mapped: mmap.mmap
    start: int
    size: int
    _read: int = field(default=0, init=False)

    def note(self, rows: int) -> None:
        """Note that so many rows were read."""
        self._read += rows
        if self._read >= _ROWS_HELD:
            self.release()

    def release(self) -> None:
        """Give all pages back that lie within the array alone."""
        self._read = 0
        first = -(-self.start // mmap.PAGESIZE) * mmap.PAGESIZE
        size = (self.start + self.size - first) // mmap.PAGESIZE * mmap.PAGESIZE
        if size > 0 and hasattr(mmap, "MADV_DONTNEED"):
            self.mapped.madvise(mmap.MADV_DONTNEED, first, size)
