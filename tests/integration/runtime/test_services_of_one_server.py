"""Several programs with services of their own, one memory on one server."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from candidate_values import full_candidates
from played_turns import KILN, NOW, WHERE, ask, given, tell
from served_stores import OVER_WS, served
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import SessionConflict


async def _open(home: Path, stack: AsyncExitStack, count: int) -> list[Services]:
    settings = given(store=served(OVER_WS))
    parts = [Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(128), llm=ExtractiveClient()) for _ in range(count)]
    return [await stack.enter_async_context(open_services(settings, home / "home", each)) for each in parts]


@pytest.mark.requirement("server:services-in-step", "server:one-sequence")
async def test_what_each_remembers_all_find(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        services = await _open(tmp_path, stack, 3)
        await asyncio.gather(*(tell(each, text) for each, text in zip(services, KILN, strict=False)))
        ends = [await each.index.refresh() for each in services]
        counts = [(await each.index.status()).rows for each in services]
        faults = [await each.index.faults() for each in services]
        turns = [await ask(each, WHERE) for each in services]
    assert len(set(ends)) == 1
    assert counts[0] == counts[1] == counts[2]
    assert faults == [[], [], []]
    assert len({turn.exchange.answer for turn in turns}) == 1


@pytest.mark.requirement("server:services-in-step")
async def test_of_two_decisions_on_one_candidate_the_second_is_told(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        one, two = await _open(tmp_path, stack, 2)
        decided = [each.review.moderation.candidates.save(full_candidates()) for each in (one, two)]
        ended = await asyncio.gather(*decided, return_exceptions=True)
    assert sorted(type(each).__name__ for each in ended) == sorted(["list", SessionConflict.__name__])
