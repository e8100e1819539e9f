"""From settings to a client, and the facts it is built on."""

from datetime import date
from decimal import Decimal

import pytest

from llm_clients import REQUEST
from store_values import exchange
from tables import tables
from voice.adapters.llm.factory import make_client, make_facts_only, names_of, with_retries
from voice.adapters.llm.gemini import GeminiClient
from voice.adapters.llm.litellm_client import LiteLlmClient
from voice.adapters.llm.model_facts import is_loopback, price_for, profile_of
from voice.adapters.llm.provider_errors import CHECKER, WRITER, Addressee, error_of_status, retry_after
from voice.adapters.llm.retry import RetryingClient
from voice.adapters.llm.scripted import ExtractiveClient
from voice.core.errors import ConfigurationError, ProviderRejected, ProviderUnavailable
from voice.core.render.answer import render_markdown
from voice.core.settings.providers import LlmSettings, VerifierSettings
from voice.core.usage import FREE
from voice.ports.llm import LlmClient

TABLES = tables(__file__)

_TODAY = date(2026, 11, 21)


def _make(provider: str, model: str, key: str | None = "k", api_base: str | None = None) -> LlmClient:
    settings = LlmSettings(provider=provider, model=model, api_key=key, api_base=api_base)
    return make_client(settings, today=_TODAY, unix_time=lambda: 0.0)


@pytest.mark.requirement("ruling:A23", "ruling:D24")
@pytest.mark.parametrize(("provider", "model", "names"), TABLES["a_missing_key_is_an_error_that_says_what_to_set"])
@pytest.mark.parametrize("key", [None, "", "  "])
def test_a_missing_key_is_an_error_that_says_what_to_set(
    provider: str, model: str, names: str, key: str | None
) -> None:
    with pytest.raises(ConfigurationError, match=names) as raised:
        _make(provider, model, key)
    assert "extractive" in raised.value.message
    with pytest.raises(ConfigurationError, match="needs a key: set SURR_INNER_VOICE_API_KEY,"):
        _make("gemini", "gemini-2.5-pro", key, api_base="http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("provider", "model", "said"),
    [
        *[(each, model, "SURR_INNER_VOICE_MODEL") for each, model in (("openai", " "), ("litellm", "gpt-5"))],
        ("openai", "openai/", "SURR_INNER_VOICE_MODEL"),
        ("nosuch", "gpt-5", "^unknown provider nosuch; set SURR_INNER_VOICE_PROVIDER to one of gemini, "),
    ],
)
def test_a_missing_model_or_unknown_provider_is_an_error_that_says_what_to_set(
    provider: str, model: str, said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        _make(provider, model)


@pytest.mark.parametrize(
    ("provider", "model", "kind", "named"),
    [
        ("extractive", "whatever", ExtractiveClient, ("extractive", "extractive-1")),
        ("gemini", "gemini-2.5-pro", GeminiClient, ("gemini", "gemini-2.5-pro")),
        ("litellm", "gemini/gemini-2.5-flash", GeminiClient, ("gemini", "gemini-2.5-flash")),
        ("openai", "openai/gpt-5", LiteLlmClient, ("openai", "gpt-5")),
        ("openrouter", "meta-llama/llama-4", LiteLlmClient, ("openrouter", "meta-llama/llama-4")),
    ],
)
def test_the_provider_that_is_named_is_the_one_that_is_made(
    provider: str, model: str, kind: type, named: tuple[str, str]
) -> None:
    client = _make(provider, model)
    assert isinstance(client, kind)
    assert (client.profile.provider, client.profile.model) == named


@pytest.mark.parametrize(
    ("provider", "api_base"), [("ollama_chat", None), ("lm_studio", None), ("openai", "http://127.0.0.1:8080/v1")]
)
def test_a_server_of_ones_own_needs_no_key(provider: str, api_base: str | None) -> None:
    client = _make(provider, "llama3", None, api_base)
    assert (client.profile.remote, client.profile.price) == (False, None)


def _inside(layer: LlmClient) -> object:
    return vars(layer)["_inner"]


async def test_remote_clients_are_retried_and_offline_ones_are_not() -> None:
    bare = _make("openai", "gpt-5")
    remote = with_retries(bare, monotonic_ms=lambda: 0.0)
    offline = with_retries(ExtractiveClient(), monotonic_ms=lambda: 0.0)
    assert (type(remote), _inside(remote)) == (RetryingClient, bare)
    assert (await offline.complete(REQUEST)).model == "extractive-1"
    await remote.aclose()


@pytest.mark.requirement("tokens:dry-run", "ruling:A23")
@pytest.mark.parametrize(
    ("provider", "model"),
    [("gemini", "gemini-2.5-pro"), ("litellm", "anthropic/claude-sonnet-4-5"), ("extractive", "extractive-1")],
)
async def test_what_a_model_would_cost_is_known_without_its_key_and_nobody_can_be_asked(
    provider: str, model: str
) -> None:
    without = make_facts_only(LlmSettings(provider=provider, model=model), today=_TODAY)
    assert without.profile == _make(provider, model).profile
    assert without.profile.price is not None
    with pytest.raises(ProviderRejected, match="is not asked here"):
        await without.complete(REQUEST)
    await without.aclose()


@pytest.mark.requirement("s2:provider:name", "s2:provider:max_context_tokens")
@pytest.mark.parametrize(
    ("provider", "model", "context", "output", "schema"), TABLES["a_profile_says_what_a_model_takes"]
)
def test_a_profile_says_what_a_model_takes(
    provider: str,
    model: str,
    context: int,
    output: int,
    schema: bool,  # noqa: FBT001
) -> None:
    profile = profile_of(provider, model, api_base=None, price=FREE)
    assert (profile.context_tokens, profile.max_output_tokens) == (context, output)
    assert ("schema" not in profile.untaken) is schema
    assert (profile.provider, profile.model, profile.price) == (provider, model, FREE)


def test_a_namesake_on_another_server_is_taken_for_a_small_model() -> None:
    profile = profile_of("openai", "gpt-5", api_base="http://gpu-box:8000/v1", price=None)
    assert (profile.context_tokens, profile.remote) == (8_192, True)


@pytest.mark.requirement("ruling:H.6")
@pytest.mark.parametrize(("url", "stays"), TABLES["only_loopback_stays_on_this_machine"])
def test_only_loopback_stays_on_this_machine(url: str, stays: bool) -> None:  # noqa: FBT001
    assert is_loopback(url) is stays


@pytest.mark.requirement("ruling:D18")
def test_prices_are_dated_and_know_cached_tokens_and_long_prompts() -> None:
    usual = price_for("gemini", "gemini-2.5-pro", on=_TODAY, prompt_tokens=8_000)
    long = price_for("gemini", "gemini-2.5-pro", on=_TODAY, prompt_tokens=300_000)
    assert usual is not None
    assert long is not None
    assert (usual.input_per_million, usual.output_per_million) == (Decimal("1.25"), Decimal(10))
    assert usual.cached_input_per_million == Decimal("0.125")
    assert long.input_per_million > usual.input_per_million
    assert (usual.as_of, usual.source.split()[0]) == ("2026-11-21", "genai-prices")


@pytest.mark.requirement("ruling:D18")
@pytest.mark.parametrize(
    ("provider", "model"),
    [("ollama_chat", "llama3"), ("openai", "no-such-model"), ("nobody", "gpt-5"), ("openai", "whisper-1")],
    ids=["of ones own", "no such model", "no such provider", "not sold by tokens"],
)
def test_an_unknown_price_is_none_and_never_zero(provider: str, model: str) -> None:
    assert price_for(provider, model, on=_TODAY, prompt_tokens=1) is None
    assert price_for("openai", "gpt-5", on=_TODAY, prompt_tokens=1) is not None


def test_a_vendors_price_is_not_assumed_of_its_namesake_elsewhere() -> None:
    assert _make("openai", "gpt-5").profile.price is not None
    assert _make("openai", "gpt-5", api_base="https://proxy.example/v1").profile.price is None


@pytest.mark.requirement("ruling:D25")
@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_a_passing_fault_is_worth_another_try(status: int) -> None:
    assert isinstance(error_of_status(status, Addressee(provider="openai")), ProviderUnavailable)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 418, 422])
