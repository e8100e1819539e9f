"""Every client keeps the port's contract, through the real client libraries.

Two ways in: a provider on this machine that speaks each vendor's dialect, and respx where a vendor's own address is
asked. All tests that import litellm are in this file, so that its import is paid for once.
"""

import json
import logging
import os
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import httpx
import pytest
import respx

from fakes.fake_provider import BEHAVIOURS, LONG_ANSWER, RETRY_AFTER_S, UNICODE_ANSWER, FakeProvider
from fakes.fake_replies import USAGE, Dialect, reply_body
from llm_clients import KEY, REQUEST, Clients, listening
from voice.adapters.litellm_setup import TAMED_ENVIRONMENT, load_litellm
from voice.adapters.llm.scripted import ExtractiveClient, ScriptedClient
from voice.core.errors import DeadlineExceeded, ProviderError, ProviderRejected, ProviderUnavailable
from voice.core.grounding.draft import DRAFT_SCHEMA, DraftFault, parse_draft
from voice.core.grounding.values import Draft, DraftSentence
from voice.core.settings.providers import is_known
from voice.core.usage import NO_USAGE, Usage
from voice.ports.llm import LlmClient, LlmReply, LlmRequest

_DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


async def _outcome(client: LlmClient, request: LlmRequest = REQUEST) -> LlmReply | ProviderError:
    try:
        return await client.complete(request)
    except ProviderError as error:
        return error


_ERRORS: Mapping[str, type[ProviderError]] = {
    "rate-limited": ProviderUnavailable,
    "server-error": ProviderUnavailable,
    "cut": ProviderUnavailable,
    "gibberish": ProviderRejected,
    "hang": DeadlineExceeded,
    "unauthorised": ProviderRejected,
    "unknown-model": ProviderRejected,
    "bad-request": ProviderRejected,
    "too-long": ProviderRejected,
}
_INVENTED = f"I like tea. a quotation of nothing {LONG_ANSWER.strip()}"
_LONG = {"invented": _INVENTED, "held": _INVENTED, "one-source": f"I like tea. {LONG_ANSWER.strip()}"}
_FAULTS = {"malformed": "cut_off", "empty": "empty", "huge": "too_large"}
_ANSWERS = {
    "success": "I like tea.",
    "fenced": "I like tea.",
    "unreported": "I like tea.",
    "unicode": UNICODE_ANSWER,
    **_LONG,
}


_PLAYED_IN_TURNS = ("fenced", "empty", "rate-limited", "server-error", "unauthorised", "unknown-model")
"""What `test_wire_shapes` plays of every dialect, whole and streamed."""


