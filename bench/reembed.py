"""What does a change of encoder cost? `python -m bench.reembed [--rows N] [--pause SECONDS] [--json]`.

A memory on disk is told notes with a small encoder; then a process embeds every row anew with the program's own
encoder, 256 rows at a time with a pause after each, as `voice maintain rebuild vectors` does, and makes the index anew.
`busy_share` is the processor time of the wall time: what a pause leaves to others is the rest of it.
"""

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

import anyio

from bench.killed import in_child
from bench.report import machine
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts, Services, make_embedder, open_services
from voice.core.records import Origin
from voice.core.settings.providers import EmbedSettings
from voice.core.settings.values import OrganiseSettings, Settings
from voice.services.memory.ingest_values import NewThought

_AT_ONCE: Final = 256
_WORDS: Final = ("violin", "harbour", "letter", "engine", "garden", "winter", "ticket", "bridge", "copper", "lantern")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What embedding so many rows anew took."""

    rows: int
    wall_s: float
    cpu_s: float
    rows_per_s: float
    cpu_ms_per_row: float
    busy_share: float
    longest_portion_s: float
    """How long the memory's holder is at it between two pauses, at most."""
    reindex_cpu_s: float
    peak_rss_mb: float
    left: int
    """Rows that still have another encoder's vector."""


@asynccontextmanager
async def _opened(home: Path, *, is_new_encoder: bool) -> AsyncGenerator[Services]:
    settings = Settings(organise=OrganiseSettings(auto_observations="off"))
    embedder = make_embedder(EmbedSettings()) if is_new_encoder else HashedEmbedder(64)
    async with open_services(settings, home, Parts(embedder=embedder)) as services:
        yield services


async def fill(home: Path, rows: int) -> int:
    """Tell a memory so many notes of about 25 words, and return how many."""
    async with _opened(home, is_new_encoder=False) as services:
        notes = [NewThought(content=_said(number), origin=Origin.HUMAN) for number in range(rows)]
        return len((await services.ingest.remember(notes)).stored)


def _said(number: int) -> str:
    words = [_WORDS[(number * step + step * step) % len(_WORDS)] for step in range(1, 21)]
    return f"On day {number} I wrote: {' '.join(words)}."


async def measure(home: Path, pause_s: float) -> Cost:
    """Embed all rows of a memory anew, and return what it took."""
    async with _opened(home, is_new_encoder=True) as services:
        await services.ingest.embedder.embed(["The model is loaded."])
        began, began_cpu, done, longest = perf_counter(), process_time(), 0, 0.0
        while True:
            at = perf_counter()
            some = await services.ingest.reembed(limit=_AT_ONCE)
            longest = max(longest, perf_counter() - at)
            if not some:
                break
            done += some
            await anyio.sleep(pause_s)
        wall, cpu = perf_counter() - began, process_time() - began_cpu
        before = process_time()
        await services.index.rebuild()
        status = await services.store.status()
        own = status.encodings.get((services.ingest.embedder.model, services.ingest.embedder.dim), 0)
        return Cost(
            rows=done,
            wall_s=round(wall, 1),
            cpu_s=round(cpu, 1),
            rows_per_s=round(done / wall, 1),
            cpu_ms_per_row=round(1000 * cpu / max(done, 1), 2),
            busy_share=round(cpu / wall, 2),
            longest_portion_s=round(longest, 2),
            reindex_cpu_s=round(process_time() - before, 2),
            peak_rss_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            left=status.vectors - own,
        )


def main() -> int:
    """Run the benchmark and print what it found; 1 when rows were left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000, help="rows to embed anew")
    parser.add_argument("--pause", type=float, default=0.0, metavar="SECONDS", help="rest so long after 256 rows")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voice reembed ") as place:
        home = Path(place, "home")
        filled = in_child(lambda: anyio.run(fill, home, options.rows))
        cost = in_child(lambda: anyio.run(measure, home, options.pause)) if filled else None
    if cost is None:
        return 1
    report = {**asdict(cost), "pause_s": options.pause, **machine()}
    print(json.dumps(report) if options.json else "\n".join(f"{name}: {value}" for name, value in report.items()))
    return 0 if cost.left == 0 and cost.rows == filled else 1


if __name__ == "__main__":
    sys.exit(main())
