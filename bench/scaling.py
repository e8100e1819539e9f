"""What one machine, one server and a cluster come to: every number of docs/scaling.md, counted, measured or simulated.

`python -m bench.scaling --record` prints them as JSON, keeps them in bench/data/scaling.json, and writes the page's
table and picture anew. Counts go through the server that the tests stand in for; times are processor time.
"""

import argparse
import asyncio
import heapq
import json
import random
import sys
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from bench.feed import Feed
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.surreal.writer import LONGEST_S, WriteBackoff
from voice.bootstrap import Parts, open_services
from voice.core.records import Origin, Thought, VectorRow
from voice.core.settings.values import Settings, StoreSettings
from voice.services.memory.ingest_values import NewThought
from voice.services.turn.ask import AskRequest

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "bench" / "data" / "scaling.json"
PAGE = ROOT / "docs" / "scaling.md"
PICTURE = ROOT / "docs" / "assets" / "scaling.svg"
BEGIN, END = "<!-- figures: python -m bench.scaling --record -->", "<!-- /figures -->"
DIM = 384
ROWS = 4_000
LINKS_MS = (0.2, 1.0, 10.0, 50.0)
SERVICES = (1, 2, 4, 8, 16, 32)
SIMULATED_S = 60.0
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
Figures = dict[str, object]


async def round_trips() -> dict[str, int]:
    """Count what a server is asked for one remembered note, one search and one turn, once everything is warm."""
    sys.path.insert(0, str(ROOT / "tests"))
    from store_bridge import PASSWORD, USER, bridge  # noqa: PLC0415 - the tests' stand-in, found only now

    with tempfile.TemporaryDirectory() as home:
        async with bridge(f"surrealkv://{home}/served") as server:
            settings = Settings(store=StoreSettings(url=server.url, user=USER, password=PASSWORD))
            parts = Parts(embedder=HashedEmbedder(DIM), llm=ExtractiveClient())
            opened_at = server.asked
            async with open_services(settings, Path(home) / "home", parts) as services:
                counted = {"open": server.asked - opened_at}
                for _ in range(2):
                    for name, act in (
                        ("remember", lambda: services.ingest.remember([_note()])),
                        ("turn", lambda: services.ask(AskRequest(question="Where is the kiln?", create=True))),
                    ):
                        before = server.asked
                        await act()
                        counted[name] = server.asked - before
    return counted


def _note() -> NewThought:
    text = f"The kiln moved to the shed behind the house, entry {random.random()}."
    return NewThought(content=text, origin=Origin.HUMAN)


async def folding() -> dict[str, float]:
    """Measure what folding a row costs, out of a store in this process's memory: no reading from a disk or a server."""
    chance = random.Random(7)
    made = HashedEmbedder(DIM)
    rows = [_thought(at, chance) for at in range(ROWS)]
    vectors = [
        VectorRow(row_id=row.id, model=made.model, dim=DIM, data=data)
        for row, data in zip(rows, await made.embed([row.content for row in rows]), strict=True)
    ]
    store = Feed(rows, vectors)
    index = FoldedIndex(store, None, model=made.model, dim=DIM)
    began = time.process_time()
    await index.refresh()
    return {"ms_a_row": round(1000 * (time.process_time() - began) / ROWS, 3), "rows": ROWS}


def _thought(at: int, chance: random.Random) -> Thought:
    words = " ".join(chance.choice(WORDS) for _ in range(60))
    return Thought(id=f"t:{at:07}", created_at=NOON, recorded_at=NOON, origin=Origin.HUMAN, content=words)


@dataclass(slots=True)
class Sequence:
    """The one number that all services of the simulation write to, and the simulation's time."""

    last: int = 0
    now: float = 0.0


@dataclass(slots=True)
class Tally:
    """What one service of the simulation came to."""

    done: int = 0
    tries: int = 0
    gave_up: int = 0


def _service(shared: Sequence, rivals: WriteBackoff, tally: Tally, trip: float) -> Generator[float]:
    """Write without end as `adapters/surreal/writer.py` does, by its own rules (`rivals`); yields how long it waits.

    A try reads the last number, unless it is known, and what the write is decided on, and commits: a round trip each.
    The server answers in no time, in the middle of a round trip.
    """
    known: int | None = None
    while True:
        yield rivals.stand_back_s()
        known, losses, until = None if rivals.are_near else known, 0, rivals.now() + LONGEST_S
        while rivals.now() < until:
            began = rivals.now()
            if known is None:
                yield trip / 2
                known = shared.last
                yield trip / 2
            yield 1.5 * trip
            tally.tries += 1
            won = shared.last == known
            shared.last += won
            yield trip / 2
            if won:
                rivals.won(rivals.now() - began)
                known, tally.done = known + 1, tally.done + 1
                break
            known, losses = None, losses + 1
            yield rivals.lost(losses, rivals.now() - began)
        else:
            tally.gave_up += 1