@pytest.mark.requirement("s2:provider:gemini", "s2:provider:client", "stream:clients")
@pytest.mark.parametrize("behaviour", [each for each in BEHAVIOURS if each not in _PLAYED_IN_TURNS])
@pytest.mark.parametrize("dialect", _DIALECTS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_every_dialect_and_every_behaviour_has_its_outcome(
    dialect: Dialect, behaviour: str, provider: FakeProvider, clients: Clients, *, streamed: bool
) -> None:
    if streamed and behaviour == "held":
        pytest.skip("it waits for a caller that hangs up")
    client = clients(dialect, f"fake-{behaviour}", provider.api_base(dialect))
    request = replace(REQUEST, timeout_s=0.3) if behaviour == "hang" else REQUEST
    told: list[str] = []
    outcome = await _outcome(client, replace(request, on_text=listening(told)) if streamed else request)
    if behaviour in _ERRORS:
        assert type(outcome) is _ERRORS[behaviour]
        return
    assert isinstance(outcome, LlmReply)
    assert not outcome.stopped
    draft = parse_draft(outcome.text)
    filtered = behaviour == "filtered" and dialect != "ollama_chat"  # Ollama has no filter
    assert outcome.ending == ("declined" if filtered else "complete")
    assert "".join(told) == (outcome.text if streamed else "")
    if filtered:
        assert outcome.text == ""
        return
    if behaviour in _FAULTS:
        assert isinstance(draft, DraftFault)
        assert draft.code == _FAULTS[behaviour]
        return
    assert isinstance(draft, Draft)
    assert draft.refused is (behaviour == "refusal")
    assert " ".join(one.text.strip() for one in draft.sentences) == _ANSWERS.get(
        behaviour, "" if draft.refused else "I like tea."
    )


@pytest.mark.requirement("ruling:D18")
@pytest.mark.parametrize("dialect", _DIALECTS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_usage_is_what_the_provider_reports(
    dialect: Dialect, provider: FakeProvider, clients: Clients, *, streamed: bool
) -> None:
    request = replace(REQUEST, on_text=listening([])) if streamed else REQUEST
    reply = await clients(dialect, "fake-success", provider.api_base(dialect)).complete(request)
    cached = None if dialect == "ollama_chat" else USAGE["cached"]
    assert reply.usage == Usage(input_tokens=USAGE["input"], output_tokens=USAGE["output"], cached_input_tokens=cached)
    ended = "end_turn" if dialect == "anthropic" else "stop"
    assert (reply.model, (reply.finish_reason or "").lower()) == ("fake-success", ended)


@pytest.mark.requirement("ruling:D25")
@pytest.mark.parametrize("dialect", _DIALECTS)
async def test_one_call_is_one_attempt_and_reports_the_wait_that_was_asked_for(
    dialect: Dialect, provider: FakeProvider, clients: Clients
) -> None:
    model = f"fake-rate-limited+{dialect}"
    outcome = await _outcome(clients(dialect, model, provider.api_base(dialect)))
    assert isinstance(outcome, ProviderUnavailable)
    assert outcome.retry_after_s == RETRY_AFTER_S
    assert len([received for received in provider.received if received.model == model]) == 1


@pytest.mark.requirement("ruling:D24")
@pytest.mark.parametrize("dialect", _DIALECTS)
async def test_the_key_goes_in_the_vendors_header_and_nowhere_else(
    dialect: Dialect, provider: FakeProvider, clients: Clients
) -> None:
    await clients(dialect, f"fake-success+{dialect}", provider.api_base(dialect)).complete(REQUEST)
    received = provider.received[-1]
    header = {"gemini": "x-goog-api-key", "anthropic": "x-api-key"}.get(dialect, "authorization")
    assert [name.lower() for name, value in received.headers.items() if KEY in value] == [header]
    assert KEY not in received.path + json.dumps(dict(received.body))


@pytest.mark.requirement("ruling:D24")
@pytest.mark.parametrize("dialect", ["openai", "anthropic", "ollama_chat"])
async def test_a_key_in_the_environment_is_never_sent_to_a_server_of_ones_own(
    dialect: Dialect, provider: FakeProvider, clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    for vendor in ("OPENAI", "ANTHROPIC", "OLLAMA"):
        monkeypatch.setenv(f"{vendor}_API_KEY", "canary-environment")
        monkeypatch.setenv(f"{vendor}_API_BASE", provider.url)
        monkeypatch.setenv(f"{vendor}_BASE_URL", provider.url)
    before = len(provider.received)
    await clients(dialect, "fake-success", provider.api_base(dialect), None).complete(REQUEST)
    received = provider.received[before:]
    assert len(received) == 1
    assert "canary-environment" not in str(dict(received[0].headers))


@pytest.mark.requirement("ruling:A3")
@pytest.mark.parametrize("dialect", _DIALECTS)
async def test_the_reply_schema_temperature_and_limit_are_on_the_wire(
    dialect: Dialect, provider: FakeProvider, clients: Clients
) -> None:
    await clients(dialect, "fake-success", provider.api_base(dialect)).complete(REQUEST)
    wire = json.dumps(dict(provider.received[-1].body))
    assert all(f'"{key}"' in wire for key in ("sentences", "sources", "source_id", "span", "text", "kind"))
    assert all(part in wire for part in ("canary-system", "canary-prompt", "0.2", "2048"))


async def test_a_client_works_again_after_another_one_was_closed(provider: FakeProvider, clients: Clients) -> None:
    first, second = (clients("openai", "fake-success", provider.api_base("openai")) for _ in range(2))
    await first.complete(REQUEST)
    await first.aclose()
    assert (await second.complete(REQUEST)).model == "fake-success"
    await second.aclose()
    await second.aclose()


async def test_a_server_that_is_not_there_is_worth_another_try(clients: Clients) -> None:
    for dialect in _DIALECTS:
        outcome = await _outcome(clients(dialect, "fake-success", "http://127.0.0.1:9"))
        assert type(outcome) is ProviderUnavailable
        assert " at http://127.0.0.1:9 could not be made" in outcome.message
        assert outcome.message.endswith("or check SURR_INNER_VOICE_API_BASE")


_HOMES = {
    "gemini": (
        "gemini-2.5-pro",
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent",
    ),
    "openai": ("gpt-5", "https://api.openai.com/v1/chat/completions"),
    "anthropic": ("claude-sonnet-4-5", "https://api.anthropic.com/v1/messages"),
    "xai": ("grok-4", "https://api.x.ai/v1/chat/completions"),
    "ollama_chat": ("llama3", "http://localhost:11434/api/chat"),
}


@pytest.mark.requirement("ruling:D24", "promise:10")
@pytest.mark.parametrize("vendor", _HOMES)
async def test_without_an_endpoint_only_the_vendors_own_address_is_asked(
    vendor: str, clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://192.0.2.1")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    model, url = _HOMES[vendor]
    dialect: Dialect = "openai" if vendor == "xai" else vendor  # type: ignore[assignment]
    text = '{"sentences": [{"sources": [], "text": "Tea.", "kind": "claim"}], "refused": false, "notes": null}'
    with respx.mock(assert_all_called=True) as mock:
        route = mock.post(url).mock(
            return_value=httpx.Response(200, json=reply_body(dialect, model, text, filtered=False))
        )
        reply = await clients(vendor, model).complete(REQUEST)
    assert (route.call_count, parse_draft(reply.text)) == (1, Draft(sentences=(DraftSentence(text="Tea."),)))


@pytest.mark.requirement("ruling:A3")
async def test_a_claude_that_enforces_schemas_is_given_ours_word_for_word(clients: Clients) -> None:
    with respx.mock() as mock:
        route = mock.post("https://api.anthropic.com/v1/messages").mock(
            return_value=httpx.Response(200, json=reply_body("anthropic", "claude-sonnet-4-5", "{}", filtered=False))
        )
        await clients("anthropic", "claude-sonnet-4-5").complete(REQUEST)
    sent = json.loads(route.calls.last.request.content)
    assert sent["output_format"]["schema"] == json.loads(json.dumps(DRAFT_SCHEMA))


async def test_gemini_may_think_through_half_of_its_reply_only(clients: Clients) -> None:
    with respx.mock() as mock:
        route = mock.post(_HOMES["gemini"][1]).mock(
            return_value=httpx.Response(200, json={"promptFeedback": {"blockReason": "SAFETY"}})
        )
        reply = await clients("gemini", "gemini-2.5-pro").complete(REQUEST)
    sent = json.loads(route.calls.last.request.content)
    assert sent["generationConfig"]["thinkingConfig"]["thinking_budget"] == 1024
    assert (reply.text, reply.ending, reply.finish_reason, reply.usage) == ("", "declined", "SAFETY", Usage())


async def test_gemini_calls_a_bad_key_a_bad_request_and_we_do_not(clients: Clients) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    error = {"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT", "details": details}}
    with respx.mock() as mock:
        mock.post(_HOMES["gemini"][1]).mock(return_value=httpx.Response(400, json=error))
        outcome = await _outcome(clients("gemini", "gemini-2.5-pro"))
    assert isinstance(outcome, ProviderRejected)
    assert "does not accept the key" in outcome.message


@pytest.mark.parametrize(
    ("status", "error", "outcome"),
    [
        (400, "content_policy_violation: your prompt", LlmReply),
        (400, "This model's maximum context length is 8 tokens", ProviderRejected),
        (408, "Request timed out", ProviderUnavailable),
    ],
)
async def test_openai_names_filters_lengths_and_timeouts_in_an_error(
    status: int, error: str, outcome: type, clients: Clients
) -> None:
    body = {"error": {"message": error, "type": "invalid_request_error"}}
    with respx.mock() as mock:
        mock.post(_HOMES["openai"][1]).mock(return_value=httpx.Response(status, json=body))
        got = await _outcome(clients("openai", "gpt-5"))
    assert type(got) is outcome
    if isinstance(got, LlmReply):
        assert (got.text, got.ending) == ("", "declined")
        assert (got.usage, got.finish_reason) == (Usage(), "content_filter")


async def test_a_refusal_that_openai_puts_beside_the_content_is_a_refusal(clients: Clients) -> None:
    body = reply_body("openai", "gpt-5", "", filtered=False)
    body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    with respx.mock() as mock:
        mock.post(_HOMES["openai"][1]).mock(return_value=httpx.Response(200, json=body))
        reply = await clients("openai", "gpt-5").complete(REQUEST)
    assert (reply.text, reply.ending, reply.usage.input_tokens) == ("", "model_refused", USAGE["input"])


@pytest.mark.requirement("ruling:D18")
async def test_a_reply_without_usage_has_unknown_usage(clients: Clients) -> None:
    body = {**reply_body("openai", "gpt-5", "{}", filtered=False), "usage": None}
    bare = {"candidates": [{"content": {"parts": [{"text": "{}"}]}}]}
    with respx.mock() as mock:
        mock.post(_HOMES["openai"][1]).mock(return_value=httpx.Response(200, json=body))
        mock.post(_HOMES["gemini"][1]).mock(return_value=httpx.Response(200, json=bare))
        replies = [await clients(vendor, _HOMES[vendor][0]).complete(REQUEST) for vendor in ("openai", "gemini")]
    assert [reply.usage for reply in replies] == [Usage(), Usage()]


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize("behaviour", ["success", "malformed", *_ERRORS])
@pytest.mark.parametrize("dialect", _DIALECTS)
async def test_neither_logs_nor_output_nor_errors_hold_prompt_reply_or_key(
    dialect: Dialect,
    behaviour: str,
    provider: FakeProvider,
    clients: Clients,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with caplog.at_level(logging.DEBUG), _every_logger_at_debug():
        client = clients(dialect, f"fake-{behaviour}", provider.api_base(dialect))
        request = replace(REQUEST, timeout_s=0.3) if behaviour == "hang" else REQUEST
        outcome = await _outcome(client, request)
    shown = [repr(client), repr(request), repr(outcome), caplog.text, *capfd.readouterr()]
    if isinstance(outcome, ProviderError):
        shown.append("".join(traceback.format_exception(outcome)))
        assert (outcome.__cause__, outcome.__context__) == (None, None)
    everything = "\n".join(shown)
    assert "canary" not in everything
    assert "I like tea" not in everything


class _every_logger_at_debug:  # noqa: N801 - reads as a phrase
    """Sets every logger to DEBUG by name, as an impatient person does, and puts the levels back."""

    def __enter__(self) -> None:
        loggers = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
        self._levels = {logger: logger.level for logger in loggers}
        for logger in loggers:
            logger.setLevel(logging.DEBUG)

    def __exit__(self, *_: object) -> None:
        for logger, level in self._levels.items():
            logger.setLevel(level)


@pytest.mark.requirement("promise:6", "promise:10")
def test_nobodys_environment_makes_litellm_fetch_or_talk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TAMED_ENVIRONMENT:
        monkeypatch.setenv(name, "False")
    monkeypatch.setenv("LITELLM_LOG", "DEBUG")
    litellm = load_litellm()
    litellm.callbacks.append("canary")
    litellm.set_verbose = True
    assert load_litellm() is litellm
    assert {name: os.environ[name] for name in TAMED_ENVIRONMENT} == TAMED_ENVIRONMENT
    assert (litellm.callbacks, litellm.set_verbose, litellm.suppress_debug_info) == ([], False, True)
    assert logging.getLogger("openai._base_client").level == logging.WARNING
    assert not logging.getLogger("LiteLLM").isEnabledFor(logging.CRITICAL)


@pytest.mark.requirement("ruling:A23")
def test_every_provider_that_litellm_knows_is_known() -> None:
    named = {str(getattr(each, "value", each)) for each in load_litellm().provider_list}
    assert len(named) > 100
    assert {each for each in named if not is_known(each)} == set()


@pytest.mark.parametrize("client", [ExtractiveClient(), ScriptedClient(["{}"] * 9)], ids=lambda c: type(c).__name__)
async def test_the_offline_clients_keep_the_same_contract(client: LlmClient) -> None:
    reply = await client.complete(REQUEST)
    assert isinstance(parse_draft(reply.text), Draft | DraftFault)
    assert not client.profile.remote
    assert client.profile.price is not None
    await client.aclose()
    await client.aclose()


async def test_the_extractive_client_reports_no_tokens() -> None:
    assert (await ExtractiveClient().complete(REQUEST)).usage == NO_USAGE


def test_the_table_names_every_behaviour_of_the_fake_provider() -> None:
    known: set[Any] = {*_ERRORS, *_FAULTS, *_ANSWERS, "refusal", "filtered"}
    assert known == set(BEHAVIOURS)
