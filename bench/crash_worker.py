"""The process that is killed: it writes to a store for ever and says on stdout what the store has acknowledged.

    ready               the store is open
    batch 7             rows, vectors and a tombstone of batch 7 were acknowledged
    turn 3              exchange 3 of the session was acknowledged

With `--writes N` it closes the store and ends by itself after N batches.
"""

import argparse
import os
import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import anyio

from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.core.grounding.values import Stance
from voice.core.records import Entity, Observation, Origin, Provenance, Row, Thought, Tombstone, VectorRow
from voice.core.session.lifecycle import append, new_session
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.stores import WriteBatch

SESSION_ID = "s:crash"
THOUGHTS_PER_BATCH = 8
DIM = 384
_START = datetime(2025, 1, 1, tzinfo=UTC)
_FILLER = " ".join(f"word{place}" for place in range(60))


def batch_ids(number: int) -> list[str]:
    """Return the ids of the rows that batch `number` adds and keeps."""
    return [*(f"t:{number:06}-{place}" for place in range(THOUGHTS_PER_BATCH)), f"e:{number:06}", f"o:{number:06}"]


def removed_id(number: int) -> str:
    """Return the id of the row that batch `number` removes again: one of an id that never existed."""
    return f"t:{number:06}-gone"


def batch(number: int) -> WriteBatch:
    """Return batch `number`: rows of three tables, a vector each, and a tombstone."""
    moment = _START + timedelta(seconds=number)
    thoughts = [
        Thought(id=row_id, created_at=moment, recorded_at=moment, origin=Origin.HUMAN, content=f"{row_id} {_FILLER}")
        for row_id in batch_ids(number)[:THOUGHTS_PER_BATCH]
    ]
    spans = (Provenance(thought_id=thoughts[0].id, start=0, end=5),)
    entity = Entity(
        id=f"e:{number:06}",
        created_at=moment,
        recorded_at=moment,
        origin=Origin.HUMAN,
        name=f"Name {number}",
        provenance=spans,
    )
    observation = Observation(
        id=f"o:{number:06}",
        created_at=moment,
        recorded_at=moment,
        origin=Origin.HUMAN,
        text=f"Text {number}.",
        provenance=spans,
    )
    rows: tuple[Row, ...] = (*thoughts, entity, observation)
    stone = Tombstone(row_id=removed_id(number), keyed_hash=f"{number:064}", reason="forgotten", at=moment)
    return WriteBatch(rows=rows, vectors=tuple(_vector(row.id) for row in rows), tombstones=(stone,))


def turn(index: int) -> DialogueExchange:
    """Return exchange `index` of the session, about 4 kB."""
    return DialogueExchange(
        id=f"x:{index:06}",
        session_id=SESSION_ID,
        index=index,
        timestamp=_START + timedelta(seconds=index),
        my_query=f"Question {index}?",
        answer=_FILLER * 8,
        sources=(),
        confidence=0.5,
        coverage_ratio=1.0,
        refused=False,
        memories_referenced=(),
        prompt_tokens=100,
        completion_tokens=20,
        latency_ms=5,
        cost_estimate=None,
        prompt_hash="p" * 64,
        status="answered",
        stance=Stance.SYNTHESIZE,
        provider="extractive",
        model="extractive",
    )


def _vector(row_id: str) -> VectorRow:
    return VectorRow(row_id=row_id, model="crash", dim=DIM, data=struct.pack("<f", 1.0 + len(row_id)) * DIM)


async def work(directory: Path, *, writes: int | None, close: bool, say: Callable[[str], None]) -> None:
    """Open the store and write until `writes` batches are done, or for ever."""
    stores = await open_store(f"surrealkv://{directory}", home=directory.parent)
    say("ready")
    talk = await stores.sessions.load(SESSION_ID, window=0) or _fresh()
    first = await _next_batch(stores)
    for number in range(first, first + writes) if writes is not None else count(first):
        await stores.memory.write(batch(number))
        say(f"batch {number}")
        said = turn(talk.total_exchanges)
        talk = replace(
            await stores.sessions.save(append(talk, said), [said], expected=talk.revision), context_window=()
        )
        say(f"turn {said.index}")
    if close:
        await stores.aclose()


async def _next_batch(stores: SurrealStores) -> int:
    low, high = 0, 1
    while await stores.memory.fetch([f"e:{high:06}"]):
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if await stores.memory.fetch([f"e:{middle:06}"]) else (low, middle)
    return low


def _fresh() -> InnerVoiceSession:
    return new_session(
        session_id=SESSION_ID, topic="crash", provider="extractive", model="extractive", max_prompt_tokens=1, now=_START
    )


def main() -> None:
    """Write to the store that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--writes", type=int)
    parser.add_argument("--no-close", action="store_true")
    options = parser.parse_args()

    def say(line: str) -> None:
        os.write(1, f"{line}\n".encode())

    async def run() -> None:
        await work(options.directory, writes=options.writes, close=not options.no_close, say=say)

    anyio.run(run)


if __name__ == "__main__":
    main()
