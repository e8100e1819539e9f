"""The process that `bench.torn` stops: it remembers, imports, corrects or forgets something long, once.

It says `began` when the memory is open, and `done` when what it did was acknowledged.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import anyio

from bench.killed import Say
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.graph.thoughts.distillation import observation_id
from voice.core.interchange.origin import Entrance
from voice.core.records import Origin
from voice.core.settings.providers import EmbedSettings
from voice.core.settings.values import Settings
from voice.entrypoints.cli.terminal.interrupts import Terminated, cancelled_by_sigterm
from voice.services.graph.correct import CorrectRequest
from voice.services.imports.request import ImportRequest
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import remember_once

NOW: Final = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
ACTS: Final = ("remember", "import", "import own", "correct", "forget")
LENGTHS: Final[Mapping[str, int]] = {"remember": 3000, "correct": 1100, "forget": 1100, "import": 1100, "kept": 40}
"""Sentences of each long note."""
_SHORT: Final = 24
_OWN: Final = 300
_STAGED: Final = "Ada Lund works at Kiln Co."


def note(name: str, sentences: int) -> str:
    """Return a note of so many sentences, each of which can be read alone and no two of which are alike."""
    told = (f"For the {name} of day {place} I fired bowl {place} in the kiln." for place in range(sentences))
    return " ".join(told)


def long_note(name: str) -> str:
    """Return the long note that an act is about."""
    return note(name, LENGTHS[name])


def correctable() -> str:
    """Return the note that is corrected; a candidate rests on its first sentence."""
    return f"{_STAGED} {long_note('correct')}"


def corrected() -> str:
    """Return what it is corrected to."""
    return correctable().replace("bowl 7 ", "pot 7 ")


def imported() -> dict[str, str]:
    """Return the notes of the folder that is imported, by file."""
    short = {f"short {place:02}.md": note(f"short {place}", 25) for place in range(_SHORT)}
    return {**short, "long.md": long_note("import")}


def own_notes() -> list[str]:
    """Return the notes of the file of our own format."""
    return [f"For the own file I fired bowl {place} in the kiln." for place in range(_OWN)]


def write_sources(place: Path) -> None:
    """Write what is imported."""
    folder = place / "notes"
    folder.mkdir()
    for name, text in imported().items():
        (folder / name).write_text(text, encoding="utf-8")
    lines = [
        {"format": "inner-voice-memory/1"},
        *(line for at, text in enumerate(own_notes()) for line in _own(at, text)),
    ]
    (place / "own.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")


def _own(at: int, text: str) -> list[dict[str, object]]:
    """Return a thought's lines: itself, its observation, who it names, and a relation."""
    thought, person = f"t:own{at:04}", f"e:own{at:04}"
    grounds = {"provenance": [{"thought_id": thought, "start": 0, "end": len(text)}], "created_at": "2026-03-01"}
    return [
        {"type": "entity", "id": person, "name": f"Potter {at}", "entity_type": "person", **grounds},
        {"type": "thought", "id": thought, "content": text, "created_at": "2026-03-01"},
        {
            "type": "observation",
            "id": observation_id(thought, 0, len(text)),
            "text": text,
            "entities": [person],
            **grounds,
        },
        {
            "type": "relation",
            "id": f"r:own{at:04}",
            "source": person,
            "target": "e:own0000",
            "rel_type": "knows",
            **grounds,
        },
    ]


def settings() -> Settings:
    """Return the settings of the trials: no package is needed."""
    return replace(Settings(), embed=EmbedSettings(provider="hash"))


def parts() -> Parts:
    """Return what the worker and who looks after it open the memory with."""
    return Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(64))


async def fill(home: Path) -> int:
    """Make the memory that every trial begins with, and return how many rows it has."""
    async with open_services(settings(), home, parts()) as services:
        await services.ingest.remember([_new("t:correct", correctable())])
        await services.extracting.stage_stored()
        await services.ingest.remember([_new("t:forget", long_note("forget")), _new("t:kept", long_note("kept"))])
        await services.index.refresh()
        return sum((await services.store.status()).rows.values())


async def act(name: str, home: Path, sources: Path, say: Say) -> None:
    """Do one thing, as a command does it: SIGTERM withdraws it."""
    try:
        with cancelled_by_sigterm():
            async with open_services(settings(), home, parts()) as services:
                say("began")
                await _DO[name](services, sources)
                say("done")
    except Terminated:
        say("stopped")


async def again(name: str, home: Path, sources: Path) -> float:
    """Do it in a process that nobody stops, and return how many seconds it took from when the memory was open."""
    async with open_services(settings(), home, parts()) as services:
        began = asyncio.get_running_loop().time()
        await _DO[name](services, sources)
        return asyncio.get_running_loop().time() - began


def _new(row_id: str, text: str) -> NewThought:
    return NewThought(id=row_id, content=text, origin=Origin.HUMAN)


async def _remember(services: Services, _: Path) -> None:
    thought = NewThought(content=long_note("remember"), origin=Origin.HUMAN)
    await remember_once(services.ingest, thought, "the key of a long note")


async def _import(services: Services, sources: Path) -> None:
    await _brought(services, sources / "notes")


async def _import_own(services: Services, sources: Path) -> None:
    await _brought(services, sources / "own.jsonl")


async def _brought(services: Services, path: Path) -> None:
    request = ImportRequest(path=str(path), entrance=Entrance.CLI, zone=ZoneInfo("UTC"))
    await services.transfer.import_memory(request)


async def _correct(services: Services, _: Path) -> None:
    await services.correcting(CorrectRequest(row_id="t:correct", text=corrected()))


async def _forget(services: Services, _: Path) -> None:
    await services.forget(ForgetRequest(ids=frozenset({"t:forget"})), "forget")


_DO: Final[Mapping[str, Callable[[Services, Path], Awaitable[None]]]] = {
    "remember": _remember,
    "import": _import,
    "import own": _import_own,
    "correct": _correct,
    "forget": _forget,
}


def run_act(name: str, home: Path, sources: Path, say: Say) -> None:
    """Do one thing in an event loop of its own."""
    anyio.run(act, name, home, sources, say)
