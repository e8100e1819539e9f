"""Which rows hold which term, and how often.

Law: rows of one term ascend; the same rows give the same arrays. Scores are not stored: BM25's statistics are those of
all live rows at the time of the question, so a score does not depend on how the index came to be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import Entry
from voice.adapters.index.ragged import Mask
from voice.adapters.index.terms import Term

MAX_COUNT: Final = 65_535


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Term `i` occurs `counts[starts[i]:starts[i + 1]]` times in the rows `rows[starts[i]:starts[i + 1]]`."""

    terms: NDArray[np.uint64]
    """Ascending."""
    starts: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint16]

    def of(self, term: Term) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        """Return the rows that hold `term`, ascending, and how often each does."""
        wanted = np.uint64(term)
        place = int(self.terms.searchsorted(wanted))
        if place == len(self.terms) or self.terms[place] != wanted:
            return self.rows[:0], self.counts[:0]
        start, end = int(self.starts[place]), int(self.starts[place + 1])
        return self.rows[start:end], self.counts[start:end]

    def spans(self, terms: NDArray[np.uint64]) -> list[tuple[int, int]]:
        """Return where the rows of each term begin and end; an empty span for one that no row holds."""
        if not len(self.terms):
            return [(0, 0)] * len(terms)
        place = self.terms.searchsorted(terms)
        is_there: NDArray[np.bool_] = self.terms.take(place, mode="clip") == terms
        starts, ends = self.starts.take(place), self.starts.take(place + is_there.astype(np.intp))
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def loose(self) -> "LoosePostings":
        """Return one (term, row, count) each."""
        lengths = np.diff(self.starts.astype(np.int64))
        return LoosePostings(np.repeat(self.terms, lengths), self.rows, self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class LoosePostings:
    """Postings not yet grouped; the rows of one term ascend."""

    terms: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint16]

    def kept(self, mask: Mask, numbers: NDArray[np.uint32]) -> "LoosePostings":
        """Return the postings of rows in `mask`, with row `r` called `numbers[r]`."""
        keep = mask[self.rows]
        return LoosePostings(self.terms[keep], numbers[self.rows[keep]], self.counts[keep])


def postings_of(entries: Sequence[Entry]) -> Postings:
    """Return the postings of rows 0, 1, 2 …"""
    sizes = [len(entry.terms) for entry in entries]
    total = sum(sizes)
    terms = np.fromiter(chain.from_iterable(entry.terms for entry in entries), np.uint64, total)
    counts = np.fromiter(chain.from_iterable(entry.terms.values() for entry in entries), np.int64, total)
    rows = np.repeat(np.arange(len(entries), dtype=np.uint32), sizes)
    return grouped([LoosePostings(terms, rows, np.minimum(counts, MAX_COUNT).astype(np.uint16))])


def grouped(parts: Sequence[LoosePostings]) -> Postings:
    """Return all postings grouped by term; the parts' rows must ascend from part to part."""
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
