"""A verifier that is new is tried before it is believed, once, and what follows is told."""

import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest

from played_turns import (
    FIRED,
    KILN,
    MOVED,
    PAID,
    USAGE,
    WHERE,
    Calibrations,
    Speak,
    ask,
    given,
    memory,
    quoting,
    supports_everything,
)
from present import present
from voice.adapters.llm.scripted import SCRIPTED_PROFILE, Line, ScriptedClient
from voice.bootstrap import Services
from voice.core.errors import ProviderUnavailable
from voice.core.grounding.values import GroundingPolicy
from voice.core.render.answer import lines_beside
from voice.core.session.turn_events import Calibrating, Event
from voice.core.settings.providers import LlmSettings
from voice.ports.files import CalibrationStore
from voice.ports.llm import LlmRequest, ModelProfile
from voice.services.turn.ask import AskRequest
from voice.testing.verifiers import say_verbatim

CALLS = 8
OTHER_WORDS = "On Sunday Marta made her earliest pottery in the oven."
WHOLE = LlmSettings(stream=False)
LENIENT = given(llm=WHOLE, grounding=GroundingPolicy(min_sources=1, min_coverage=0.3))


def writing(
    checks: Speak, seen: list[LlmRequest] | None = None, profile: ModelProfile = SCRIPTED_PROFILE
) -> ScriptedClient:
    """Return a model that writes one sentence in words of its own, and checks as it is told."""
    draft = quoting(MOVED, FIRED, answer=f"{MOVED} {OTHER_WORDS}")

    def speak(request: LlmRequest) -> Line:
        return checks(request) if is_check(request) else draft(request)

    return ScriptedClient(speak, seen=seen, usage=USAGE, profile=profile)


def untried(
    home: Path, llm: ScriptedClient, kept: CalibrationStore | None = None, **wiring: object
) -> AbstractAsyncContextManager[Services]:
    """Open a memory of the kiln with a verifier that has not been tried, unless `kept` knows of it."""
    new = {"settings": LENIENT, "calibrations": kept or Calibrations(), "told": KILN}
    return memory(home, llm, **{**new, **wiring})  # pyright: ignore[reportArgumentType]


def is_check(request: LlmRequest) -> bool:
    return request.prompt.startswith('{"question"')


def checks_in(seen: list[LlmRequest]) -> list[Mapping[str, object]]:
    return [cast("Mapping[str, object]", json.loads(each.prompt)) for each in seen if is_check(each)]


@pytest.mark.requirement("grounding:verifier:belief", "grounding:verifier:calibration")
async def test_a_model_that_supports_everything_is_not_believed_and_the_person_is_told(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    kept, events = Calibrations(), list[Event]()
    client = writing(supports_everything, seen)
    async with untried(tmp_path, client, kept) as services:
        turn = await services.ask(AskRequest(question=WHERE, create=True), events.append)
        again = await ask(services)
    (record,) = kept.read()
    assert record.false_support > 0.8
    assert not record.is_believed
    assert (turn.exchange.answer, OTHER_WORDS in repr(turn.exchange)) == (MOVED, False)
    verification = present(turn.exchange.verification)
    assert (verification.lapse, verification.false_support) == ("not_believed", record.false_support)
    told = " ".join(lines_beside(turn.exchange))
    assert "did not pass its test: it let 88% of false claims pass, and voice accepts at most 10%" in told
    assert "only sentences that quote your memory word for word count as proven" in told
    assert "SURR_VERIFIER_MODEL" in told
    (begun,) = [event for event in events if isinstance(event, Calibrating)]
    assert begun.calls == CALLS
    assert len(checks_in(seen)) == CALLS, "it was tried once, and asked about no answer"
    assert present(again.exchange.verification).lapse == "not_believed"


@pytest.mark.requirement("grounding:verifier:belief")
async def test_one_that_lets_nothing_false_pass_is_believed_and_asked(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    async with untried(tmp_path, writing(say_verbatim, seen)) as services:
        verification = present((await ask(services)).exchange.verification)
    assert (verification.lapse, verification.false_support) == (None, 0.0)
    asked = checks_in(seen)
    assert len(asked) == CALLS + 1
    assert asked[-1]["question"] == WHERE


@pytest.mark.requirement("grounding:verifier:calibration")
async def test_nothing_of_the_memory_and_no_label_is_shown_while_it_is_tried(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    async with untried(tmp_path, writing(say_verbatim, seen)) as services:
        await ask(services)
    tried = [each.prompt for each in seen if is_check(each)][:CALLS]
    assert len(tried) == CALLS
    assert not any("kiln" in prompt and "Marta" in prompt for prompt in tried)
    assert not any(word in prompt for prompt in tried for word in ('"pair"', '"kind"', '"verdict"', '"id"'))


@pytest.mark.requirement("grounding:verifier:calibration", "promise:7")
@pytest.mark.parametrize("cap", ["max_turn_cost", "max_day_cost"])
async def test_a_cap_that_does_not_allow_it_leaves_it_untried_and_says_so(tmp_path: Path, cap: str) -> None:
    seen, kept = list[LlmRequest](), Calibrations()
    capped = replace(LENIENT, llm=replace(WHOLE, **{cap: Decimal("0.2")}))  # pyright: ignore[reportArgumentType]
    async with untried(tmp_path, writing(say_verbatim, seen, PAID), kept, settings=capped) as services:
        turn = await ask(services)
    assert (checks_in(seen), kept.read()) == ([], ())
    assert present(turn.exchange.verification).lapse == "budget"
    (said,) = [line for line in lines_beside(turn.exchange) if "a spending cap does not allow it" in line]
    assert "voice verifier check" in said


@pytest.mark.requirement("grounding:verifier:calibration")
async def test_one_that_fails_while_it_is_tried_is_not_judged_and_not_tried_again_at_once(tmp_path: Path) -> None:
    seen, kept = list[LlmRequest](), Calibrations()
    async with untried(tmp_path, writing(lambda _: ProviderUnavailable("busy"), seen), kept) as services:
        first, second = await ask(services), await ask(services)
    lapses = [present(turn.exchange.verification).lapse for turn in (first, second)]
    assert lapses == ["failed", "failed"]
    assert (len(checks_in(seen)), kept.read()) == (1, ())


@pytest.mark.requirement("grounding:verifier:foreseen")
async def test_a_dry_run_foresees_the_check_and_trying_it_first(tmp_path: Path) -> None:
    kept, client = Calibrations(), writing(supports_everything, profile=PAID)
    async with untried(tmp_path, client, kept) as services:
        new = present((await services.dry_run(AskRequest(question=WHERE, create=True))).check)
        assert client.calls == 0
        await ask(services)
        tried = present((await services.dry_run(AskRequest(question=WHERE))).check)
    assert (new.calibration_calls, new.is_asked, new.record) == (CALLS, True, None)
    assert new.call.worst is not None
    assert new.calibration.worst is not None
    assert new.call.prompt_tokens > 2 * WHOLE.max_output_tokens
    assert (tried.is_asked, tried.calibration_calls) == (False, 0)
