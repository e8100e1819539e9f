"""Whether rows stand in the index as the store has them.

Law: a row is sound when all the index keeps of it is what would be kept if it were folded now: facts, id, tags,
mentions, vector and words alike. A fault names no word of a memory.

Source: DESIGN 4 ("`doctor` proves it").
"""

from collections.abc import Iterable
from dataclasses import fields

import numpy as np

from voice.adapters.index.entries import Entry, Key
from voice.adapters.index.facts import Facts
from voice.adapters.index.folding import Batch
from voice.adapters.index.part import Part
from voice.adapters.index.postings import MAX_COUNT
from voice.adapters.index.segment import Segment, build_segment
from voice.adapters.index.snapshot import Snapshot


def unsound_rows(snapshot: Snapshot, batch: Batch, dim: int) -> list[Key]:
    """Return the keys of the rows of the batch that do not stand in the snapshot as the batch has them."""
    standing = {entry.key: entry for entry in batch.entries}
    return [key for key in batch.keys if not _is_sound(snapshot.live_row(key), standing.get(key), dim)]


def _is_sound(place: tuple[Part, int] | None, entry: Entry | None, dim: int) -> bool:
    if place is None or entry is None:
        return place is None and entry is None
    part, row = place
    return _is_same(part.segment, row, build_segment([entry], dim)) and _has_words(part.segment, row, entry)


def _is_same(segment: Segment, row: int, alone: Segment) -> bool:
    facts = (
        np.array_equal(getattr(segment.facts, name)[..., row], getattr(alone.facts, name)[..., 0])
        for name in (field.name for field in fields(Facts))
    )
    lists = (
        np.array_equal(there.of(row), here.of(0))
        for there, here in (
            (segment.tags, alone.tags),
            (segment.mentions, alone.mentions),
            (segment.spoken, alone.spoken),
        )
    )
    is_named = segment.row_id(row) == alone.row_id(0)
    return is_named and segment.vector_of(row) == alone.vector_of(0) and all(facts) and all(lists)


def _has_words(segment: Segment, row: int, entry: Entry) -> bool:
    """Return whether the row holds the entry's terms; with the same `length` it then holds no others."""
    return all(min(count, MAX_COUNT) in _counts(segment, row, term) for term, count in entry.terms.items())


def _counts(segment: Segment, row: int, term: int) -> Iterable[int]:
    rows, counts = segment.postings.of(term)
    place = np.searchsorted(rows, np.uint32(row))
    return counts[place : place + 1][rows[place : place + 1] == row].tolist()
