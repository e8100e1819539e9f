"""A turn with verifiers: what they change, what they cost, and what is kept of them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest

from fakes.fake_provider import FakeProvider
from fakes.fake_replies import USAGE as WIRE_USAGE
from onnx_file import METADATA, write_onnx
from played_turns import FIRED, KILN, MOVED, PAID, USAGE, Speak, ask, given, memory, quoting, scripted, stored, tell
from store_values import full_exchange
from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.factory import LlmConfig, make_client
from voice.adapters.llm.scripted import ScriptedClient
from voice.adapters.verifiers.llm_judge import TEMPLATE, LlmJudge
from voice.core.context.template import latest
from voice.core.errors import ConfigurationError, ProviderUnavailable
from voice.core.grounding.values import RefusalReason
from voice.core.session.values import DialogueExchange
from voice.core.settings.values import LlmSettings, VerifierSettings
from voice.core.tokens import ConservativeCounter
from voice.core.usage import cost_of
from voice.ports.llm import LlmRequest
from voice.ports.verifier import VerifierRequest
from voice.testing.verifiers import PAIRS, UnpaidMeter

pytestmark = pytest.mark.anyio

LLM = VerifierSettings(names="llm")
OTHER_WORDS = "On Sunday Marta made her earliest pottery in the oven."
ANSWER = f"{MOVED} {OTHER_WORDS}"


def opinion(word: str) -> Speak:
    def speak(request: LlmRequest) -> str:
        count = request.prompt.count('"claim"')
        return json.dumps({"verdicts": [{"pair": n, "verdict": word} for n in range(1, count + 1)]})

    return speak


def answering(second: Speak | str, **fields: object) -> ScriptedClient:
    return scripted(quoting(MOVED, FIRED, answer=ANSWER), second, **fields)  # pyright: ignore[reportArgumentType]


async def test_without_verifiers_nothing_is_asked_and_nothing_recorded(tmp_path: Path) -> None:
    client = answering("never")
    async with memory(tmp_path, client) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert (client.calls, exchange.verification) == (1, None)


@pytest.mark.requirement("ruling:D8", "ruling:D18")
async def test_support_in_other_words_is_found_paid_for_and_recorded(tmp_path: Path) -> None:
    client = answering(opinion("supported"), profile=PAID)
    async with memory(tmp_path, client, settings=given(verifier=LLM)) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
        (kept,) = await stored(services)
    assert [sentence.verdict for sentence in exchange.sentences] == ["supported", "supported"]
    assert "paraphrase" in exchange.sentences[1].flags
    assert [(one.purpose, one.outcome, one.usage) for one in exchange.attempts] == [
        ("draft", "draft", USAGE),
        ("verify", "draft", USAGE),
    ]
    assert exchange.cost_estimate == 2 * (cost_of(USAGE, PAID.price) or Decimal(0))
    assert exchange.verification is not None
    assert [info.name for info in exchange.verification.verifiers] == ["llm"]
    assert not exchange.verification.is_degraded
    assert kept == replace(exchange, seq=kept.seq)


async def test_a_contradiction_refuses_and_says_who_found_it(tmp_path: Path) -> None:
    client = answering(opinion("contradicted"))
    async with memory(tmp_path, client, settings=given(verifier=LLM)) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert exchange.reason is RefusalReason.CONTRADICTION
    assert "the sources say otherwise (llm)" in (exchange.notes or "")
    assert OTHER_WORDS not in repr(exchange)


@pytest.mark.requirement("ruling:D24", "grounding:lapses")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not JSON", "the verifier llm gave no usable answer"),
        (ProviderUnavailable("busy"), "the verifier llm failed"),
    ],
)
async def test_a_lapse_leaves_the_default_verdicts_and_is_said(tmp_path: Path, line: str, said: str) -> None:
    async with memory(tmp_path / "a", answering("never")) as services:
        await tell(services, *KILN)
        default = (await ask(services)).exchange
    async with memory(tmp_path / "b", answering(line), settings=given(verifier=LLM)) as services:
        await tell(services, *KILN)
        degraded = (await ask(services)).exchange
    assert degraded.verification is not None
    assert degraded.verification.is_degraded
    assert said in (degraded.notes or "")
    assert [one.verdict for one in degraded.sentences] == [one.verdict for one in default.sentences]
    assert (degraded.status, degraded.coverage_ratio) == (default.status, default.coverage_ratio)


@pytest.mark.requirement("promise:7")
async def test_the_spending_cap_is_the_whole_turns_opinions_included(tmp_path: Path) -> None:
    inner = answering(opinion("supported"), profile=PAID)
    cap = Decimal("0.0225")
    settings = given(verifier=LLM, llm=LlmSettings(max_turn_cost=cap))
    async with memory(tmp_path, inner, settings=settings) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert inner.calls == 1
    assert exchange.verification is not None
    assert exchange.verification.lapses == (("llm", "budget"),)
    assert [one.purpose for one in exchange.attempts] == ["draft"]


async def test_a_draft_that_no_opinion_can_save_costs_no_opinion(tmp_path: Path) -> None:
    client = scripted(quoting(MOVED, answer="The kiln moved to the cellar in May 2019."), "never")
    async with memory(tmp_path, client, settings=given(verifier=LLM)) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert (client.calls, exchange.refused) == (1, True)


async def test_a_model_file_is_asked_and_its_hash_is_kept(tmp_path: Path) -> None:
    doubtful = {**METADATA, "bias": 20.0, "support": 1.0, "doubt": 0.5}
    path = write_onnx(tmp_path / "doubt.onnx", doubtful)
    settings = given(verifier=VerifierSettings(names="cross-encoder", model=str(path)))
    said = f"{MOVED} Marta fired the first bowls there on Sunday."
    async with memory(tmp_path, scripted(quoting(MOVED, FIRED, answer=said)), settings=settings) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert exchange.verification is not None
    assert exchange.verification.verifiers[0].version.startswith("sha256:")
    assert "verifier" in exchange.sentences[1].flags
    assert exchange.sentences[1].verdict == "unsupported"


@pytest.mark.parametrize(
    ("group", "says"),
    [
        (VerifierSettings(names="cross-encoder"), "set SURR_VERIFIER_MODEL"),
        (VerifierSettings(names="cross-encoder", model="/no/such.onnx"), r"/no/such\.onnx cannot be read"),
        (VerifierSettings(names="oracle"), "use one of cross-encoder, llm"),
        (LLM, "extractive is none"),
    ],
)
async def test_a_verifier_that_cannot_be_made_is_an_error_and_not_left_out(
    tmp_path: Path, group: VerifierSettings, says: str
) -> None:
    async with memory(tmp_path, settings=given(verifier=group)) as services:
        await tell(services, *KILN)
        with pytest.raises(ConfigurationError, match=says):
            await ask(services)


@pytest.mark.requirement("ruling:H.6")
async def test_private_rows_go_to_a_judge_elsewhere_only_with_consent(tmp_path: Path) -> None:
    client = answering(opinion("supported"), profile=PAID)
    async with memory(tmp_path, client, settings=given(verifier=LLM)) as services:
        await tell(services, *KILN, is_private=True)
        with pytest.raises(ConfigurationError, match="SURR_ALLOW_PRIVATE_REMOTE"):
            await ask(services, include_private=True)
    assert client.calls == 0


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.mark.requirement("ruling:D18")
async def test_a_judge_behind_a_real_client_is_asked_over_the_wire_and_its_usage_counted(
    tmp_path: Path, provider: FakeProvider
) -> None:
    config = LlmConfig(
        provider="gemini", model="fake-success", api_key="k", api_base=provider.url, today=date(2026, 11, 1)
    )
    client = make_client(config, unix_time=lambda: 0.0)
    try:
        judge = LlmJudge(client, counter=ConservativeCounter(), template=latest(load_prompts(), TEMPLATE))
        meter = UnpaidMeter()
        said = await judge.score(VerifierRequest(pairs=PAIRS, timeout_s=10.0, meter=meter))
    finally:
        await client.aclose()
    assert [scores.entailed for scores in said if scores] == [1.0] * len(PAIRS)
    assert [(usage.input_tokens, usage.output_tokens) for usage in meter.usage if usage] == [
        (WIRE_USAGE["input"], WIRE_USAGE["output"])
    ]
    assert len(provider.received) == 1


@pytest.mark.requirement("ruling:A7")
def test_an_exchange_from_before_verifiers_is_read_as_one_without() -> None:
    older = to_json(DialogueExchange, full_exchange())
    assert isinstance(older["attempts"], list)
    older.pop("verification")
    for attempt in cast("list[dict[str, object]]", older["attempts"]):
        del attempt["purpose"]
    assert from_json(DialogueExchange, older) == full_exchange()
