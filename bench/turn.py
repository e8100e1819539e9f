"""What one turn costs beside its provider: `python -m bench.turn --rows N [--entities N] [--json] [--home DIR]`.

A store on disk with its index, the example memory with real vectors in it, and as many further rows as make N: thoughts
with one observation each, made of the example's own words, with random unit vectors under the active model's name. The
example's questions are asked in one growing session. The offline provider writes the drafts, so that the judge has real
work; its own time is left out.
"""

import argparse
import json
import random
import sys
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import sqrt
from pathlib import Path
from time import perf_counter
from typing import Final
from zoneinfo import ZoneInfo

import anyio

from bench.report import machine, progress, table
from bench.stages import Watch, pure_parts_watched, watched
from voice.adapters.files.packaged_data import EXAMPLE_NOW, EXAMPLE_ZONE, example_memory, example_questions
from voice.adapters.system.clock_and_ids import SystemClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import VoiceError
from voice.core.interchange.origin import Entrance
from voice.core.records import Entity, Observation, Origin, Provenance, Row, Scope, Thought, TrustTier, VectorRow
from voice.core.settings.parse import parse_settings
from voice.core.settings.values import Settings
from voice.ports.retrieval_provider import ProviderContext
from voice.ports.search_index import Embedder
from voice.ports.stores import WriteBatch
from voice.services.imports.request import ImportRequest
from voice.services.turn.ask import AskRequest

WARM_UP: Final = 5
_BATCH: Final = 250
_WORDS: Final = 14
_SYLLABLES: Final = ("bar", "dor", "gru", "ka", "lo", "mi", "pen", "qui", "ren", "sha", "tos", "vel")


class ClockAt(SystemClock):
    """The wall clock stands where the example's questions are asked; durations are real."""

    def now(self) -> datetime:
        """Return the example's moment."""
        return EXAMPLE_NOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the turns took."""

    rows: int
    answered: int
    refused: int
    watch: Watch
    filled_s: float
    model: str

    def as_json(self) -> dict[str, object]:
        """Return the report as it is printed."""
        return {
            "rows": self.rows,
            "turns": len(self.watch.total_cpu.ms),
            "answered": self.answered,
            "refused": self.refused,
            "cpu_ms": self.watch.total_cpu.summary(),
            "wall_ms": self.watch.total_wall.summary(),
            "by_stage": self.watch.by_stage(),
            "filled_s": round(self.filled_s, 1),
            "model": self.model,
            "machine": machine(),
        }

    def as_table(self) -> str:
        """Return the report for people."""
        stages = {"whole turn": {"cpu_ms": self.watch.total_cpu.summary(), "wall_ms": self.watch.total_wall.summary()}}
        rows = [
            [name, *(f"{part[kind][share]:.1f}" for kind in ("cpu_ms", "wall_ms") for share in ("p50", "p95"))]
            for name, part in {**stages, **self.watch.by_stage()}.items()
        ]
        lines = table(["stage", "cpu p50", "cpu p95", "wall p50", "wall p95"], rows)
        return f"{lines}\n{self.rows} rows, {self.answered} answered, {self.refused} refused, {self.model}, {machine()}"


async def measure(rows: int, home: Path, *, entities: int = 0) -> Report:
    """Return what a turn costs over a store of at least `rows` rows in `home`, `entities` of them further entities."""
    settings = example_settings()
    began = perf_counter()
    async with open_services(settings, home, Parts(clock=ClockAt())) as services:
        have = await prepare_store(services, rows, entities)
        filled = perf_counter() - began
        watch, statuses = Watch(), list[str]()
        context = ProviderContext(
            index=services.index, rows=services.store, embedder=services.embedder, clock=services.clock
        )
        ask = watched(services.makers.ask(), context, watch)
        questions = example_requests()
        asked = [*questions[:WARM_UP], *questions]
        with pure_parts_watched(watch):
            for number, request in enumerate(progress(asked, "asking")):
                with watch.whole(counts=number >= WARM_UP):
                    turn = await ask(request)
                if number >= WARM_UP:
                    statuses.append(turn.exchange.status)
        return Report(
            rows=have,
            answered=statuses.count("answered"),
            refused=statuses.count("refused"),
            watch=watch,
            filled_s=filled,
            model=services.embedder.model,
        )


def example_settings() -> Settings:
    """Return the settings of the example: the offline provider in the example's zone."""
    flags = {"gate.enabled": True, "llm.provider": "extractive", "time.timezone": EXAMPLE_ZONE}
    return parse_settings(flags, {}, {}).settings


