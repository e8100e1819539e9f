"""Builds the memory that `bench.scale` measures: `python -m bench.scale_build HOME --rows N --dim D`.

Law: rows go through the program's own store in batches, nothing is encoded, and the index is folded by the program's
own index. What it took is written beside the store, last, so that a store without it was not finished. A store that is
there already is kept, and an index that another version of the program left is folded anew.
"""

import argparse
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Final, Self

import anyio

from bench.report import progress
from bench.scale_data import CHUNK, chunks
from bench.scale_home import RESTING_CPU_S, Given, open_memory, rested
from voice.bootstrap import Services
from voice.ports.stores import WriteBatch

RECEIPT: Final = "built.json"
_OPENINGS: Final = 6
"""How often a store that was filled is opened for the engine to tidy it, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What so many rows took."""

    rows_per_s: float
    """Of wall time."""
    cpu_ms_per_row: float

    @classmethod
    def of(cls, rows: int, wall_s: float, cpu_s: float) -> Self:
        """Return the cost of rows that took so long together."""
        return cls(rows_per_s=rows / wall_s, cpu_ms_per_row=1000 * cpu_s / rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What building took."""

    rows: int
    dim: int
    ingest: Cost
    """Written through the store with their vectors; making them up is not counted."""
    fold: Cost | None
    """From the store into the index on disk; None until that was done."""
    tidying_cpu_s: float | None = None
    """What the engine took to put the written rows in order once the store was opened again; None until it had."""


def read_built(home: Path) -> Built | None:
    """Return what building `home` took; None where no store was filled to the end."""
    receipt = home / RECEIPT
    if not receipt.exists():
        return None
    found = json.loads(receipt.read_text("utf-8"))
    fold = found["fold"] and Cost(**found["fold"])
    ingest, tidying = Cost(**found["ingest"]), found.get("tidying_cpu_s")
    return Built(rows=found["rows"], dim=found["dim"], ingest=ingest, fold=fold, tidying_cpu_s=tidying)


async def build(home: Path, rows: int, dim: int) -> None:
    """Fill a new store in `home`, unless one is there, and bring its index up to date."""
    async with open_memory(home, Given(dim)) as services:
        built = read_built(home)
        if built is None:
            built = Built(rows=rows, dim=dim, ingest=await _write(services, rows, dim), fold=None)
            _leave(home, built)
        folded = await _fold(services, built.rows)
        built = built if folded is None else replace(built, fold=folded)
        _leave(home, built)
    if built.tidying_cpu_s is None:
        _leave(home, replace(built, tidying_cpu_s=await _tidied(home, dim)))


async def _tidied(home: Path, dim: int) -> float:
    """Open the memory until the engine has nothing to put in order, and return the processor seconds it took.

    What was written stands in files one above the other, which the engine merges in the background of the openings that
    follow. That belongs to the import, not to a question that is asked years later.
    """
    took = 0.0
    for _ in progress(range(_OPENINGS), "letting the engine tidy"):
        async with open_memory(home, Given(dim)):
            one = await rested()
        took += one
        if one < RESTING_CPU_S:
            break
    return took


def _leave(home: Path, built: Built) -> None:
    (home / RECEIPT).write_text(json.dumps(asdict(built)), "utf-8")


async def _write(services: Services, rows: int, dim: int) -> Cost:
    wall = cpu = 0.0
    for made, vectors in progress(chunks(rows, dim), "writing", total=-(-rows // CHUNK)):
        batch = WriteBatch(rows=tuple(made), vectors=tuple(vectors))
        began, began_cpu = perf_counter(), process_time()
        await services.store.write(batch)
        wall, cpu = wall + perf_counter() - began, cpu + process_time() - began_cpu
    return Cost.of(rows, wall, cpu)


async def _fold(services: Services, rows: int) -> Cost | None:
    """Let the index catch up; return what that took, None when it held most of the rows already."""
    behind = (await services.index.status()).folded_seq < rows / 2
    began, began_cpu = perf_counter(), process_time()
    await services.index.refresh()
    return Cost.of(rows, perf_counter() - began, process_time() - began_cpu) if behind else None


def main() -> None:
    """Build what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale_build", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--dim", type=int, required=True)
    options = parser.parse_args()
    anyio.run(build, options.home, options.rows, options.dim)


if __name__ == "__main__":
    main()
