"""What the store costs: `python -m bench.store [--rows N] [--turns N] [--json]`.

Processor time of this process is what counts (the client decodes in Python and holds the interpreter meanwhile); wall
times stand beside it and depend on what else the machine does.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time

import anyio

from bench.crash_worker import SESSION_ID, turn
from bench.report import Timings, machine
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.core.records import Origin, Thought, VectorRow
from voice.core.session.lifecycle import append, new_session
from voice.ports.stores import WriteBatch

BATCH = 500
DIM = 384
_NOW = datetime(2025, 1, 1, tzinfo=UTC)
_TEXT = " ".join(f"word{place}" for place in range(60))


class Stopwatch:
    """Processor and wall milliseconds of calls."""

    def __init__(self) -> None:
        self.cpu, self.wall = Timings(), Timings()

    async def time(self, call: Callable[[], Awaitable[object]]) -> None:
        """Run `call` and keep what it took."""
        cpu, wall = process_time(), perf_counter()
        await call()
        self.cpu.ms.append((process_time() - cpu) * 1000)
        self.wall.ms.append((perf_counter() - wall) * 1000)

    def per(self, items: int) -> dict[str, float]:
        """Return the milliseconds of all calls together, per item."""
        return {"cpu_ms": round(sum(self.cpu.ms) / items, 4), "wall_ms": round(sum(self.wall.ms) / items, 4)}

    def summary(self) -> dict[str, object]:
        """Return the percentiles of one call."""
        return {"cpu_ms": self.cpu.summary(), "wall_ms": self.wall.summary()}


def _thought(number: int) -> Thought:
    return Thought(
        id=f"t:{number:026}",
        created_at=_NOW,
        recorded_at=_NOW,
        origin=Origin.HUMAN,
        content=f"{number} {_TEXT}",
        speaker="Ann",
        source_ref=f"diary/{number}",
        tags=("a", "b"),
    )


def _batch(start: int, size: int) -> WriteBatch:
    rows = tuple(_thought(start + place) for place in range(size))
    vectors = (VectorRow(row_id=row.id, model="m", dim=DIM, data=os.urandom(4 * DIM)) for row in rows)
    return WriteBatch(rows=rows, vectors=tuple(vectors))


async def measure(rows: int, turns: int) -> dict[str, object]:
    """Fill a store that is thrown away and time what the program does with one."""
    with tempfile.TemporaryDirectory(prefix="voice store ") as place:
        opening = Stopwatch()
        async with await open_store("surrealkv://memory", home=Path(place)) as stores:
            figures = await _rows(stores, rows) | await _turns(stores, turns)
        disk = _size_of(Path(place, "memory"))

        async def reopen() -> None:
            await (await open_store("surrealkv://memory", home=Path(place))).aclose()

        await opening.time(reopen)
    return {"rows": rows, **figures, "disk_bytes_per_row": disk // rows, "reopen": opening.per(1)}


def _size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


async def _rows(stores: SurrealStores, rows: int) -> dict[str, object]:
    bulk, single, paging, middle, fetching, head, status = (Stopwatch() for _ in range(7))
    for start in range(0, rows, BATCH):
        batch = _batch(start, BATCH)
        await bulk.time(lambda batch=batch: stores.memory.write(batch))
    after = 0
    for _ in range(rows // BATCH):
        await paging.time(lambda after=after: stores.memory.changes(after, BATCH))
        after += BATCH
    for number in range(50):
        batch = _batch(rows + number, 1)
        await single.time(lambda batch=batch: stores.memory.write(batch))
    await middle.time(lambda: stores.memory.changes(rows // 2, 10))
    for start in range(20):
        ids = [_thought(number * (rows // 150) + start).id for number in range(150)]
        await fetching.time(lambda ids=ids: stores.memory.fetch(ids))
        await head.time(stores.memory.head)
    await status.time(stores.memory.status)
    return {
        "bulk_write_per_row": bulk.per(rows),
        "rows_per_second": round(rows / sum(bulk.wall.ms) * 1000),
        "single_write": single.summary(),
        "changes_per_row": paging.per(rows),
        "ten_changes_from_the_middle": middle.per(1),
        "fetch_150": fetching.summary(),
        "head": head.summary(),
        "status": status.per(1),
    }


async def _turns(stores: SurrealStores, turns: int) -> dict[str, object]:
    saving, loading = Stopwatch(), Stopwatch()
    talk = new_session(session_id=SESSION_ID, topic="b", provider="p", model="m", max_prompt_tokens=1, now=_NOW)
    for index in range(turns):
        said = turn(index)
        grown = replace(append(talk, said), context_window=())
        expected = talk.revision
        await saving.time(lambda g=grown, s=said, e=expected: stores.sessions.save(g, [s], expected=e))
        talk = grown
        await loading.time(lambda: stores.sessions.load(SESSION_ID, window=10))
    return {"save_turn": saving.summary(), "load_session": loading.summary()}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000, help=f"thoughts with vectors; a multiple of {BATCH}")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    report = {**anyio.run(measure, options.rows, options.turns), **machine()}
    print(json.dumps(report) if options.json else "\n".join(f"{name}: {value}" for name, value in report.items()))


if __name__ == "__main__":
    main()
