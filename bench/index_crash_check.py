"""Is the index what its store says? Every row and every score, by the plain definitions.

Law: the truth is taken from the store's own changes and computed here, in float64, row by row; the index's terms and
constants are all that is used of it. A row the index finds and the store has not is stale, as is one with another
score; a row that should be found and is not is missing.
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import Final

import numpy as np

from bench.index_crash_worker import DIM, make_thresholds_small, open_both
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.query import K1, B
from voice.adapters.index.terms import query_terms, row_terms
from voice.adapters.surreal.database import SurrealStores
from voice.core.records import Entity, Table
from voice.core.retrieval.ranking import WORDS_UNIT
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.values import Hit, RowFilter
from voice.ports.search_index import IndexQuery
from voice.ports.stores import Change

QUESTIONS: Final = ("violin", "harbour letter again", "Renamed7 garden", "Name1", "")
_EVERYTHING: Final = 10**6
_NEAR: Final = 3e-6
"""Scores are rounded to six places, cosines are taken in float32."""


@dataclass(slots=True)
class Looked:
    """What one look at store and index together showed."""

    rows: int = 0
    searches: int = 0
    opened_at: int = 0
    """The `seq` that the index stood at when it was opened, before it caught up."""
    missing: list[str] = field(default_factory=list[str])
    stale: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])


async def look(home: Path) -> Looked:
    """Open store and index anew, let the index catch up, and compare the two."""
    make_thresholds_small()
    stores, index = await open_both(home)
    looked = Looked()
    async with stores:
        looked.opened_at = (await index.status()).folded_seq
        await index.refresh()
        looked.faults = await index.faults()
        changes = [change async for change in _changes(stores)]
        looked.rows = len(changes)
        for number, question in enumerate(QUESTIONS):
            await _compare(index, changes, question, number, looked)
    return looked


async def _changes(stores: SurrealStores) -> AsyncIterator[Change]:
    page = await stores.memory.changes(0, 1000)
    while page:
        for change in page:
            if change.row is not None:
                yield change
        page = await stores.memory.changes(page[-1].seq, 1000)


async def _compare(index: FoldedIndex, changes: Sequence[Change], question: str, number: int, looked: Looked) -> None:
    vector = np.random.default_rng(number).standard_normal(DIM).astype("<f4")
    query = IndexQuery(
        filter=RowFilter(tables=frozenset(Table)),
        vector=vector.tobytes(),
        text=question,
        weights=(0.3, 0.7),
        limit=_EVERYTHING,
    )
    found = {hit.row_id: hit for hit in (await index.search(query)).hits}
    words, cosines = _bm25(changes, question), _cosines(changes, vector.astype(np.float64))
    looked.searches += 1
    looked.missing += [f"{row_id} for {question!r}" for row_id in cosines.keys() - found.keys()]
    looked.stale += [f"{row_id} for {question!r}" for row_id in found.keys() - cosines.keys()]
    looked.stale += [
        f"the scores of {row_id} for {question!r}"
        for row_id in found.keys() & cosines.keys()
        if not _agrees(found[row_id], cosines[row_id], words[row_id])
    ]


def _agrees(hit: Hit, cosine: float, words: float) -> bool:
    return hit.cosine is not None and abs(hit.cosine - cosine) < _NEAR and abs(hit.lexical - words) < _NEAR


def _cosines(changes: Sequence[Change], asked: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> dict[str, float]:
    found: dict[str, float] = {}
    for change in changes:
        if change.vector is not None:
            own = np.frombuffer(change.vector.data, dtype="<f4").astype(np.float64)
            found[change.row_id] = float(own @ asked / np.sqrt((own @ own) * (asked @ asked)))
    return found


def _bm25(changes: Sequence[Change], question: str) -> Mapping[str, float]:
    names = {change.row.id: change.row.name for change in changes if isinstance(change.row, Entity)}
    held = {change.row_id: row_terms(indexed_text(change.row, names)) for change in changes if change.row is not None}
    lengths = {row_id: Counter(terms).total() for row_id, terms in held.items()}
    mean = sum(lengths.values()) / max(len(held), 1)
    scores = dict.fromkeys(held, 0.0)
    for term, weight in query_terms(question):
        holders = [row_id for row_id, terms in held.items() if term in terms]
        rarity = log(1 + (len(held) - len(holders) + 0.5) / (len(holders) + 0.5))
        for row_id in holders:
            times = held[row_id][term]
            damping = K1 * (1 - B + B * lengths[row_id] / mean)
            scores[row_id] += weight * rarity * (K1 + 1) * times / (times + damping)
    return {row_id: score / (score + WORDS_UNIT) for row_id, score in scores.items()}
