"""What a recall costs: `python -m bench.recall --rows N [--dim D] [--home DIR] [--pins P] [--repeats R] [--json]`.

S4 names three times for 100,000 rows: 50 ms for a full-text query, 10 ms for the lookup of pins, 100 ms end to end.
The memory is that of `bench.scale`, built unless it stands in `--home`; P of its rows are pinned there. Every figure is
processor time of the whole process, the store's own threads among it, over the program's own services; only the encoder
is given its vectors. `full_text` is the search of `local-fts`; `pin_lookup` reads the active pins, `pins_shown` is a
recall without a query: the pins with their targets and the current summary; `end_to_end` is a recall within 2,000
tokens as `voice recall` makes it.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Final, cast

import anyio

from bench.report import Timings, machine, progress, table
from bench.scale import at_least
from bench.scale_build import build
from bench.scale_data import SHAPES, Question, questions
from bench.scale_home import Given, open_memory
from voice.bootstrap import Services
from voice.core.recall.params import RecallRequest
from voice.core.recall.pins import PinRequest
from voice.core.records import Scope, Table
from voice.core.retrieval.values import LOCAL_FTS, LOCAL_HYBRID, RowFilter
from voice.ports.retrieval_provider import ProviderQuery

TARGETS_MS: Final = {"full_text": 50.0, "pin_lookup": 10.0, "end_to_end": 100.0}
"""Spec retrieval-contract, Latency Targets."""
_BUDGET: Final = 2_000
_CANDIDATES: Final = 50
_WARM_UP: Final = 2
_LEAST_ROWS: Final = 200
_LEAST_DIM: Final = 8
_TABLES: Final = frozenset({Table.THOUGHTS, Table.OBSERVATIONS})

Cost = dict[str, dict[str, float]]
Figures = dict[str, object]


async def measure(home: Path, rows: int, dim: int, *, pins: int, repeats: int) -> Figures:
    """Return the figures of the memory in `home`, which is built unless it is there."""
    await build(home, rows, dim)
    asked = questions(rows, dim, repeats)
    given = Given(dim, {question.text: question.vector for question in asked})
    async with open_memory(home, given) as services:
        await services.index.refresh()
        await _pin(services, pins)
        now = services.clock.now()
        found = {
            "full_text": await _by_shape(asked, lambda each: _full_text(services, each, now)),
            "pin_lookup": await _cost(repeats, lambda: services.pins.held.pins(active_at=now)),
            "pins_shown": await _cost(repeats, lambda: _recall(services, "", LOCAL_HYBRID, now)),
            "end_to_end": await _by_shape(asked, lambda each: _recall(services, each.text, LOCAL_HYBRID, now)),
            "end_to_end_local_fts": await _by_shape(asked, lambda each: _recall(services, each.text, LOCAL_FTS, now)),
        }
    return {"rows": rows, "dim": dim, "pins": pins, **found, "worst_cpu_ms_p50": worst(found), **machine()}


def worst(found: dict[str, dict[str, Cost] | Cost]) -> dict[str, float]:
    """Return the median of each figure that S4 bounds: of its dearest shape, where it has shapes."""
    shapes = {name: cast("dict[str, Cost]", found[name]) for name in ("full_text", "end_to_end")}
    dearest = {name: max(cost["cpu_ms"]["p50"] for cost in of_shape.values()) for name, of_shape in shapes.items()}
    return {**dearest, "pin_lookup": cast("Cost", found["pin_lookup"])["cpu_ms"]["p50"]}


async def _pin(services: Services, pins: int) -> None:
    held = len(await services.pins.held.pins())
    rows = [change.row.id for change in await services.store.changes(0, pins) if change.row is not None]
    for row_id in progress(rows[held:pins], "pinning"):
        await services.pins.pin(PinRequest(target_id=row_id, reason="it matters", allow_private=True))


async def _full_text(services: Services, question: Question, now: datetime) -> object:
    query = ProviderQuery(text=question.text, filter=RowFilter(tables=_TABLES), limit=_CANDIDATES, now=now)
    return await services.providers.named(LOCAL_FTS).search(query)


async def _recall(services: Services, text: str, provider: str, now: datetime) -> object:
    request = RecallRequest(query=text, scope=Scope.ALL, token_budget=_BUDGET, provider=provider, now=now)
    return await services.recall(request)


async def _by_shape(asked: Sequence[Question], work: Callable[[Question], Awaitable[object]]) -> dict[str, Cost]:
    found: dict[str, Cost] = {}
    for shape in progress(SHAPES, "asking"):
        found[shape] = await _costs([partial(work, each) for each in asked if each.shape == shape])
    return found


async def _cost(repeats: int, work: Callable[[], Awaitable[object]]) -> Cost:
    return await _costs([work] * repeats)


async def _costs(works: Sequence[Callable[[], Awaitable[object]]]) -> Cost:
    cpu, wall = Timings(), Timings()
    for number, work in enumerate([*works[:_WARM_UP], *works]):
        began, began_cpu = perf_counter(), process_time()
        await work()
        if number >= min(_WARM_UP, len(works)):
            cpu.ms.append(1000 * (process_time() - began_cpu))
            wall.ms.append(1000 * (perf_counter() - began))
    return {"cpu_ms": cpu.summary(), "wall_ms": wall.summary()}


def _as_table(figures: Figures) -> str:
    dearest = cast("dict[str, float]", figures["worst_cpu_ms_p50"])
    rows = [[name, f"{dearest[name]:.1f}", f"{target:.0f}"] for name, target in TARGETS_MS.items()]
    heads = [f"{figures['rows']} rows, {figures['pins']} pins", "cpu ms", "S4 allows"]
    return f"{table(heads, rows)}\nmedians, of the dearest query shape; {machine()}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.recall", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=at_least(_LEAST_ROWS), default=10_000, help="rows in the memory")
    parser.add_argument("--dim", type=at_least(_LEAST_DIM), default=384, help="numbers per vector")
    parser.add_argument("--home", type=Path, help="the memory of bench.scale, kept; pins are added to it")
    parser.add_argument("--pins", type=at_least(1), default=20, help="how many rows are pinned")
    parser.add_argument("--repeats", type=at_least(1), default=20, help="questions of each shape")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="voice recall ") as passing:
        figures = anyio.run(
            lambda: measure(
                options.home or Path(passing), options.rows, options.dim, pins=options.pins, repeats=options.repeats
            )
        )
    print(json.dumps(figures) if options.json else _as_table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
