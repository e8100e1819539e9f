"""Every client of a vendor hangs up where enough was heard, and reports what the provider did."""

from dataclasses import replace
from typing import get_args

import pytest
from anyio import to_thread

from fakes.fake_provider import INVENTED, FakeProvider
from fakes.fake_replies import USAGE, Dialect
from llm_clients import REQUEST, Clients, listening
from voice.core.usage import Usage

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
