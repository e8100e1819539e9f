"""Some rows, each part's together.

Law: rows are numbered through all parts by their places; whatever is read of some of them is read part by part, once
split for all that is asked of them, and stands in the order in which they were asked for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.part import Part

Places = NDArray[np.intp]
"""Rows numbered through all parts."""
Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """What of some rows lies in one part."""

    number: int
    part: Part
    mine: Places
    """Which of the rows these are."""
    rows: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """Rows at some places, in pieces."""

    places: NDArray[np.uint32]
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, parts: Sequence[Part], offsets: Places, places: Places) -> Self:
        """Return the rows at `places`, in any order; `offsets` are the places of the parts' first rows and the end."""
        return cls(places.astype(np.uint32), tuple(_pieces(parts, offsets, places)))

    @property
    def size(self) -> int:
        """How many rows these are."""
        return len(self.places)

    def column(self, read: Callable[[Part], NDArray[Value]], dtype: type[Value]) -> NDArray[Value]:
        """Return the rows' values of a column of each part."""
        found = np.empty(self.size, dtype=dtype)
        for piece in self.pieces:
            found[piece.mine] = read(piece.part)[piece.rows]
        return found

    def lengths(self) -> NDArray[np.uint32]:
        """Return how many terms each row has."""
        return self.column(lambda part: part.segment.facts.length, np.uint32)

    def created_us(self) -> NDArray[np.int64]:
        """Return when each row was made."""
        return self.column(lambda part: part.segment.facts.created_us, np.int64)

    def says(self) -> NDArray[np.uint64]:
        """Return the key of what each row says."""
        return self.column(lambda part: part.segment.facts.says, np.uint64)

    def trust(self) -> NDArray[np.uint8]:
        """Return how far each row can be trusted."""
        return self.column(lambda part: part.segment.facts.trust, np.uint8)

    def ids(self) -> list[str]:
        """Return the rows' ids."""
        found = [""] * self.size
        for piece in self.pieces:
            for place, row_id in zip(piece.mine.tolist(), piece.part.segment.row_ids(piece.rows), strict=True):
                found[place] = row_id
        return found


def _pieces(parts: Sequence[Part], offsets: Places, places: Places) -> Iterator[Piece]:
    if not len(places):
        return
    if len(parts) == 1:
        yield Piece(0, parts[0], np.arange(len(places)), places.astype(np.uint32))
        return
    numbers = offsets.searchsorted(places, "right") - 1
    order = numbers.argsort(kind="stable")
    edges = numbers.take(order).searchsorted(np.arange(len(parts) + 1)).tolist()
    for number, part in enumerate(parts):
        start, end = edges[number], edges[number + 1]
        if start < end:
            mine = order[start:end]
            yield Piece(number, part, mine, (places.take(mine) - offsets[number]).astype(np.uint32))