def writers(services: int, *, link_ms: float = 1.0, seed: int = 1) -> dict[str, float]:
    """Simulate services that write to one sequence as fast as they can, over a link of so many milliseconds."""
    shared, tallies, waiting = Sequence(), [Tally() for _ in range(services)], list[tuple[float, int]]()
    played: list[Generator[float]] = []
    for each, tally in enumerate(tallies):
        chance = random.Random(1000 * seed + each)
        rivals = WriteBackoff(chance=chance.random, clock=lambda: shared.now)
        played.append(_service(shared, rivals, tally, link_ms / 1000))
        heapq.heappush(waiting, (chance.random() * link_ms / 1000, each))
    while waiting[0][0] < SIMULATED_S:
        shared.now, each = heapq.heappop(waiting)
        heapq.heappush(waiting, (shared.now + next(played[each]), each))
    done, gave_up = sum(each.done for each in tallies), sum(each.gave_up for each in tallies)
    return {
        "services": services,
        "writes_a_second": round(done / SIMULATED_S),
        "tries_a_write": round(sum(each.tries for each in tallies) / max(done, 1), 2),
        "least_share_percent": round(100 * min(each.done for each in tallies) * services / max(done, 1)),
        "gave_up_of_1000": round(1000 * gave_up / max(done + gave_up, 1), 1),
    }


WORDS = [f"word{number:04}" for number in range(3_000)]


async def figures() -> Figures:
    """Return every number of the page."""
    trips = await round_trips()
    fold = await folding()
    return {
        "round_trips": trips,
        "turn_ms_by_link": {f"{link:g}": round(trips["turn"] * link, 1) for link in LINKS_MS},
        "fold": fold,
        "fold_100000_rows_s": round(fold["ms_a_row"] * 100, 1),
        "vector_bytes": 4 * DIM,
        "vectors_a_gib": 2**30 // (4 * DIM),
        "writers": [writers(count) for count in SERVICES],
    }


def table(found: Figures) -> str:
    """Return the page's figures as Markdown."""
    trips, fold = cast("dict[str, int]", found["round_trips"]), cast("dict[str, float]", found["fold"])
    links = cast("dict[str, float]", found["turn_ms_by_link"])
    lines = [
        "| what | figure |",
        "|---|---|",
        f"| round trips to open a new memory | {trips['open']} |",
        f"| round trips to remember a note | {trips['remember']} |",
        f"| round trips of a turn | {trips['turn']} |",
        *(f"| waiting for them in a turn, at {link} ms each | {waited:g} ms |" for link, waited in links.items()),
        f"| bytes of a vector of {DIM} numbers | {found['vector_bytes']:,} |",
        f"| vectors in a GiB | {found['vectors_a_gib']:,} |",
        f"| folding a row out of memory into the index, processor | {fold['ms_a_row']:g} ms |",
        f"| folding 100,000 rows out of memory, processor | {found['fold_100000_rows_s']:g} s |",
        "",
        "| services that write all the time | writes a second | tries a write | least share, % | given up, of 1,000 |",
        "|---|---|---|---|---|",
    ]
    written = cast("list[dict[str, float]]", found["writers"])
    lines.extend("| " + " | ".join(f"{value:g}" for value in each.values()) + " |" for each in written)
    return "\n".join(lines)


def picture() -> str:
    """Return the three stages as a picture."""
    stages = (
        ("One machine", ("programs share one holder", "store and index on its disk")),
        ("One server", ("programs on many machines", "one store, an index in each")),
        ("A cluster", ("programs as before", "SurrealDB on TiKV: not tested")),
    )
    parts: list[str] = []
    for place, (name, lines) in enumerate(stages):
        x = 10 + 250 * place
        parts.append(f'<rect x="{x}" y="10" width="220" height="110" rx="8" fill="none" stroke="currentColor"/>')
        parts.append(f'<text x="{x + 16}" y="42" font-weight="bold">{name}</text>')
        parts.extend(
            f'<text x="{x + 16}" y="{70 + 24 * at}" font-size="13">{text}</text>' for at, text in enumerate(lines)
        )
        if place:
            parts.append(f'<path d="M{x - 28} 65h22m-7-6l7 6-7 6" fill="none" stroke="currentColor"/>')
    title = "<title>One machine, one server, a cluster</title>"
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 750 130" '
        'font-family="sans-serif" font-size="16" fill="#607080" color="#607080">'
    )
    return "\n".join([head, title, *parts, "</svg>", ""])


def with_table(page: str, found: Figures) -> str:
    """Return the page with these figures."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{table(found)}\n\n{END}{after}"


def main() -> None:
    """Print the figures; with --record keep them and write the page's anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    found = asyncio.run(figures())
    print(json.dumps(found))
    if asked.record:
        RECORDED.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
        PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
