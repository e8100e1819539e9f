"""Every client of a vendor hangs up where enough was heard, and reports what the provider did.

The clients that ask nobody keep the contract of replies in pieces.
"""

from dataclasses import replace
from typing import get_args

import pytest
from anyio import to_thread

from fakes.fake_provider import INVENTED, FakeProvider
from fakes.fake_replies import USAGE, Dialect
from llm_clients import REQUEST, Clients, listening
from voice.adapters.llm.scripted import ExtractiveClient, ScriptedClient
from voice.core.usage import NO_USAGE, Usage

_DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


@pytest.mark.requirement("stream:clients", "ruling:D18")
@pytest.mark.parametrize("dialect", _DIALECTS)
async def test_who_has_heard_enough_ends_the_call_and_the_provider_stops_writing(
    dialect: Dialect, provider: FakeProvider, clients: Clients
) -> None:
    model, told = f"fake-held+{dialect}", list[str]()
    provider.hung_up.clear()
    client = clients(dialect, model, provider.api_base(dialect))
    reply = await client.complete(replace(REQUEST, timeout_s=120.0, on_text=listening(told, until=INVENTED)))
    assert await to_thread.run_sync(provider.hung_up.wait, 20)
    assert reply.stopped
    assert reply.text == "".join(told)
    assert INVENTED in reply.text
    assert '"answer"' not in reply.text
    assert provider.written[model] < 40
    assert reply.usage.input_tokens == (USAGE["input"] if dialect in ("gemini", "anthropic") else None)
    assert (reply.usage.output_tokens is None) == (dialect != "gemini")  # the one that reports as it goes


@pytest.mark.requirement("stream:saved", "ruling:D18")
@pytest.mark.parametrize(("until", "written"), [(INVENTED, None), ("never said", USAGE["output"])])
async def test_what_gemini_has_not_counted_yet_is_unknown_and_not_zero(
    provider: FakeProvider, clients: Clients, until: str, written: int | None
) -> None:
    provider.counts_late = True
    try:
        behaviour = "held" if written is None else "invented"
        client = clients("gemini", f"fake-{behaviour}+late", provider.api_base("gemini"))
        reply = await client.complete(replace(REQUEST, timeout_s=120.0, on_text=listening([], until=until)))
    finally:
        provider.counts_late = False
    assert reply.stopped == (written is None)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (USAGE["input"], written)


@pytest.mark.requirement("stream:clients", "ruling:D18")
@pytest.mark.parametrize("dialect", _DIALECTS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_what_a_provider_does_not_report_is_unknown_and_no_count_of_a_library(
    dialect: Dialect, provider: FakeProvider, clients: Clients, *, streamed: bool
) -> None:
    if dialect == "ollama_chat" and not streamed:
        pytest.skip("litellm counts the tokens of such a whole reply itself, and does not say that it did")
    request = replace(REQUEST, on_text=listening([])) if streamed else REQUEST
    reply = await clients(dialect, "fake-unreported", provider.api_base(dialect)).complete(request)
    assert reply.usage == Usage()


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
