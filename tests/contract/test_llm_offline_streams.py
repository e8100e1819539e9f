"""The clients that ask nobody keep the contract of replies in pieces."""

from dataclasses import replace

import pytest

from llm_clients import REQUEST, listening
from voice.adapters.llm.scripted import ExtractiveClient, ScriptedClient
from voice.core.usage import NO_USAGE, Usage


@pytest.mark.requirement("stream:clients")
@pytest.mark.parametrize("piece_chars", [None, 1, 7, 10_000])
async def test_a_scripted_reply_comes_whole_or_in_pieces(piece_chars: int | None) -> None:
    said, told = "one two three", list[str]()
    client = ScriptedClient([said, said], piece_chars=piece_chars, usage=NO_USAGE)
    reply = await client.complete(replace(REQUEST, on_text=listening(told)))
    assert ("".join(told), reply.text, reply.stopped, reply.usage) == (said, said, False, NO_USAGE)
    told.clear()
    reply = await client.complete(replace(REQUEST, on_text=listening(told, until="two")))
    assert "".join(told) == reply.text
    assert reply.text == (said if piece_chars in (None, 10_000) else said[:7])
    assert reply.stopped == (piece_chars is not None)
    assert reply.usage == (NO_USAGE if piece_chars is None else Usage())


@pytest.mark.requirement("stream:clients")
async def test_the_offline_provider_tells_its_reply_at_once_and_is_not_stopped() -> None:
    told: list[str] = []
    reply = await ExtractiveClient().complete(replace(REQUEST, on_text=listening(told, until="")))
    assert (told, reply.stopped) == ([reply.text], False)
