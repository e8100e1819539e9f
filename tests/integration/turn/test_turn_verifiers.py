"""A turn with a verifier: what it proves, what it costs, and what is kept of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from played_turns import FIRED, KILN, MOVED, PAID, USAGE, Speak, ask, given, memory, one_turn, quoting, scripted, tell
from present import present
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.core.errors import ConfigurationError, ProviderUnavailable
from voice.core.render.verification import lapse_line
from voice.core.session.values import DialogueExchange
from voice.core.settings.providers import LlmSettings, VerifierSettings
from voice.core.usage import cost_of
from voice.ports.llm import LlmRequest

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
