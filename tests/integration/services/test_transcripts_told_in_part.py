"""A conversation comes in that is here already, with more or fewer words of its private turns."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import NOW, memory
from store_values import full_exchange, session
from voice.bootstrap import Services
from voice.core.session.chain import linked
from voice.core.session.lifecycle import append
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.services.sessions import all_exchanges

pytestmark = [pytest.mark.anyio, pytest.mark.requirement("sessions:portable")]


async def exported(services: Services, name: str, path: Path, **options: bool) -> Path:
    left = await services.transcripts.export(name, **options)
    path.write_text(json.dumps(left.document.members()))
    return path


async def kept(services: Services, session_id: str) -> tuple[InnerVoiceSession, list[DialogueExchange]]:
    held = await services.sessions.load(session_id, window=0)
    assert held is not None
    return held, await all_exchanges(services.sessions, session_id)


def begun(**members: object) -> InnerVoiceSession:
    return replace(session(), **{"created_at": NOW, "last_interaction": NOW, **members})  # pyright: ignore[reportArgumentType]


def full(index: int, **members: object) -> DialogueExchange:
    """Return an exchange with no field at its default."""
    return replace(full_exchange(index=index), **{"id": f"x:{index}", "timestamp": NOW, **members})


async def save(services: Services, *exchanges: DialogueExchange, topic: str = "t") -> str:
    """Store a conversation of these exchanges and return its id."""
    grown = begun(thread_topic=topic)
    chained: list[DialogueExchange] = []
    for each in exchanges:
        chained.append(linked(each, after=grown.last_link, key=services.transcripts.key))
        grown = append(grown, chained[-1])
    await services.sessions.save(replace(grown, revision=1), chained, expected=0)
    return grown.id


async def test_a_file_that_tells_more_of_private_turns_says_so_and_brings_it_once_the_others_are_gone(
    tmp_path: Path,
) -> None:
    async with memory(tmp_path / "one") as here, memory(tmp_path / "two") as there:
        turns = [full(0, is_private=False), full(1, is_private=True), full(2, is_private=True)]
        session_id = await save(here, *turns)
        public = str(await exported(here, session_id, tmp_path / "public.json"))
        whole = str(await exported(here, session_id, tmp_path / "whole.json", include_private=True))
        first = await there.transcripts.bring_in(public)
        assert (first.added, first.fuller, first.undisclosed) == (3, 0, 2)
        more = await there.transcripts.bring_in(whole)
        assert (more.added, more.known, more.fuller, more.further) == (0, 3, 2, 0)
        assert (await there.transcripts.bring_in(public)).fuller == 0
        assert [each.my_query for each in (await kept(there, session_id))[1]][1:] == ["", ""]
        await there.life.delete(session_id)
        again = await there.transcripts.bring_in(whole)
        assert (again.added, again.fuller) == (3, 0)
        brought = (await kept(there, again.session_id))[1]
        assert [each.my_query for each in brought] == [each.my_query for each in turns]
        assert await there.transcripts.faults() == []
        assert (await there.transcripts.bring_in(public)).fuller == 0


async def test_turns_that_are_here_and_not_in_a_file_are_counted(tmp_path: Path) -> None:
    async with memory(tmp_path / "one") as here, memory(tmp_path / "two") as there:
        turns = [full(index, is_private=False) for index in range(3)]
        short = str(await exported(there, await save(there, *turns[:2]), tmp_path / "a.json"))
        await save(here, *turns)
        again = await here.transcripts.bring_in(short)
        assert (again.added, again.known, again.further) == (0, 2, 1)
