"""Checking any answer: the rules alone, and with a verifier that is asked about the rest."""

from dataclasses import replace
from decimal import Decimal

import pytest

from played_turns import NOW, PAID
from voice.adapters.llm.scripted import ScriptedClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.adapters.verifiers import make_verifier
from voice.core.grounding.check import Fact
from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.usage import Usage
from voice.ports.llm import LlmRequest
from voice.services.runtime.isolated_calls import CallerLoopClient
from voice.services.runtime.spending import SpendCaps, Spending
from voice.services.verification.draft_verification import Check, DraftVerification
from voice.testing.verifiers import context, say_verbatim

pytestmark = pytest.mark.requirement("grounding:check:alone")
_FACTS = (Fact(text="The kiln is in the shed and it is cold.", id="a"),)
_ANSWER = "The kiln is in the shed [a]"


def checking(client: ScriptedClient, **verifying: object) -> Check:
    verifier = make_verifier("llm", replace(context(), llm=CallerLoopClient(llm=client)))
    return Check(
        clock=FixedClock(NOW),
        verifying=replace(DraftVerification(verifier=verifier), **verifying),
        price=client.profile.price,
    )


def paid(seen: list[LlmRequest]) -> ScriptedClient:
    return ScriptedClient(say_verbatim, profile=PAID, usage=Usage(input_tokens=1000, output_tokens=100), seen=seen)


async def test_a_verifier_is_asked_once_and_what_it_costs_is_told() -> None:
    seen: list[LlmRequest] = []
    checked = await checking(paid(seen))(_ANSWER, _FACTS, question="Where is the kiln?")
    (claim,) = checked.report.claims
    assert (claim.rung, claim.citations[0].source_id, len(seen)) == ("verified", "a", 1)
    assert checked.verification is not None
    assert claim.verifier == checked.verification.verifier.label
    assert checked.cost is not None
    assert checked.cost > 0
    assert "Where is the kiln?" in seen[0].prompt


async def test_a_verifier_that_is_not_believed_is_not_asked() -> None:
    async def tried(_trace: object) -> CalibrationRecord:
        return CalibrationRecord(verifier="v", checked_on=NOW.date(), claims=100, false_support=0.5, false_doubt=0.1)

    seen: list[LlmRequest] = []
    checked = await checking(paid(seen), belief=tried)(_ANSWER, _FACTS)
    assert checked.verification is not None
    assert (checked.verification.lapse, checked.report.claims[0].rung, seen) == ("not_believed", "unverified", [])


async def test_a_cap_that_does_not_allow_the_call_keeps_it_from_being_made() -> None:
    seen: list[LlmRequest] = []
    service = replace(checking(paid(seen)), spending=Spending(caps=SpendCaps(turn=Decimal("0.000001"))))
    checked = await service(_ANSWER, _FACTS)
    assert checked.verification is not None
    assert (checked.verification.lapse, seen) == ("budget", [])
