"""Columns of a segment: facts per row, ragged lists, postings of terms.

Law: rows of one term ascend; equal rows give equal arrays. BM25 scores are not stored: statistics are those of all live
rows at query time, so they do not depend on the index's history.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, Final, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import Entry
from voice.adapters.index.terms import Term

Value = TypeVar("Value", bound=np.generic)
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged(Generic[Value]):
    """Ragged array: list `i` is `values[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.uint64]
    values: NDArray[Value]

    def of(self, number: int) -> NDArray[Value]:
        """Return list `number`."""
        return self.values[int(self.starts[number]) : int(self.starts[number + 1])]

    def owners(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return for each index into `values` the list it belongs to."""
        return np.searchsorted(self.starts, places.astype(np.uint64), "right") - 1

    def kept(self, mask: Mask) -> "Ragged[Value]":
        """Return the lists selected by `mask`."""
        lengths = np.diff(self.starts.astype(np.int64))
        return Ragged(starts_of(lengths[mask]), self.values[np.repeat(mask, lengths)])


def ragged(lists: Sequence[Sequence[int]], dtype: type[Value]) -> Ragged[Value]:
    """Flatten lists into a ragged array."""
    flat = [value for values in lists for value in values]
    return Ragged(starts_of([len(values) for values in lists]), np.array(flat, dtype=dtype))


def joined(parts: Iterable[Ragged[Value]]) -> Ragged[Value]:
    """Concatenate at least one ragged array."""
    several = list(parts)
    lengths = np.concatenate([np.diff(part.starts.astype(np.int64)) for part in several])
    return Ragged(starts_of(lengths), np.concatenate([part.values for part in several]))


def starts_of(lengths: Sequence[int] | NDArray[Any]) -> NDArray[np.uint64]:
    """Return the start of each list, and the end of the last."""
    starts = np.zeros(len(lengths) + 1, dtype=np.uint64)
    np.cumsum(lengths, out=starts[1:])
    return starts


Keys = NDArray[np.uint64]
SCOPE_DIMENSIONS = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facts:
    """Columns over the rows of a segment."""

    flags: NDArray[np.uint8]
    created_us: NDArray[np.int64]
    seq: NDArray[np.int64]
    scope: Keys
    """One row per scope dimension."""
    speaker: Keys
    name: Keys
    owner: Keys
    """Timeline of the row: table and scope; 0 for an unsearchable row."""
    length: NDArray[np.uint32]
    """Number of terms, with repetitions; 0 if not searchable by words."""
    key: Keys
    says: Keys
    """Text key; 0 if unknown."""
    trust: NDArray[np.uint8]
    """Rank of its trust."""

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Self:
        """Build the facts of `entries`, in order."""
        scope = np.array([entry.scope for entry in entries], dtype=np.uint64).reshape(-1, SCOPE_DIMENSIONS)
        return cls(
            flags=np.array([entry.flags for entry in entries], dtype=np.uint8),
            created_us=np.array([entry.created_us for entry in entries], dtype=np.int64),
            seq=np.array([entry.seq for entry in entries], dtype=np.int64),
            scope=np.ascontiguousarray(scope.T),
            speaker=np.array([entry.speaker for entry in entries], dtype=np.uint64),
            name=np.array([entry.name for entry in entries], dtype=np.uint64),
            owner=np.array([entry.owner for entry in entries], dtype=np.uint64),
            length=np.array([sum(entry.terms.values()) for entry in entries], dtype=np.uint32),
            key=np.array([entry.key for entry in entries], dtype=np.uint64),
            says=np.array([entry.says for entry in entries], dtype=np.uint64),
            trust=np.array([entry.trust for entry in entries], dtype=np.uint8),
        )

    @classmethod
    def joined(cls, parts: Sequence["Facts"], kept: Sequence[Mask]) -> Self:
        """Concatenate the kept rows of all parts."""
        pairs = list(zip(parts, kept, strict=True))
        return cls(
            **{
                field.name: np.concatenate([getattr(part, field.name)[..., mask] for part, mask in pairs], axis=-1)
                for field in fields(cls)
            }
        )


MAX_COUNT: Final = 65_535


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Postings in CSR form: term `i` is in `rows[starts[i]:starts[i + 1]]`, with `counts`."""

    terms: NDArray[np.uint64]
    """Ascending."""
    starts: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint16]

    def of(self, term: Term) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        """Return the rows with `term`, ascending, and their counts."""
        wanted = np.uint64(term)
        place = int(self.terms.searchsorted(wanted))
        if place == len(self.terms) or self.terms[place] != wanted:
            return self.rows[:0], self.counts[:0]
        start, end = int(self.starts[place]), int(self.starts[place + 1])
        return self.rows[start:end], self.counts[start:end]

    def spans(self, terms: NDArray[np.uint64]) -> list[tuple[int, int]]:
        """Return the span of each term in `rows`; empty if absent."""
        if not len(self.terms):
            return [(0, 0)] * len(terms)
        place = self.terms.searchsorted(terms)
        is_there: NDArray[np.bool_] = self.terms.take(place, mode="clip") == terms
        starts, ends = self.starts.take(place), self.starts.take(place + is_there.astype(np.intp))
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def loose(self) -> "UngroupedPostings":
        """Return one (term, row, count) per posting."""
        lengths = np.diff(self.starts.astype(np.int64))
        return UngroupedPostings(np.repeat(self.terms, lengths), self.rows, self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class UngroupedPostings:
    """Postings not yet grouped; the rows of each term ascend."""

    terms: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint16]

    def kept(self, mask: Mask, numbers: NDArray[np.uint32]) -> "UngroupedPostings":
        """Return the postings of rows in `mask`, with row `r` renumbered to `numbers[r]`."""
        keep = mask[self.rows]
        return UngroupedPostings(self.terms[keep], numbers[self.rows[keep]], self.counts[keep])


def postings_of(entries: Sequence[Entry]) -> Postings:
    """Build the postings of rows 0, 1, 2 …"""
    sizes = [len(entry.terms) for entry in entries]
    total = sum(sizes)
    terms = np.fromiter(chain.from_iterable(entry.terms for entry in entries), np.uint64, total)
    counts = np.fromiter(chain.from_iterable(entry.terms.values() for entry in entries), np.int64, total)
    rows = np.repeat(np.arange(len(entries), dtype=np.uint32), sizes)
    return grouped([UngroupedPostings(terms, rows, np.minimum(counts, MAX_COUNT).astype(np.uint16))])


def grouped(parts: Sequence[UngroupedPostings]) -> Postings:
    """Group postings by term; rows must ascend from part to part."""
    terms = np.concatenate([part.terms for part in parts])
    order = np.argsort(terms, kind="stable")
    terms = terms[order]
    is_first = np.ones(len(terms), dtype=np.bool_)
    is_first[1:] = terms[1:] != terms[:-1]
    firsts = np.flatnonzero(is_first)
    return Postings(
        terms=terms[firsts],
        starts=np.append(firsts, len(terms)).astype(np.uint64),
        rows=np.concatenate([part.rows for part in parts])[order],
        counts=np.concatenate([part.counts for part in parts])[order],
    )
