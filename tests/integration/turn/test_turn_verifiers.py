"""A turn with a verifier: what it proves, what it costs, and what is kept of it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest

from fakes.fake_provider import FakeProvider
from fakes.fake_replies import USAGE as WIRE_USAGE
from played_turns import FIRED, KILN, MOVED, PAID, USAGE, Speak, ask, given, memory, one_turn, quoting, scripted, tell
from present import present
from store_values import full_exchange
from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.factory import make_client
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.adapters.verifiers import TEMPLATE, LlmJudge
from voice.core.context.prompt_templates import latest_template
from voice.core.errors import ConfigurationError, ProviderUnavailable
from voice.core.grounding.values import RefusalReason
from voice.core.render.verification import lapse_line
from voice.core.session.values import DialogueExchange
from voice.core.settings.providers import LlmSettings, VerifierSettings
from voice.core.token_estimates import ConservativeCounter
from voice.core.usage import cost_of
from voice.ports.llm import LlmRequest
from voice.ports.verifier import VerifierRequest
from voice.testing.verifiers import ASKED, UnpaidMeter

WHOLE = LlmSettings(stream=False)
OTHER_WORDS = "On Sunday Marta made her earliest pottery in the oven."
ANSWER = f"{MOVED} {OTHER_WORDS}"
FIRED_WORDS = "Marta fired the first bowls in the kiln"


def opinion(verdict: str, words: str = FIRED_WORDS, *, answers: bool = True) -> Callable[[LlmRequest], str]:
    """Return a verifier that says one thing of every claim, and names `words`."""

    def speak(request: LlmRequest) -> str:
        asked = json.loads(request.prompt)
        sources = [one["source_id"] for one in asked["sources"] if words in one["text"]]
        named = [{"source_id": alias, "words": words, "doubt": None} for alias in sources]
        claims = [{"number": one["number"], "words": named, "verdict": verdict} for one in asked["claims"]]
        return json.dumps({"claims": claims, "answers_question": answers})

    return speak


def answering(second: Speak | Line, **fields: object) -> ScriptedClient:
    return scripted(quoting(MOVED, FIRED, answer=ANSWER), second, **fields)  # pyright: ignore[reportArgumentType]


async def asked(home: Path, client: ScriptedClient, **groups: object) -> DialogueExchange:
    return (await one_turn(home, client, settings=given(**{"llm": WHOLE, **groups}))).exchange


@pytest.mark.requirement("grounding:verifier:request")
async def test_a_quoted_answer_needs_nobody(tmp_path: Path) -> None:
    client = scripted(quoting(MOVED, FIRED), "never")
    exchange = await asked(tmp_path, client)
    assert (client.calls, exchange.verification) == (1, None)
    assert [one.rung for one in exchange.sentences] == ["quoted", "quoted"]


async def test_without_a_verifier_what_is_not_quoted_is_cut_and_counted(tmp_path: Path) -> None:
    client = answering("never")
    exchange = await asked(tmp_path, client, verifier=VerifierSettings(name="none"))
    assert (client.calls, exchange.verification) == (1, None)
    assert OTHER_WORDS not in repr(exchange)


@pytest.mark.requirement("ruling:D8", "ruling:D18", "grounding:verified")
async def test_support_in_other_words_is_found_paid_for_and_recorded(tmp_path: Path) -> None:
    client = answering(opinion("supported"), profile=PAID)
    async with memory(tmp_path, client, settings=given(llm=WHOLE), told=KILN) as services:
        exchange = (await ask(services)).exchange
        (kept,) = await services.sessions.exchanges()
    assert [sentence.rung for sentence in exchange.sentences] == ["quoted", "verified"]
    assert [(one.purpose, one.outcome, one.usage) for one in exchange.attempts] == [
        ("draft", "draft", USAGE),
        ("verify", "draft", USAGE),
    ]
    assert exchange.cost_estimate == 2 * (cost_of(USAGE, PAID.price) or Decimal(0))
    verification = present(exchange.verification)
    assert (verification.verifier.name, verification.false_support) == ("llm", 0.02)
    assert not verification.is_degraded
    assert kept == replace(exchange, seq=kept.seq)


def invented(request: LlmRequest) -> str:
    """Support every claim with words that stand nowhere."""
    return opinion("supported")(request).replace(FIRED_WORDS, "Marta sold all of it to a museum abroad")


@pytest.mark.requirement("grounding:verified")
@pytest.mark.parametrize(
    ("checks", "shown"), [(opinion("supported"), True), (opinion("contradicted"), False), (invented, False)]
)
async def test_only_what_is_supported_with_words_that_stand_somewhere_is_shown(
    tmp_path: Path, checks: Speak, *, shown: bool
) -> None:
    assert (OTHER_WORDS in repr(await asked(tmp_path, answering(checks)))) is shown


@pytest.mark.requirement("ruling:D5")
async def test_an_answer_to_another_question_is_refused_as_off_topic(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, answering(opinion("supported", answers=False)))
    assert exchange.reason is RefusalReason.OFF_TOPIC


@pytest.mark.requirement("ruling:D24", "grounding:lapses")
@pytest.mark.parametrize(
    ("line", "said"), [("not JSON", "gave no usable answer"), (ProviderUnavailable("busy"), "failed")]
)
async def test_a_lapse_leaves_the_verdicts_of_rules_and_is_said(tmp_path: Path, line: Line, said: str) -> None:
    rules = await asked(tmp_path / "a", answering("never"), verifier=VerifierSettings(name="none"))
    degraded = await asked(tmp_path / "b", answering(line))
    assert present(degraded.verification).is_degraded
    assert said in (lapse_line(degraded) or "")
    assert [one.rung for one in degraded.sentences] == [one.rung for one in rules.sentences]
    assert (degraded.status, degraded.coverage_ratio) == (rules.status, rules.coverage_ratio)


@pytest.mark.requirement("promise:7")
async def test_the_spending_cap_is_the_whole_turns_opinions_included(tmp_path: Path) -> None:
    client = answering(opinion("supported"), profile=PAID)
    exchange = await asked(tmp_path, client, llm=replace(WHOLE, max_turn_cost=Decimal("0.0225")))
    assert client.calls == 1
    assert present(exchange.verification).lapse == "budget"
    assert [one.purpose for one in exchange.attempts] == ["draft"]


async def test_a_draft_that_no_opinion_can_save_costs_no_opinion(tmp_path: Path) -> None:
    client = scripted(lambda _: json.dumps({"answer": "The kiln is sold.", "sources": []}), "never")
    exchange = await asked(tmp_path, client)
    assert (client.calls, exchange.refused) == (1, True)


@pytest.mark.requirement("grounding:verifier:model", "ruling:D24")
async def test_another_model_checks_where_one_is_named(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    checker = scripted(opinion("supported"), seen=seen, profile=replace(PAID, model="judge-1"))
    settings = given(llm=WHOLE, verifier=VerifierSettings(model="vendor/judge-1"))
    exchange = (await one_turn(tmp_path, answering("never"), settings=settings, checker=checker)).exchange
    assert len(seen) == 1
    assert present(exchange.verification).verifier.version.startswith("vendor/judge-1 verify.v3 ")
    assert (exchange.model, exchange.sentences[1].rung) == ("scripted-1", "verified")
    assert checker.closed


@pytest.mark.requirement("grounding:verifier:model")
async def test_where_rules_compose_the_answer_nobody_is_asked_to_check_it(tmp_path: Path) -> None:
    checker = scripted("never")
    settings = given(verifier=VerifierSettings(model="vendor/judge-1"))
    exchange = (await one_turn(tmp_path, settings=settings, checker=checker)).exchange
    assert (checker.calls, exchange.verification, exchange.status) == (0, None, "answered")


@pytest.mark.parametrize(
    ("group", "says"),
    [(VerifierSettings(name="oracle"), "use one of llm"), (VerifierSettings(name="llm"), "extractive is none")],
)
async def test_a_verifier_that_cannot_be_made_is_an_error_and_not_left_out(
    tmp_path: Path, group: VerifierSettings, says: str
) -> None:
    async with memory(tmp_path, settings=given(verifier=group), told=KILN) as services:
        with pytest.raises(ConfigurationError, match=says):
            await ask(services)


@pytest.mark.requirement("ruling:H.6")
async def test_private_rows_go_to_a_judge_elsewhere_only_with_consent(tmp_path: Path) -> None:
    checker = scripted(opinion("supported"), profile=PAID)
    settings = given(llm=WHOLE, verifier=VerifierSettings(model="vendor/judge-1"))
    async with memory(tmp_path, answering("never"), settings=settings, checker=checker) as services:
        await tell(services, *KILN, is_private=True)
        with pytest.raises(ConfigurationError, match="SURR_ALLOW_PRIVATE_REMOTE"):
            await ask(services, include_private=True)
    assert checker.calls == 0


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.mark.requirement("ruling:D18")
async def test_a_judge_behind_a_real_client_is_asked_over_the_wire_and_its_usage_counted(
    tmp_path: Path, provider: FakeProvider
) -> None:
    settings = LlmSettings(provider="gemini", model="fake-success", api_key="k", api_base=provider.url)
    client = make_client(settings, today=date(2026, 11, 1), unix_time=lambda: 0.0)
    try:
        judge = LlmJudge(client, counter=ConservativeCounter(), template=latest_template(load_prompts(), TEMPLATE))
        meter = UnpaidMeter()
        said = await judge.verify(VerifierRequest(asked=ASKED, timeout_s=10.0, meter=meter))
    finally:
        await client.aclose()
    assert [one.verdict for one in said.opinions] == ["supported", "not_stated", "not_stated", "not_stated"]
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
    assert from_json(DialogueExchange, older) == replace(full_exchange(), verification=None)
