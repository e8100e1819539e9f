"""What `SpendStore` promises, held against every store."""

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from store_values import NOON, Stores, exchange, talk
from voice.core.errors import SessionConflict
from voice.core.grounding.values import GroundingPolicy, Stance
from voice.core.session.budgets import NOTHING, AmountSpent, OpenCall
from voice.core.session.exchange import TurnFacts
from voice.core.session.lifecycle import append
from voice.core.session.turn_traces import is_sessionless_call, sessionless_calls, sessionless_turn
from voice.core.session.values import Attempt, DialogueExchange
from voice.core.usage import FREE, NO_USAGE, Price, Usage

MIDNIGHT = NOON.replace(hour=0, microsecond=0)
PRICE = Price(input_per_million=Decimal(1), output_per_million=Decimal(2), source="a test", as_of="2026-01-01")
DAY = timedelta(days=1)


def _at(
    moment: datetime, cost: str | None, session_id: str = "s:1", index: int = 0, **fields: object
) -> DialogueExchange:
    money = None if cost is None else Decimal(cost)
    return exchange(session_id, index, timestamp=moment, cost_estimate=money, **fields)


@pytest.mark.requirement("spending:caps")
async def test_what_was_spent_in_a_period_is_the_sum_of_its_turns(stores: Stores) -> None:
    days = [MIDNIGHT + offset for offset in (-timedelta(seconds=1), timedelta(), DAY, 40 * DAY)]
    await talk(stores.sessions, [_at(day, f"0.{10**at}", index=at) for at, day in enumerate(days)])
    assert await stores.spending.spent_between(MIDNIGHT, MIDNIGHT + 2 * DAY) == AmountSpent(known=Decimal("0.20"))
    assert (await stores.spending.spent_between(MIDNIGHT - DAY, MIDNIGHT + 41 * DAY)).known == Decimal("0.40")
    assert await stores.spending.spent_between(MIDNIGHT + 3 * DAY, MIDNIGHT + 4 * DAY) == NOTHING


@pytest.mark.requirement("spending:caps")
@pytest.mark.parametrize("offset", [timedelta(hours=5, minutes=45), timedelta(hours=-9, minutes=-30)])
async def test_midnight_is_exact_where_zones_are_off_by_quarters(stores: Stores, offset: timedelta) -> None:
    midnight = MIDNIGHT + offset
    turns = [_at(midnight - timedelta(microseconds=1), "1", index=0), _at(midnight, "0.01", index=1)]
    await talk(stores.sessions, turns)
    assert (await stores.spending.spent_between(midnight, midnight + DAY)).known == Decimal("0.01")
    assert (await stores.spending.spent_between(midnight, midnight)).known == Decimal("0.01")


@pytest.mark.requirement("spending:caps", "ruling:D18")
async def test_what_nobody_knows_is_told_apart_from_what_is_known(stores: Stores) -> None:
    lost = Attempt(usage=Usage(), latency_ms=1, outcome="error", worst=Decimal("0.5"))
    paid = Attempt(usage=Usage(input_tokens=10, output_tokens=0), latency_ms=1, outcome="draft")
    unknown = Attempt(usage=Usage(), latency_ms=1, outcome="error")
    turns = [
        _at(NOON, "0.25", index=0, attempts=(paid,), price=PRICE),
        _at(NOON, None, index=1, attempts=(paid, lost), price=PRICE),
        _at(NOON, None, index=2, attempts=(unknown, unknown), price=None),
        _at(NOON, "0", index=3, attempts=(Attempt(usage=NO_USAGE, latency_ms=1, outcome="draft"),)),
    ]
    await talk(stores.sessions, turns)
    spent = AmountSpent(known=Decimal("0.25001"), at_worst=Decimal("0.5"), unknown=1)
    assert await stores.spending.spent_between(MIDNIGHT, NOON) == spent
    assert await stores.spending.spent_in("s:1") == spent


@pytest.mark.requirement("spending:imported")
async def test_a_turn_that_was_imported_was_paid_elsewhere(stores: Stores) -> None:
    turns = [_at(NOON, "0.25", index=0, imported_from="ab"), _at(NOON, "0.03", index=1)]
    await talk(stores.sessions, turns)
    assert await stores.spending.spent_between(MIDNIGHT, NOON) == AmountSpent(known=Decimal("0.03"))
    assert await stores.spending.spent_in("s:1") == AmountSpent(known=Decimal("0.03"))


