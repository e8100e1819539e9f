"""A segment: columns and vectors of some rows, immutable once built.

Law: arrays only, a function of the rows in order; merging keeps order, so results do not depend on merge history. A
sketch keeps `scale * codes` (int8) and the error's length per vector; by Cauchy-Schwarz the cosine is at most `scale *
q.scale * (codes . q.codes) + error + q.error * (1 + error)`, so a bound never underestimates. Mapped pages are released
after enough random reads, so that they do not count as the process's memory.
Source: DESIGN 4, 5; docs/adr/0003-search-index.md (measured against other ways).
"""

import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np
import simsimd
from numpy.typing import NDArray

from voice.adapters.index.columns import (
    Entry,
    Facts,
    Flag,
    Keys,
    Mask,
    Postings,
    Ragged,
    grouped,
    joined,
    postings_of,
    ragged,
)

_ROWS_HELD: Final = 1024  # row of 384 numbers spans at most two pages: up to 8 MB per segment


@dataclass(slots=True)
class MappedArray:
    """The bytes of one array in a mapped file."""

    mapped: mmap.mmap
    start: int
    size: int
    _read: int = field(default=0, init=False)

    def read_at_random(self) -> None:
        """Disable read-ahead, since a search reads single rows."""
        self._advise("MADV_RANDOM")

    def note(self, rows: int) -> None:
        """Count rows read, and release pages after `_ROWS_HELD`."""
        self._read += rows
        if self._read >= _ROWS_HELD:
            self.release()

    def release(self) -> None:
        """Release the pages that belong to the array alone."""
        self._read = 0
        self._advise("MADV_DONTNEED")

    def _advise(self, advice: str) -> None:
        # Whole pages only: the others hold bytes of other arrays.
        first = -(-self.start // mmap.PAGESIZE) * mmap.PAGESIZE
        size = (self.start + self.size - first) // mmap.PAGESIZE * mmap.PAGESIZE
        if size > 0 and hasattr(mmap, advice):  # not every system has each advice
            self.mapped.madvise(int(getattr(mmap, advice)), first, size)


_LEVELS: Final = 127  # of an int8, without its lowest value
_SLACK: Final = 1e-6  # float32 rounding, on top of a sketch's error
_CHUNK: Final = 4_096

Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class QuantisedVectors:
    """Unit vectors quantised to 255 steps, one per row."""

    codes: NDArray[np.int8]
    scales: Numbers
    errors: Numbers
    """Length of each difference to `scale * codes`, rounded up."""

    @classmethod
    def of(cls, matrix: Numbers) -> Self:
        """Quantise unit vectors."""
        codes = np.empty(matrix.shape, dtype=np.int8)
        scales = np.empty(len(matrix), dtype=np.float32)
        errors = np.empty(len(matrix), dtype=np.float32)
        for start in range(0, len(matrix), _CHUNK):
            part = slice(start, start + _CHUNK)
            _fill(matrix[part], codes[part], scales[part], errors[part])
        return cls(codes, scales, errors)

    def taken(self, places: NDArray[np.intp]) -> Self:
        """Return the vectors at `places`."""
        return type(self)(self.codes[places], self.scales[places], self.errors[places])

    def bounds(self, question: "QuantisedVectors", out: Numbers) -> None:
        """Write upper bounds of the cosines with the one vector of `question` to `out`."""
        if not len(out):
            return
        # Never with `out`: then cdist takes a reference to None away, and Python 3.11 ends when none is left.
        products = np.asarray(simsimd.cdist(question.codes, self.codes, metric="dot", out_dtype="float32"))
        error = question.errors[0]
        np.multiply(products[0], self.scales, out=out)
        np.multiply(out, question.scales[0], out=out)
        np.add(out, self.errors * (np.float32(1.0) + error), out=out)
        np.add(out, error + np.float32(_SLACK), out=out)


def _fill(matrix: Numbers, codes: NDArray[np.int8], scales: Numbers, errors: Numbers) -> None:
    scales[:] = np.abs(matrix).max(axis=1, initial=0.0) / _LEVELS
    steps = np.where(scales > 0.0, scales, np.float32(1.0))[:, None]  # a vector of zeros has no scale
    rounded = np.rint(matrix / steps)
    codes[:] = rounded
    left = matrix - rounded * scales[:, None]
    # Rounded up beyond float32's error.
    errors[:] = np.sqrt(np.vecdot(left, left)) * np.float32(1.0 + 1e-5) + np.float32(1e-7)


_LENGTH_ERROR: Final = 1e-4
Rows = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class SortedKeys:
    """Row keys in ascending order, with their rows."""

    keys: Keys
    rows: Rows

    @classmethod
    def of(cls, keys: Keys) -> Self:
        """Sort the keys of rows 0, 1, 2 …"""
        order = np.argsort(keys, kind="stable").astype(np.uint32)
        return cls(keys[order], order)

    def find(self, wanted: Keys) -> NDArray[np.intp]:
        """Return the rows whose key is in `wanted`."""
        if not len(self.keys):
            return np.empty(0, dtype=np.intp)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return self.rows[place[self.keys[place] == wanted]].astype(np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vector `i` is `matrix[i]`, sketched in `sketch`, of row `rows[i]`; rows ascend."""

    rows: Rows
    matrix: NDArray[np.float32]
    sketch: QuantisedVectors
    lease: MappedArray | None = None
    """The mapped matrix; None in memory."""

    def taken(self, places: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the vectors at `places`."""
        found = self.matrix[places]
        if self.lease is not None:
            self.lease.note(len(places))
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segment:
    """Everything the index has of some rows."""

    facts: Facts
    keys: SortedKeys
    ids: Ragged[np.uint8]
    tags: Ragged[np.uint64]
    mentions: Ragged[np.uint64]
    spoken: Ragged[np.int32]
    """Alternating first and last day of each mentioned time."""
    moments: Rows
    """Searchable rows by (owner, time, id)."""
    vectors: Vectors
    postings: Postings

    @property
    def size(self) -> int:
        """Number of rows, dead ones included."""
        return len(self.facts.flags)

    def row_id(self, row: int) -> str:
        """Return the id of `row`."""
        return self.id_bytes(row).decode("utf-8", "surrogatepass")

    def row_ids(self, rows: Rows) -> list[str]:
        """Return the ids of `rows`."""
        starts, ends = self.ids.starts[rows].tolist(), self.ids.starts[rows + np.uint32(1)].tolist()
        values = self.ids.values
        return [
            values[start:end].tobytes().decode("utf-8", "surrogatepass")
            for start, end in zip(starts, ends, strict=True)
        ]

    def id_bytes(self, row: int) -> bytes:
        """Return a row's id as bytes, which sort like the text."""
        return self.ids.of(row).tobytes()

    def vector_of(self, row: int) -> bytes | None:
        """Return the stored vector of `row`; None if there is none."""
        place = int(np.searchsorted(self.vectors.rows, row))
        if place == len(self.vectors.rows) or self.vectors.rows[place] != row:
            return None
        return self.vectors.matrix[place].tobytes()


def build_segment(entries: Sequence[Entry], dim: int) -> Segment:
    """Build a segment of `entries`, in order; keys must be distinct."""
    facts = Facts.of(entries)
    on_line = [row for row, entry in enumerate(entries) if entry.owner]
    on_line.sort(key=lambda row: (entries[row].owner, entries[row].created_us, _id_bytes(entries[row].row_id)))
    return Segment(
        facts=facts,
        keys=SortedKeys.of(facts.key),
        ids=ragged([_id_bytes(entry.row_id) for entry in entries], np.uint8),
        tags=ragged([entry.tags for entry in entries], np.uint64),
        mentions=ragged([entry.mentions for entry in entries], np.uint64),
        spoken=ragged([entry.spoken for entry in entries], np.int32),
        moments=np.array(on_line, dtype=np.uint32),
        vectors=_vectors_of(entries, dim),
        postings=postings_of(entries),
    )


def merge_segments(segments: Sequence[Segment], flags: Sequence[NDArray[np.uint8]]) -> Segment:
    """Merge the live rows of segments, in order; `flags` are their current flags."""
    live = [(column & Flag.DEAD) == 0 for column in flags]
    pairs = list(zip(segments, live, strict=True))
    numbers = _renumbered(live)
    facts = Facts.joined([segment.facts for segment in segments], live)
    loose = [segment.postings.loose() for segment in segments]
    ids = joined(segment.ids.kept(mask) for segment, mask in pairs)
    moments = [new[segment.moments[mask[segment.moments]]] for (segment, mask), new in zip(pairs, numbers, strict=True)]
    return Segment(
        facts=facts,
        keys=SortedKeys.of(facts.key),
        ids=ids,
        tags=joined(segment.tags.kept(mask) for segment, mask in pairs),
        mentions=joined(segment.mentions.kept(mask) for segment, mask in pairs),
        spoken=joined(segment.spoken.kept(mask) for segment, mask in pairs),
        moments=_by_moment(np.concatenate(moments), facts, ids),
        vectors=_merged_vectors(segments, live, numbers),
        postings=grouped([part.kept(mask, new) for part, mask, new in zip(loose, live, numbers, strict=True)]),
    )


def _id_bytes(row_id: str) -> bytes:
    return row_id.encode("utf-8", "surrogatepass")


def _vectors_of(entries: Sequence[Entry], dim: int) -> Vectors:
    given = [(row, entry.vector) for row, entry in enumerate(entries) if entry.vector is not None]
    # Little-endian, as vectors are stored.
    raw = np.frombuffer(b"".join(vector for _, vector in given), dtype="<f4").reshape(-1, dim)
    rows, matrix = np.array([row for row, _ in given], dtype=np.uint32), _of_unit_length(raw)
    has_direction = np.isfinite(matrix).all(axis=1)
    if not has_direction.all():  # of a zero vector, or not finite
        rows, matrix = rows[has_direction], matrix[has_direction]
    return Vectors(rows, matrix, QuantisedVectors.of(matrix))


def _of_unit_length(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Normalise vectors; those of length 1 up to float error keep their bits."""
    lengths = np.sqrt(np.vecdot(matrix, matrix, dtype=np.float64))
    is_long = np.abs(lengths - 1.0) > _LENGTH_ERROR
    if not is_long.any():
        return matrix
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(is_long[:, None], matrix / lengths[:, None], matrix).astype(np.float32)


def _renumbered(live: Sequence[Mask]) -> list[Rows]:
    """Return the new number of each old row; undefined for dead rows."""
    numbers: list[Rows] = []
    before = 0
    for mask in live:
        count = np.cumsum(mask, dtype=np.int64)
        numbers.append((before + np.maximum(count - 1, 0)).astype(np.uint32))  # not -1 for a dead row at the start
        before += int(count[-1]) if len(count) else 0
    return numbers


def _by_moment(rows: Rows, facts: Facts, ids: Ragged[np.uint8]) -> Rows:
    """Sort rows by (owner, time, id), reading ids only for ties."""
    order = np.lexsort((facts.created_us[rows], facts.owner[rows]))
    rows = rows[order]
    owner, moment = facts.owner[rows], facts.created_us[rows]
    ties = np.flatnonzero((owner[1:] == owner[:-1]) & (moment[1:] == moment[:-1]))
    if len(ties):
        tied = np.union1d(ties, ties + 1)
        rank = np.zeros(len(rows), dtype=np.int64)
        names = [ids.of(row).tobytes() for row in rows[tied].tolist()]
        rank[tied] = ranks_by(names.__getitem__, len(names))
        rows = rows[np.lexsort((rank, moment, owner))]
    return rows


def ranks_by(id_of: Callable[[int], bytes], size: int) -> NDArray[np.int64]:
    """Return the rank of each of `size` numbers by its id."""
    ranks = np.empty(size, dtype=np.int64)
    ranks[sorted(range(size), key=id_of)] = np.arange(size)
    return ranks


def _merged_vectors(segments: Sequence[Segment], live: Sequence[Mask], numbers: Sequence[Rows]) -> Vectors:
    parts = [segment.vectors for segment in segments]
    kept = [np.flatnonzero(mask[part.rows]) for part, mask in zip(parts, live, strict=True)]
    pairs = list(zip(parts, kept, strict=True))
    matrix = np.empty((sum(len(places) for places in kept), parts[0].matrix.shape[1]), dtype=np.float32)
    start = 0
    for part, places in pairs:
        # `clip` writes straight into `out`; the default makes a copy first.
        np.take(part.matrix, places, axis=0, out=matrix[start : start + len(places)], mode="clip")
        start += len(places)
        if part.lease is not None:
            part.lease.release()
    return Vectors(
        np.concatenate([new[part.rows[places]] for (part, places), new in zip(pairs, numbers, strict=True)]),
        matrix,
        QuantisedVectors(
            np.concatenate([part.sketch.codes[places] for part, places in pairs]),
            np.concatenate([part.sketch.scales[places] for part, places in pairs]),
            np.concatenate([part.sketch.errors[places] for part, places in pairs]),
        ),
    )
