"""Asking a provider whether it is there: one short question, whatever comes of it."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from played_turns import PAID, scripted
from present import present
from stores_in_memory import store_in_memory
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.core.errors import BudgetExceeded, DeadlineExceeded, ProviderError, ProviderRejected, ProviderUnavailable
from voice.core.session.budgets import NOTHING, AmountSpent
from voice.core.token_estimates import ConservativeCounter
from voice.ports.llm import LlmClient, LlmRequest, SpendStore
from voice.services.maintenance.doctor import Reach
from voice.services.runtime.spending import SpendCaps, Spending

pytestmark = pytest.mark.requirement("observe:reach", "promise:10")


NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)


def reach(llm: LlmClient, spending: Spending = Spending()) -> Reach:  # noqa: B008 - frozen
    clock = FixedClock(NOW)
    return Reach(llm=llm, counter=ConservativeCounter(), clock=clock, ids=CountingIds(), spending=spending)


async def held(
    *, session: Decimal | None = None, day: Decimal | None = None, month: Decimal | None = None
) -> tuple[Spending, SpendStore]:
    """Return what counts in a store of its own, held to caps."""
    store = (await store_in_memory()).spending
    return Spending(store=store, caps=SpendCaps(session=session, day=day, month=month)), store


async def test_whatever_a_provider_replies_it_was_reached_by_one_call_that_holds_nothing_of_a_memory() -> None:
    seen: list[LlmRequest] = []
    finding = await reach(scripted("gibberish", seen=seen, profile=PAID))()
    assert (finding.state, finding.detail) == (
        "ok",
        "vendor, model paid-1, answers; the cost is not recorded, because the memory is still empty",
    )
    (asked,) = seen
    assert (asked.evidence, asked.question, asked.max_tries) == ((), "", 1)


async def test_what_it_takes_at_most_is_known_beforehand() -> None:
    tokens, cost = reach(scripted("x", profile=PAID)).worst
    assert 256 < tokens < 400
    assert Decimal("0.00256") < present(cost) < Decimal("0.003")
    assert reach(scripted("x")).worst[1] == 0


async def test_nobody_is_asked_where_answers_come_from_the_memory() -> None:
    offline = reach(ExtractiveClient())
    assert offline.is_offline
    assert "nothing to test" in (await offline()).detail


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        (ProviderUnavailable("busy"), "network"),
        (ProviderRejected("no such key"), "voice config"),
        (DeadlineExceeded("too late"), "voice config"),
        (BudgetExceeded("too dear"), "made no call"),
    ],
)
async def test_a_provider_that_fails_is_a_fault_with_what_to_do(fault: ProviderError, advice: str) -> None:
    finding = await reach(scripted(fault))()
    assert (finding.state, finding.detail, advice in finding.advice) == ("fault", fault.message, True)


@pytest.mark.requirement("report:reach", "promise:7")
async def test_what_it_cost_is_kept_and_counts_against_the_caps() -> None:
    spending, store = await held(day=Decimal("0.01"), session=Decimal("0.000001"))
    finding = await reach(scripted("x", profile=PAID), spending)()
    assert (finding.state, finding.detail) == ("ok", "vendor, model paid-1, answers")
    spent = await store.spent_between(NOW, NOW)
    assert spent.known > 0
    assert (spent.at_worst, spent.unknown) == (0, 0)


@pytest.mark.requirement("report:reach", "promise:7")
async def test_a_call_that_failed_counts_at_its_worst() -> None:
    spending, store = await held()
    finding = await reach(scripted(ProviderUnavailable("busy"), profile=PAID), spending)()
    assert finding.state == "fault"
    assert await store.spent_between(NOW, NOW) == AmountSpent(
        at_worst=reach(scripted("x", profile=PAID)).worst[1] or Decimal(0)
    )


@pytest.mark.requirement("report:reach", "spending:caps")
@pytest.mark.parametrize("cap", ["day", "month"])
async def test_nobody_is_asked_over_a_cap_and_nothing_is_kept_of_it(cap: str) -> None:
    limit = Decimal("0.001")
    spending, store = await (held(day=limit) if cap == "day" else held(month=limit))
    seen: list[LlmRequest] = []
    finding = await reach(scripted("x", profile=PAID, seen=seen), spending)()
    assert (finding.state, seen) == ("fault", [])
    assert f"the spending cap of this {cap}" in finding.detail
    assert finding.advice == "voice made no call; raise the spending cap, or leave out --reach"
    assert await store.spent_between(NOW, NOW) == NOTHING
