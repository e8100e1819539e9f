"""Conversations for the tests of exports and imports: held, written to files, and read back as a store keeps them."""

import json
from dataclasses import replace
from pathlib import Path

from played_turns import KILN, NOW, ask, tell
from store_values import full_exchange, session
from voice.bootstrap import Services
from voice.core.session.lifecycle import append
from voice.core.session.turn_traces import with_link
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.services.sessions.lookup import all_exchanges
from voice.services.sessions.transcripts import Imported


async def talk(services: Services) -> str:
    """Hold a conversation of three turns, one of them refused, and return its id."""
    await tell(services, *KILN)
    first = await ask(services, new_topic="the kiln")
    await ask(services, "Who is the emperor of China?", session_id=first.session.id)
    await ask(services, session_id=first.session.id)
    return first.session.id


async def exported(services: Services, name: str, path: Path, **options: bool) -> Path:
    left = await services.transcripts.export(name, **options)
    path.write_text(json.dumps(left.document.members()))
    return path


async def carried(here: Services, there: Services, name: str, folder: Path, **options: bool) -> Imported:
    """Let a conversation leave one memory for another one, in a file."""
    return await there.transcripts.bring_in(str(await exported(here, name, folder / "carried.json", **options)))


async def kept(services: Services, session_id: str) -> tuple[InnerVoiceSession, list[DialogueExchange]]:
    held = await services.sessions.load(session_id, window=0)
    assert held is not None
    return held, await all_exchanges(services.sessions, session_id)


def begun(**members: object) -> InnerVoiceSession:
    return replace(session(), **{"created_at": NOW, "last_interaction": NOW, **members})  # pyright: ignore[reportArgumentType]


def full(index: int, **members: object) -> DialogueExchange:
    """Return an exchange with no field at its default."""
    return replace(full_exchange(index=index), **{"id": f"x:{index}", "timestamp": NOW, **members})


def content(exchange: DialogueExchange) -> DialogueExchange:
    """Return what was said and judged, without what belongs to one store."""
    return replace(exchange, link="", seq=0, imported_from=None, redacted=())


async def save(services: Services, *exchanges: DialogueExchange, topic: str = "t") -> str:
    """Store a conversation of these exchanges and return its id."""
    grown = begun(thread_topic=topic)
    chained: list[DialogueExchange] = []
    for each in exchanges:
        chained.append(with_link(each, after=grown.last_link, key=services.transcripts.key))
        grown = append(grown, chained[-1])
    await services.sessions.save(replace(grown, revision=1), chained, expected=0)
    return grown.id
