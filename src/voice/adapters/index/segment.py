"""A segment: some rows' facts, vectors and postings, never changed once built.

Law: a segment is arrays only, each a function of its rows in their order. Merging keeps the live rows in that order, so
what a search returns does not depend on how often the index was merged. Nothing here knows of files.

Source: DESIGN 4 ("derived, rebuildable").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import MOMENT_KEY_BYTES, Entry, Flag
from voice.adapters.index.postings import Postings, grouped, postings_of
from voice.adapters.index.ragged import Mask, Ragged, joined, ragged

FACTS: Final = np.dtype(
    [
        ("flags", "u1"),
        ("created_us", "<i8"),
        ("seq", "<i8"),
        ("scope", "<u8", (4,)),
        ("speaker", "<u8"),
        ("name", "<u8"),
        ("length", "<u4"),
        ("key", "<u8"),
    ]
)
"""One record per row; `length` is its number of terms with repetitions, 0 where words cannot find it."""
_LENGTH_ERROR: Final = 1e-4
MOMENT_KEY: Final = np.dtype(f"S{MOMENT_KEY_BYTES}")
Rows = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Rows that can be found, in the order of their moment keys."""

    keys: NDArray[np.bytes_]
    rows: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vector `i` is `matrix[i]` and belongs to row `rows[i]`; rows ascend."""

    rows: Rows
    matrix: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segment:
    """Everything the index knows of some rows."""

    facts: NDArray[np.void]
    key_order: Rows
    """Rows in ascending order of their keys."""
    ids: Ragged[np.uint8]
    tags: Ragged[np.uint64]
    mentions: Ragged[np.uint64]
    timeline: Timeline
    vectors: Vectors
    postings: Postings

    @property
    def size(self) -> int:
        """Rows, dead ones included."""
        return len(self.facts)

    def row_id(self, row: int) -> str:
        """Return the id of `row`."""
        start, end = self.ids.starts[row], self.ids.starts[row + 1]
        return self.ids.values[int(start) : int(end)].tobytes().decode("utf-8", "surrogatepass")

    def rows_of_keys(self, keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return the rows, dead or not, whose key is among `keys`."""
        if self.size == 0:
            return np.empty(0, dtype=np.intp)
        ordered = self.facts["key"][self.key_order]
        place = np.minimum(np.searchsorted(ordered, keys), self.size - 1)
        return self.key_order[place[ordered[place] == keys]].astype(np.intp)

    def rows_mentioning(self, entity_keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return the rows, dead or not, whose indexed text holds the name of any of the entities."""
        return np.unique(self.mentions.owners(np.flatnonzero(np.isin(self.mentions.values, entity_keys))))

    def vector_of(self, row: int) -> bytes | None:
        """Return the vector of `row` as it was folded."""
        place = int(np.searchsorted(self.vectors.rows, row))
        if place == len(self.vectors.rows) or self.vectors.rows[place] != row:
            return None
        return self.vectors.matrix[place].tobytes()


def build_segment(entries: Sequence[Entry], dim: int) -> Segment:
    """Return the segment of `entries`, in their order; their keys must differ."""
    facts = np.array([_fact(entry) for entry in entries], dtype=FACTS)
    timeline = sorted((entry.moment_key, row) for row, entry in enumerate(entries) if entry.moment_key is not None)
    vectors = [(row, entry.vector) for row, entry in enumerate(entries) if entry.vector is not None]
    return Segment(
        facts=facts,
        key_order=_key_order(facts),
        ids=ragged([entry.row_id.encode("utf-8", "surrogatepass") for entry in entries], np.uint8),
        tags=ragged([entry.tags for entry in entries], np.uint64),
        mentions=ragged([entry.mentions for entry in entries], np.uint64),
        timeline=Timeline(
            np.array([key for key, _ in timeline], dtype=MOMENT_KEY),
            np.array([row for _, row in timeline], dtype=np.uint32),
        ),
        vectors=Vectors(
            np.array([row for row, _ in vectors], dtype=np.uint32),
            _of_unit_length(np.frombuffer(b"".join(vector for _, vector in vectors), dtype="<f4").reshape(-1, dim)),
        ),
        postings=postings_of(entries),
    )


def merge_segments(segments: Sequence[Segment], flags: Sequence[NDArray[np.uint8]]) -> Segment:
    """Return one segment of the live rows of several, in order; `flags` are the rows' flags as they stand now."""
    live = [(column & Flag.DEAD) == 0 for column in flags]
    pairs = list(zip(segments, live, strict=True))
    numbers = _renumbered(live)
    facts = np.concatenate([segment.facts[mask] for segment, mask in pairs])
    loose = [segment.postings.loose() for segment in segments]
    return Segment(
        facts=facts,
        key_order=_key_order(facts),
        ids=joined(segment.ids.kept(mask) for segment, mask in pairs),
        tags=joined(segment.tags.kept(mask) for segment, mask in pairs),
        mentions=joined(segment.mentions.kept(mask) for segment, mask in pairs),
        timeline=_merged_timeline(segments, live, numbers),
        vectors=_merged_vectors(segments, live, numbers),
        postings=grouped([part.kept(mask, new) for part, mask, new in zip(loose, live, numbers, strict=True)]),
    )


def _fact(entry: Entry) -> tuple[int, int, int, tuple[int, int, int, int], int, int, int, int]:
    length = sum(entry.terms.values())
    return (
        entry.flags, entry.created_us, entry.seq, entry.scope, entry.speaker, entry.name, length, entry.key,
    )  # fmt: skip


def _of_unit_length(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vectors with length 1; those that have it already, up to float error, keep their bits."""
    lengths = np.sqrt(np.vecdot(matrix, matrix, dtype=np.float64))
    is_long = np.abs(lengths - 1.0) > _LENGTH_ERROR
    return np.where(is_long[:, None], matrix / lengths[:, None], matrix).astype(np.float32)


def _key_order(facts: NDArray[np.void]) -> Rows:
    return np.argsort(facts["key"], kind="stable").astype(np.uint32)


def _renumbered(live: Sequence[Mask]) -> list[Rows]:
    """Return the new number of every old row; what it says of dead rows is not used."""
    numbers: list[Rows] = []
    before = 0
    for mask in live:
        count = np.cumsum(mask, dtype=np.int64)
        numbers.append((before + np.maximum(count - 1, 0)).astype(np.uint32))
        before += int(count[-1]) if len(count) else 0
    return numbers


def _merged_timeline(segments: Sequence[Segment], live: Sequence[Mask], numbers: Sequence[Rows]) -> Timeline:
    kept = [mask[segment.timeline.rows] for segment, mask in zip(segments, live, strict=True)]
    keys = np.concatenate([segment.timeline.keys[keep] for segment, keep in zip(segments, kept, strict=True)])
    rows = np.concatenate(
        [new[segment.timeline.rows[keep]] for segment, keep, new in zip(segments, kept, numbers, strict=True)]
    )
    order = np.argsort(keys, kind="stable")
    return Timeline(keys[order], rows[order])


def _merged_vectors(segments: Sequence[Segment], live: Sequence[Mask], numbers: Sequence[Rows]) -> Vectors:
    kept = [mask[segment.vectors.rows] for segment, mask in zip(segments, live, strict=True)]
    return Vectors(
        np.concatenate(
            [new[segment.vectors.rows[keep]] for segment, keep, new in zip(segments, kept, numbers, strict=True)]
        ),
        np.concatenate([segment.vectors.matrix[keep] for segment, keep in zip(segments, kept, strict=True)]),
    )
