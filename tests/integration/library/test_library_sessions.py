"""Conversations through the door for programs."""

from pathlib import Path

import pytest

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts
from voice.core.errors import InvalidParams, UnknownId
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice

pytestmark = pytest.mark.requirement("sessions:lifecycle", "sessions:fork")
ON = {"gate.enabled": True, "llm.provider": "extractive", "grounding.single_source": "green"}
WHERE = "Where did I move the kiln?"


async def test_a_conversation_lives_and_goes(tmp_path: Path) -> None:
    settings = parse_settings(ON, {}, {}).settings
    async with Voice.open(settings, tmp_path, parts=Parts(embedder=HashedEmbedder(64))) as memory:
        await memory.remember("Moved the kiln to the shed.")
        first = await memory.ask(WHERE, new_topic="kiln")
        await memory.ask(WHERE, session="kiln")
        sessions = memory.sessions
        forked = await sessions.fork("kiln", at=1, topic="fork")
        await memory.ask(WHERE, session=forked.id)
        difference = await sessions.diff("kiln", "fork")
        assert (difference.shared, len(difference.pairs)) == (1, 1)
        session, turns = await sessions.show("fork")
        assert (session.own_from, [turn.session_id for turn in turns]) == (1, [first.session.id, forked.id])
        assert (await sessions.rename("fork", "branch")).thread_topic == "branch"
        assert (await sessions.close("branch")).status == "closed"
        assert (await sessions.reopen("branch")).status == "open"
        assert (await sessions.set_topic("branch", "resolved")).topic_status == "resolved"
        assert [each.thread_topic for each in await sessions.list(topic_status="resolved")] == ["branch"]
        with pytest.raises(InvalidParams, match=r"you can only delete them together$"):
            await sessions.delete("kiln")
        assert (await sessions.delete("kiln", with_forks=True, dry_run=True)).turns == 3
        assert (await sessions.delete("kiln", with_forks=True)).turns == 3
        assert await sessions.list() == []
        with pytest.raises(UnknownId, match="was deleted"):
            await sessions.show(first.session.id)
