"""Asking a provider whether it is there: one short question, whatever comes of it."""

from decimal import Decimal

import pytest

from played_turns import PAID, scripted
from voice.adapters.llm.extractive import ExtractiveClient
from voice.core.errors import BudgetExceeded, DeadlineExceeded, ProviderError, ProviderRejected, ProviderUnavailable
from voice.core.tokens import ConservativeCounter
from voice.ports.llm import LlmClient, LlmRequest
from voice.services.reach import Reach

pytestmark = [pytest.mark.anyio, pytest.mark.requirement("observe:reach", "promise:10")]


def reach(llm: LlmClient) -> Reach:
    return Reach(llm=llm, counter=ConservativeCounter())


async def test_whatever_a_provider_replies_it_was_reached_by_one_call_that_holds_nothing_of_a_memory() -> None:
    seen: list[LlmRequest] = []
    finding = await reach(scripted("gibberish", seen=seen, profile=PAID))()
    assert (finding.state, finding.detail) == ("ok", "vendor, model paid-1, answers")
    (asked,) = seen
    assert (asked.evidence, asked.question, asked.max_tries) == ((), "", 1)


async def test_what_it_takes_at_most_is_known_beforehand() -> None:
    tokens, cost = reach(scripted("x", profile=PAID)).worst
    assert 256 < tokens < 400
    assert cost is not None
    assert Decimal("0.00256") < cost < Decimal("0.003")
    assert reach(scripted("x")).worst[1] == 0


async def test_nobody_is_asked_where_answers_come_from_the_memory() -> None:
    offline = reach(ExtractiveClient())
    assert offline.is_offline
    assert "nobody to reach" in (await offline()).detail


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        (ProviderUnavailable("busy"), "network"),
        (ProviderRejected("no such key"), "voice config"),
        (DeadlineExceeded("too late"), "voice config"),
        (BudgetExceeded("too dear"), "nothing was asked"),
    ],
)
async def test_a_provider_that_fails_is_a_fault_with_what_to_do(fault: ProviderError, advice: str) -> None:
    finding = await reach(scripted(fault))()
    assert (finding.state, finding.detail, advice in finding.advice) == ("fault", fault.message, True)
