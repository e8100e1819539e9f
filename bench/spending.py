"""What a spending cap costs a turn: `python -m bench.spending [--turns N] [--json]`.

A store on disk is filled with N paid turns, spread evenly over a month. Then what was spent this day, this month and in
one session is read as before every capped turn, and once the way it is not: by reading the turns themselves. Times are
the processor's.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final

import anyio

from bench.report import machine, progress, table
from bench.turns import plain_turn
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.core.session.budgets import AmountSpent, OpenCall, total_charge
from voice.core.session.lifecycle import append, new_session
from voice.core.session.values import DialogueExchange

MONTH: Final = datetime(2026, 3, 1, tzinfo=UTC)
_SPAN: Final = timedelta(days=31)
_OF_A_SESSION: Final = 250
_READS: Final = 15
_CALL: Final = OpenCall(
    id="x:open", session_id="s:0", model="vendor/m", began_at=MONTH, worst=AmountSpent(at_worst=Decimal("0.02"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Milliseconds of the processor for one read."""

    what: str
    cpu_ms: float


async def measure(turns: int, home: Path) -> list[Measured]:
    """Return what reading the sums costs in a store with so many turns of one month."""
    async with await open_store(home / "memory", home=home) as stores:
        for first in progress(range(0, turns, _OF_A_SESSION), "filling"):
            await _fill(stores, first, min(first + _OF_A_SESSION, turns), turns)
        end = MONTH + _SPAN - timedelta(minutes=1)
        spending = stores.spending
        found = [
            await _timed("this month", lambda: spending.spent_between(MONTH, end)),
            await _timed("this day", lambda: spending.spent_between(end.replace(hour=0, minute=0), end)),
            await _timed("this session", lambda: spending.spent_in("s:0")),
            await _timed("calls of unknown end", spending.open_calls),
            await _timed("put a call on record", lambda: spending.begin(_CALL)),
        ]
        started = process_time()
        read = total_charge(await stores.sessions.exchanges(since=MONTH, limit=turns))
        found.append(Measured(what="this month, from the turns", cpu_ms=1000 * (process_time() - started)))
        if read != await spending.spent_between(MONTH, end):
            raise SystemExit("the sums are not those of the turns")
        return found


async def _timed(what: str, read: Callable[[], Awaitable[object]]) -> Measured:
    took: list[float] = []
    for _ in range(_READS):
        started = process_time()
        await read()
        took.append(1000 * (process_time() - started))
    return Measured(what=what, cpu_ms=median(took))


async def _fill(stores: SurrealStores, first: int, end: int, turns: int) -> None:
    session = new_session(
        session_id=f"s:{first}", topic="t", provider="vendor", model="m", max_prompt_tokens=1, now=MONTH
    )
    made = [_turn(session.id, number, number - first, turns) for number in range(first, end)]
    for each in made:
        session = append(session, each)
    await stores.sessions.save(replace(session, revision=1), made, expected=0)


def _turn(session_id: str, number: int, index: int, turns: int) -> DialogueExchange:
    return plain_turn(
        id=f"x:{number:08d}",
        session_id=session_id,
        index=index,
        timestamp=MONTH + _SPAN * number / turns,
        my_query="Where is the kiln?",
        answer="The kiln moved to the shed behind the house in March. " * 5,
        latency_ms=900,
        cost_estimate=Decimal("0.00212"),
        provider="vendor",
        model="m",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.spending", description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000, help="paid turns of the month")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    said = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as home:
        found = anyio.run(measure, said.turns, Path(home))
    if said.json:
        figures = {each.what: round(each.cpu_ms, 2) for each in found}
        print(json.dumps({"turns": said.turns, "cpu_ms": figures, "machine": machine()}, indent=2))
    else:
        rows = [[each.what, f"{each.cpu_ms:.2f}"] for each in found]
        print(table(["what was spent", "cpu ms"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
