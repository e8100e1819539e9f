"""The process that `bench.index_crash` kills: it writes to a real store and folds its index for ever.

Batch `n` adds ten rows of three tables with their vectors, says four rows of batch `n - 2` differently, renames the
entity of batch `n - 3`, so that what rests on it is folded again, and takes two rows of batch `n - 5` away for good.
Thresholds are made so small that nearly every fold writes files and every few merge some.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np

from bench.killed import Say
from voice.adapters.index.index import FoldedIndex
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.core.records import Entity, Observation, Origin, Row, Thought, Tombstone, VectorRow
from voice.ports.stores import WriteBatch

MODEL: Final = "crash"
DIM: Final = 16
ROWS_TOUCHED: Final = 17
"""By one batch."""
SMALL_YOUNG_ROWS: Final = 24
_SMALL: Final = {"YOUNG_ROWS": SMALL_YOUNG_ROWS, "MERGE_FACTOR": 3}
_START: Final = datetime(2025, 1, 1, tzinfo=UTC)
_WORDS: Final = ("violin", "harbour", "letter", "engine", "garden", "winter", "ticket", "bridge", "copper", "lantern")
_THOUGHTS: Final = 7


def make_thresholds_small() -> None:
    """Let the index of this process write and merge after a few rows already.

    Raises:
        LookupError: the index has no such threshold any more; the trials are to be written anew.
    """
    for name, value in _SMALL.items():
        holders = [
            module
            for found, module in list(sys.modules.items())
            if found.startswith("voice.adapters.index.") and hasattr(module, name)
        ]
        if not holders:
            raise LookupError(f"the index has no {name}")
        for module in holders:
            setattr(module, name, value)


def batch(number: int) -> WriteBatch:
    """Return batch `number`; batches are written in order, once each."""
    rows = list(_fresh(number))
    if number >= 2:
        rows += [_said_again(row) for row in list(_fresh(number - 2))[:4]]
    if number >= 3:
        rows.append(replace(_entity(number - 3), name=f"Renamed{number}", revision=2))
    gone = [row.id for row in list(_fresh(number - 5))[4:6]] if number >= 5 else []
    stones = (Tombstone(row_id=row_id, keyed_hash=row_id, reason="forgotten", at=_START) for row_id in gone)
    return WriteBatch(rows=tuple(rows), vectors=tuple(map(_vector, rows)), tombstones=tuple(stones))


async def open_both(home: Path) -> tuple[SurrealStores, FoldedIndex]:
    """Open the store in `home` and its index."""
    stores = await open_store(home / "memory", home=home)
    return stores, FoldedIndex(stores.memory, home / "index", model=MODEL, dim=DIM)


async def write_for_ever(home: Path, say: Say) -> None:
    """Write and fold until killed; `say` gets the folded `seq` after each fold, first when the index has caught up."""
    make_thresholds_small()
    stores, index = await open_both(home)
    say(str(await index.refresh()))
    for number in count(await _next_batch(stores)):
        await stores.memory.write(batch(number))
        say(str(await index.refresh()))


async def _next_batch(stores: SurrealStores) -> int:
    low, high = 0, 1
    while await stores.memory.fetch([_entity(high).id]):
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if await stores.memory.fetch([_entity(middle).id]) else (low, middle)
    return low


def _fresh(number: int) -> Iterator[Row]:
    moment = _START + timedelta(minutes=number)
    for place in range(_THOUGHTS):
        yield Thought(
            id=f"t:{number:06}-{place}",
            created_at=moment + timedelta(seconds=place),
            recorded_at=moment,
            origin=Origin.HUMAN,
            content=_text(number, place),
        )
    for place in range(2):
        yield Observation(
            id=f"o:{number:06}-{place}",
            created_at=moment,
            recorded_at=moment,
            origin=Origin.HUMAN,
            text=_text(number, place + _THOUGHTS),
            entity_ids=(_entity(number).id,),
        )
    yield _entity(number)


def _entity(number: int) -> Entity:
    moment = _START + timedelta(minutes=number)
    return Entity(id=f"e:{number:06}", name=f"Name{number}", created_at=moment, recorded_at=moment, origin=Origin.HUMAN)


def _said_again(row: Row) -> Row:
    assert isinstance(row, Thought)
    return replace(row, content=f"{row.content} again and {_WORDS[len(row.id) % len(_WORDS)]}", revision=2)


def _text(number: int, place: int) -> str:
    return " ".join(_WORDS[(number * step + place * place + step) % len(_WORDS)] for step in range(1, 6))


def _vector(row: Row) -> VectorRow:
    seed = [*row.id.encode(), row.revision]
    numbers = np.random.default_rng(seed).standard_normal(DIM).astype("<f4")
    return VectorRow(row_id=row.id, model=MODEL, dim=DIM, data=numbers.tobytes())