@pytest.mark.requirement("spending:caps")
async def test_a_session_has_spent_what_its_own_turns_cost(stores: Stores) -> None:
    await talk(stores.sessions, [_at(NOON, "0.1", index=0), _at(NOON + 9 * DAY, "0.0000000075", index=1)])
    await talk(stores.sessions, [_at(NOON, "7", session_id="s:2", id="x:other")])
    assert await stores.spending.spent_in("s:1") == AmountSpent(known=Decimal("0.1000000075"))
    assert await stores.spending.spent_in("s:nowhere") == NOTHING


@pytest.mark.requirement("report:reach")
async def test_a_call_that_belongs_to_no_turn_is_kept_counted_and_in_order(stores: Stores, tmp_path: Path) -> None:
    await talk(stores.sessions, [_at(NOON, "0.25")])
    attempt = Attempt(
        usage=Usage(input_tokens=10, output_tokens=0), latency_ms=1, outcome="draft", purpose="reach", draft_hash="h"
    )
    facts = TurnFacts(
        exchange_id="x:reach",
        session_id="s:none",
        index=0,
        timestamp=NOON,
        question="",
        stance=Stance.SYNTHESIZE,
        provider="vendor",
        model="paid",
        price=PRICE,
        policy=GroundingPolicy(),
    )
    await stores.spending.keep(sessionless_calls((attempt,), facts))
    await stores.spending.keep(
        sessionless_calls((attempt,), replace(facts, exchange_id="x:free", session_id="s:9", price=FREE))
    )
    assert await stores.spending.spent_between(NOON, NOON) == AmountSpent(known=Decimal("0.25001"))
    assert [item.id for item in await stores.sessions.sessions(limit=9)] == ["s:1"]
    kept = [each for each in await stores.sessions.exchanges() if is_sessionless_call(each)]
    assert {each.id: each.cost_estimate for each in kept} == {"x:reach": Decimal("0.00001"), "x:free": Decimal(0)}
    assert [*await stores.maintenance.verify(), *await stores.maintenance.recount()] == []
    assert (await stores.maintenance.backup(str(tmp_path / "b.jsonl"))).rows > len(kept)


def _open(call_id: str, worst: str, *, unknown: int = 0, began_at: datetime = NOON) -> OpenCall:
    spent = AmountSpent(at_worst=Decimal(worst), unknown=unknown)
    return OpenCall(id=call_id, session_id="s:1", model="vendor/paid", began_at=began_at, worst=spent)


@pytest.mark.requirement("spending:killed")
async def test_what_is_begun_is_open_until_it_is_settled_and_in_no_sum(stores: Stores) -> None:
    later, first = _open("x:later", "0.0000000075", began_at=NOON + DAY), _open("x:first", "0.25")
    await stores.spending.begin(later)
    await stores.spending.begin(first)
    await stores.spending.begin(_open("x:first", "0.05", unknown=1))
    assert await stores.spending.open_calls() == [_open("x:first", "0.30", unknown=1), later]
    assert await stores.spending.spent_between(MIDNIGHT, NOON + DAY) == NOTHING
    await stores.spending.settle("x:first")
    await stores.spending.settle("x:nowhere")
    assert await stores.spending.open_calls() == [later]
    assert [*await stores.maintenance.verify(), *await stores.maintenance.recount()] == []


@pytest.mark.requirement("spending:killed")
async def test_keeping_a_turn_or_a_call_settles_what_was_begun_for_it(stores: Stores) -> None:
    lost = Attempt(usage=Usage(), latency_ms=1, outcome="error", worst=Decimal("0.5"))
    turn = _at(NOON, None, attempts=(lost,), price=PRICE)
    alone = sessionless_turn(replace(turn, id="x:alone"), session_id="s:none")
    for call_id in (turn.id, alone.id, "x:other"):
        await stores.spending.begin(_open(call_id, "0.5"))
    await talk(stores.sessions, [turn])
    assert [each.id for each in await stores.spending.open_calls()] == ["x:alone", "x:other"]
    await stores.spending.keep(alone)
    assert await stores.spending.open_calls() == [_open("x:other", "0.5")]
    assert await stores.spending.spent_between(MIDNIGHT, NOON) == AmountSpent(at_worst=Decimal(1))


@pytest.mark.requirement("spending:killed")
async def test_a_save_that_was_too_late_settles_nothing(stores: Stores) -> None:
    paid = Attempt(usage=Usage(input_tokens=10, output_tokens=0), latency_ms=1, outcome="draft")
    held = await talk(stores.sessions, [_at(NOON, "0.1")])
    turn = _at(NOON, "0.2", index=1, attempts=(paid,))
    await stores.spending.begin(_open(turn.id, "0.5"))
    with pytest.raises(SessionConflict):
        await stores.sessions.save(replace(append(held, turn), revision=1), [turn], expected=0)
    assert await stores.spending.open_calls() == [_open(turn.id, "0.5")]
