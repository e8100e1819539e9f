"""Thoughts that are marked, archived and taken away, for tests: when it is, and what is found."""

from dataclasses import replace

from played_turns import given, later, row_of
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.records import Thought
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.values import ArchiveSettings, Settings
from voice.services.removal.archives import Archives
from voice.services.removal.removals import Finalised

DAYS = 30


def settings(days: int = DAYS) -> Settings:
    return given(archive=ArchiveSettings(retention_days=days, format="jsonl"))


def at(services: Services, **delta: float) -> Archives:
    """Return the service as it is that much later."""
    clock = FixedClock(later(**delta))
    return replace(services.archiving, removals=replace(services.archiving.removals, clock=clock))


async def thought(services: Services, row_id: str) -> Thought:
    return await row_of(services, row_id, Thought)


async def found(services: Services, query: str, mix: float = 0.0) -> set[str]:
    told = await services.find(RetrieveRequest(query=query, provider="local-fts", floor=0.0, top_k=50, mix=mix))
    return {row_id for snippet in told.snippets for row_id in (snippet.id, *snippet.also_in)}


async def archive_of(services: Services) -> str:
    """Return the path of the one archive there is."""
    shelf = services.archiving.removals.shelf
    (path,) = await shelf.files.listed(shelf.directory)
    return path


async def taken(services: Services, *ids: str) -> Finalised:
    """Mark, archive and take away."""
    await services.archiving.removals.mark(ids)
    await services.archiving.export()
    return await at(services, days=DAYS + 1).removals.finalise(apply=True)