async def prepare_store(services: Services, rows: int, entities: int) -> int:
    """Import the example, fill the store up to `rows`, bring the index up to date; return how many rows there are."""
    request = ImportRequest(path=str(example_memory()), entrance=Entrance.CLI, zone=ZoneInfo(EXAMPLE_ZONE))
    await services.transfer.import_memory(request)
    have = sum((await services.store.status()).rows.values())
    batches = list(_filling(max(0, rows - have), entities, services.embedder))
    for batch in progress(batches, "filling"):
        await services.store.write(batch)
    await services.index.refresh()
    return sum((await services.store.status()).rows.values())


def _filling(rows: int, entities: int, embedder: Embedder) -> Iterator[WriteBatch]:
    chance = random.Random(20_260_320)
    lines = [json.loads(line) for line in example_memory().read_text("utf-8").splitlines()]
    vocabulary = " ".join(str(line.get("content", "")) for line in lines).split()
    made: list[Row] = [_entity(number, chance) for number in range(min(entities, rows))]
    for number in range(0, rows - len(made), 2):
        made += _pair(number, " ".join(chance.choices(vocabulary, k=_WORDS)))[: rows - len(made)]
    for start in range(0, len(made), _BATCH):
        batch = tuple(made[start : start + _BATCH])
        vectors = tuple(
            VectorRow(row_id=row.id, model=embedder.model, dim=embedder.dim, data=_direction(chance, embedder.dim))
            for row in batch
        )
        yield WriteBatch(rows=batch, vectors=vectors)


def _entity(number: int, chance: random.Random) -> Entity:
    name = " ".join("".join(chance.choices(_SYLLABLES, k=3)).title() for _ in range(2))
    return Entity(
        id=f"e:fill-{number}",
        name=name,
        entity_type="person",
        description="lives in the town",
        created_at=EXAMPLE_NOW,
        recorded_at=EXAMPLE_NOW,
        origin=Origin.HUMAN,
    )


def _pair(number: int, text: str) -> tuple[Thought, Observation]:
    said_at = EXAMPLE_NOW - timedelta(minutes=number)
    thought = Thought(id=f"t:fill-{number}", content=text, created_at=said_at, recorded_at=said_at, origin=Origin.HUMAN)
    observation = Observation(
        id=f"o:fill-{number}",
        text=text,
        created_at=said_at,
        recorded_at=said_at,
        origin=Origin.HUMAN,
        provenance=(Provenance(thought_id=thought.id, start=0, end=len(text)),),
        trust=TrustTier.GREEN,
    )
    return thought, observation


def _direction(chance: random.Random, dim: int) -> bytes:
    numbers = [chance.gauss(0.0, 1.0) for _ in range(dim)]
    length = sqrt(sum(number * number for number in numbers))
    values = array("f", (number / length for number in numbers))
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def example_requests() -> list[AskRequest]:
    """Return the example's questions as the command line asks them after `init`: of everything, in one conversation."""
    entries = json.loads(example_questions().read_text("utf-8"))["questions"]
    first = AskRequest(question=entries[0]["question"], new_topic="a year of pianos")
    others = (AskRequest(question=entry["question"], stance=entry["stance"], create=True) for entry in entries[1:])
    requests = [first, *others]
    stances = (type(first.stance)(request.stance) for request in requests)
    pairs = zip(requests, stances, strict=True)
    return [replace(request, stance=stance, surroundings=Scope.ALL) for request, stance in pairs]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.turn", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000, help="rows in the store, at least")
    parser.add_argument("--entities", type=int, default=0, help="how many of them are made-up entities")
    parser.add_argument("--home", type=Path, help="keep the store here; a directory of its own otherwise, thrown away")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as passing:
            home = options.home or Path(passing) / "home"
            report = anyio.run(partial(measure, options.rows, home, entities=options.entities))
    except VoiceError as error:
        print(f"bench.turn: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(report.as_json(), indent=1) if options.json else report.as_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
