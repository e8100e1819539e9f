"""What a search sees: all parts, and the line of their rows.

Law: a snapshot never changes; a fold makes the next one. So a search needs no lock and is never torn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.line import Line
from voice.adapters.index.part import Part, offsets_of
from voice.adapters.index.picked import Picked, Places
from voice.adapters.index.ragged import Mask


class Lined(NamedTuple):
    """Parts whose line was made."""

    parts: tuple[Part, ...]
    line: Line


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """All parts, and the change sequence they stand for."""

    parts: tuple[Part, ...] = ()
    folded_seq: int = 0
    lined: Lined | None = None
    """The parts before these whose line was asked for last; the line of these is made from it."""

    @cached_property
    def line(self) -> Line:
        """Every live row in the order of time; made when asked for, so all folds between two questions pay once."""
        if self.lined is None:
            return Line.of(self.parts)
        return self.lined.line.after(self.lined.parts, self.parts)

    @property
    def has_line(self) -> bool:
        """Whether the line was made."""
        return "line" in self.__dict__

    @cached_property
    def offsets(self) -> Places:
        """The place of each part's first row, and the number of all rows."""
        return np.array(offsets_of(self.parts), dtype=np.intp)

    @cached_property
    def live(self) -> Mask:
        """By place, which rows are live."""
        return np.concatenate([part.live for part in self.parts])

    @cached_property
    def dead(self) -> NDArray[np.uint32]:
        """The places of the rows that are not, ascending."""
        found = [
            span.start + np.flatnonzero(~part.live) for part, span in self.spans() if part.live_rows < len(part.live)
        ]
        return np.concatenate(found).astype(np.uint32) if found else np.empty(0, dtype=np.uint32)

    def spans(self) -> Iterator[tuple[Part, slice]]:
        """Yield each part with the places of its rows."""
        offsets = self.offsets.tolist()
        return ((part, slice(*span)) for part, span in zip(self.parts, pairwise(offsets), strict=True))

    def picked(self, places: Places) -> Picked:
        """Return the rows at some places, in any order."""
        return Picked.of(self.parts, self.offsets, places)

    def followed_by(self, parts: Sequence[Part], folded_seq: int) -> "Snapshot":
        """Return the snapshot after this one, or this one with the same rows read from elsewhere."""
        lined = Lined(self.parts, self.line) if self.has_line else self.lined
        return Snapshot(parts=tuple(parts), folded_seq=folded_seq, lined=lined)

    def live_row(self, key: int) -> tuple[Part, int] | None:
        """Return where the live row of `key` stands."""
        for part in self.parts:
            rows = part.segment.keys.find(np.array([key], dtype=np.uint64))
            for row in rows[part.live[rows]].tolist():
                return part, row
        return None
