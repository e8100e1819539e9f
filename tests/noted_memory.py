"""A memory of notes by their names, of which one source is enough and whose passages a re-ranker reads."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from played_turns import given, memory
from voice.bootstrap import Services
from voice.core.grounding.values import GroundingPolicy
from voice.core.records import Origin
from voice.core.settings.values import Settings
from voice.services.memory.ingest_values import NewThought
from words_reranker import WordsReranker

ONE_SOURCE = given(grounding=GroundingPolicy(single_source="green"))


@asynccontextmanager
async def noted(
    home: Path, notes: Mapping[str, str], reranker: WordsReranker | None = None, settings: Settings = ONE_SOURCE
) -> AsyncGenerator[Services]:
    """Open a memory of these notes."""
    async with memory(home, settings=settings, reranker=reranker or WordsReranker()) as services:
        await note(services, notes)
        yield services


async def note(services: Services, notes: Mapping[str, str], *, is_private: bool = False) -> None:
    """Remember notes by their names."""
    made = [
        NewThought(content=text, origin=Origin.HUMAN, source_ref=name, is_private=is_private)
        for name, text in notes.items()
    ]
    await services.ingest.remember(made)
