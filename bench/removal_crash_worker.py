"""The process that `bench.removal_crash` kills: it marks, archives, takes away and brings back, round after round.

It says the step it has finished on a line: `marked`, `archived`, `gone`, `back`, `cleared`.
"""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench.killed import Say
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.records import Origin, RowStatus, Thought
from voice.core.settings.providers import EmbedSettings
from voice.core.settings.values import ArchiveSettings, Settings
from voice.services.memory.ingest_values import NewThought

NOW: Final = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
NOTES: Final = 420
"""More than go in two transactions."""


def note_ids() -> list[str]:
    """Return the ids of the thoughts."""
    return [f"t:note{number:03}" for number in range(NOTES)]


def content_of(row_id: str) -> str:
    """Return what the thought of that id says."""
    return f"Put the bowl of shelf {row_id[-3:]} into the kiln. {' '.join(f'glaze{place}' for place in range(12))}"


def settings() -> Settings:
    """Return the settings of the trials: nothing has to wait, and no package is needed."""
    return replace(
        Settings(), embed=EmbedSettings(provider="hash"), archive=ArchiveSettings(retention_days=0, format="jsonl")
    )


def parts() -> Parts:
    """Return what the worker and who looks after it open the memory with."""
    return Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(64))


async def fill(home: Path) -> int:
    """Put the thoughts into a new memory, and return how many rows it has."""
    async with open_services(settings(), home, parts()) as services:
        made = [NewThought(content=content_of(row_id), origin=Origin.HUMAN, id=row_id) for row_id in note_ids()]
        await services.ingest.remember(made)
        return sum((await services.store.status()).rows.values())


async def remove_for_ever(home: Path, say: Say) -> None:
    """Work until somebody ends this process; it begins wherever the one before was killed."""
    async with open_services(settings(), home, parts()) as services:
        while True:
            await _round(services, say)


async def _round(services: Services, say: Say) -> None:
    archiving = services.archiving
    held = (await services.store.fetch(note_ids())).values()
    live = [row.id for row in held if isinstance(row, Thought) and row.status is RowStatus.ACTIVE]
    if live:
        await archiving.removals.mark(live)
    say("marked")
    await archiving.export()
    say("archived")
    await archiving.removals.finalise(apply=True)
    say("gone")
    paths = await archiving.removals.shelf.files.listed(archiving.removals.shelf.directory)
    for path in paths:
        await archiving.restore(path)
    say("back")
    _clear(paths)
    say("cleared")


def _clear(paths: list[str]) -> None:
    """Throw archives away whose thoughts are all in the memory: each round would read one more otherwise."""
    for path in paths:
        Path(path).unlink()