def test_a_lasting_fault_is_not(status: int) -> None:
    fault = error_of_status(status, Addressee(provider="openai"))
    assert isinstance(fault, ProviderRejected)
    assert fault.message.startswith("OpenAI ")


@pytest.mark.requirement("ruling:J3")
@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        (Addressee(provider="gemini"), "SURR_INNER_VOICE_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY"),
        (Addressee(provider="openai", api_base="http://box/v1"), "SURR_INNER_VOICE_API_KEY"),
        (Addressee(provider="openai", names=CHECKER), "SURR_VERIFIER_API_KEY or OPENAI_API_KEY"),
    ],
)
def test_a_key_that_is_not_accepted_is_named_by_where_it_may_come_from(asked: Addressee, keys: str) -> None:
    assert error_of_status(401, asked).message.endswith(f" does not accept the key; check {keys}")


@pytest.mark.requirement("ruling:J3")
def test_the_settings_of_the_model_that_checks_are_named_as_its_own() -> None:
    writer = LlmSettings(provider="openai", model="m")
    checker = VerifierSettings(model="openai/n").llm_of(writer)
    assert names_of(writer) is WRITER
    assert names_of(checker) is CHECKER
    assert names_of(VerifierSettings().llm_of(writer)) is WRITER


@pytest.mark.requirement("ruling:J3")
@pytest.mark.parametrize(("wait_s", "told"), TABLES["a_wait_is_told_in_the_unit_that_one_reads"])
def test_a_wait_is_told_in_the_unit_that_one_reads(wait_s: float | None, told: str) -> None:
    fault = error_of_status(429, Addressee(provider="gemini"), retry_after_s=wait_s)
    assert fault.message == f"Gemini limits the rate of requests; try again {told}"


@pytest.mark.requirement("ruling:J3")
@pytest.mark.parametrize(("provider", "named"), [("openai", "OpenAI"), ("deepseek", "The provider deepseek")])
def test_a_provider_that_opens_a_sentence_has_the_name_that_people_know(provider: str, named: str) -> None:
    refused = exchange(refused=True, notes=error_of_status(402, Addressee(provider=provider)).message)
    assert f". {named} asks for payment. " in render_markdown(refused)


@pytest.mark.parametrize(("headers", "seconds"), TABLES["the_wait_that_a_provider_asks_for_is_read"])
def test_the_wait_that_a_provider_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now_s=60.0) == seconds
