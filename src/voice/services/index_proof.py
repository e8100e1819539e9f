"""Is what the index finds what the store holds? Some rows are asked for, each by its own words and its own vector.

Law: the rows are the store's, spread evenly over all its changes and the same every time; nothing of the index is
believed but its answers. A row that may be found must be found, with a cosine of 1 to the vector the store holds and by
the words the store holds. Rows that say the same at the same moment are equal: where more of them are found than an
answer holds, each stands for the others. Counts are compared elsewhere (`VerifiableIndex.faults`): they see what is too
much or too little, this sees what is other.

Source: DESIGN 4 ("doctor proves it").
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from voice.core.graph.links import says_nothing
from voice.core.records import Row, Table, table_of
from voice.core.retrieval.indexed_text import indexed_text
from voice.core.retrieval.values import Hit, RowFilter, Window
from voice.core.retrieval.visibility import admits
from voice.core.text.instants import is_told
from voice.ports.embedder import Embedder
from voice.ports.search_index import IndexQuery, SearchIndex
from voice.ports.stores import Change, MemoryStore

SAMPLE: Final = 64
"""Rows asked for at most: a share of 5 % that is wrong goes unseen once in 27 times, one of 10 % once in 800."""
AT_ONE_INSTANT: Final = 500
"""Rows of one moment that are looked at for one; imports give whole files one date."""
_TEXT: Final = 400
_SAME: Final = 0.9999
_EVERYTHING: Final = RowFilter(tables=frozenset(Table), include_private=True, include_superseded=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What came of asking."""

    asked: int
    """Rows that were asked for."""
    asked_by_vector: int
    """Rows among them that were asked for by their vector; one of another encoder cannot be."""
    faults: tuple[str, ...]


async def prove_index(store: MemoryStore, index: SearchIndex, embedder: Embedder) -> Proof:
    """Ask the index, which has caught up, for some of the store's rows.

    Raises:
        StoreError: the store or the index cannot be read.
    """
    asked, asked_by_vector, faults = 0, 0, list[str]()
    async for change, row in _spread(store):
        vector = change.vector
        is_comparable = vector is not None and (vector.model, vector.dim) == (embedder.model, embedder.dim)
        if says_nothing(row) or not (is_comparable or _has_words(row)):
            continue
        hit = await _asked(index, row, vector.data if vector is not None and is_comparable else None)
        asked, asked_by_vector = asked + 1, asked_by_vector + is_comparable
        if fault := _fault(hit, row, is_comparable=is_comparable):
            faults.append(fault)
    return Proof(asked=asked, asked_by_vector=asked_by_vector, faults=tuple(faults))


async def _spread(store: MemoryStore) -> AsyncIterator[tuple[Change, Row]]:
    """Yield rows that may be found, once each, evenly over the store's changes, the newest among them."""
    last = (await store.head()).last_seq
    seen = set[str]()
    for place in range(min(SAMPLE, last)):
        for change in await store.changes((place + 1) * last // min(SAMPLE, last) - 1, 1):
            if change.row is not None and change.row_id not in seen and admits(_EVERYTHING, change.row):
                seen.add(change.row_id)
                yield change, change.row


async def _asked(index: SearchIndex, row: Row, vector: bytes | None) -> Hit | None:
    is_dated = is_told(row.created_at)
    moment = Window(start=row.created_at, end=row.created_at + timedelta(microseconds=1)) if is_dated else Window()
    query = IndexQuery(
        filter=RowFilter(
            tables=_EVERYTHING.tables, window=moment, include_private=row.is_private, include_superseded=True
        ),
        vector=vector,
        text=_own_words(row),
        weights=(0.5, 0.5),
        limit=AT_ONE_INSTANT,
    )
    hits = [hit for hit in (await index.search(query)).hits if hit.table is table_of(row.id)]
    return next((hit for hit in hits if hit.row_id == row.id), _standing_for(hits))


def _standing_for(hits: Sequence[Hit]) -> Hit | None:
    """Return a hit in place of a row that the answer has no room for, where all in it are the row's equals."""
    is_full = len(hits) == AT_ONE_INSTANT
    are_equal = all((hit.cosine is None or hit.cosine >= _SAME) and hit.lexical == hits[0].lexical for hit in hits)
    return hits[-1] if is_full and are_equal else None


def _fault(hit: Hit | None, row: Row, *, is_comparable: bool) -> str | None:
    if hit is None:
        return f"{row.id} is stored, and the index does not find it"
    if is_comparable and (hit.cosine is None or hit.cosine < _SAME):
        return f"{row.id} has another vector in the index than in the store"
    if hit.lexical == 0.0 and _has_words(row):
        return f"{row.id} has other words in the index than in the store"
    return None


def _has_words(row: Row) -> bool:
    return any(char.isalnum() for char in _own_words(row))


def _own_words(row: Row) -> str:
    """Return what the row is found by, without the date, which rows share."""
    return indexed_text(row, {}).partition("] ")[2][:_TEXT]
