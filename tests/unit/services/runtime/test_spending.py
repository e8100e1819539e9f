"""Purses: what turns may spend beside one another."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from voice.core.errors import BudgetExceeded, StoreError, StoreUnavailable
from voice.core.session.budgets import NOTHING, AmountSpent, OpenCall
from voice.core.session.values import Attempt, DialogueExchange
from voice.core.usage import Price, Usage
from voice.services.runtime.spending import SpendCaps, Spending, TurnBudget

NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)
FAR = NOW + timedelta(days=40)
PRICE = Price(input_per_million=Decimal(1), output_per_million=Decimal(10), source="a test", as_of="2026-01-01")
OPEN = Attempt(usage=Usage(), latency_ms=0, outcome="error")
CALL = Attempt(usage=Usage(input_tokens=1000, output_tokens=100), latency_ms=1, outcome="draft")


@dataclass
class Kept:
    """A store that was asked for what was spent."""

    spent: AmountSpent = NOTHING
    periods: list[tuple[datetime, datetime]] = field(default_factory=list[tuple[datetime, datetime]])
    begun: dict[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    fault: StoreError | None = None

    async def spent_between(self, since: datetime, until: datetime) -> AmountSpent:
        self.periods.append((since, until))
        return self.spent

    async def spent_in(self, session_id: str) -> AmountSpent:
        return self.spent if session_id == "s:1" else NOTHING

    async def keep(self, call: DialogueExchange) -> None:
        raise NotImplementedError

    async def begin(self, call: OpenCall) -> None:
        if self.fault is not None:
            raise self.fault
        before = self.begun[call.id].worst if call.id in self.begun else NOTHING
        self.begun[call.id] = replace(call, worst=before + call.worst)

    async def settle(self, call_id: str) -> None:
        raise NotImplementedError

    async def open_calls(self) -> list[OpenCall]:
        return list(self.begun.values())


def capped(store: Kept, **caps: object) -> Spending:
    return Spending(store=store, caps=SpendCaps(**caps), timezone="Europe/Berlin")  # pyright: ignore[reportArgumentType]


async def opened(purse: TurnBudget, worst: str, session_id: str = "s:1", attempt: Attempt = OPEN) -> TurnBudget:
    """Open a purse of a turn that has made one call."""
    await purse.open(session_id, NOW, PRICE)
    purse.attempts, purse.worst = [attempt], [Decimal(worst)]
    return purse


@pytest.mark.requirement("spending:caps", "ruling:E.3")
async def test_days_and_months_are_read_from_their_local_beginning_to_their_end() -> None:
    store = Kept()
    await capped(store, day=Decimal(1), month=Decimal(2)).states("s:1", NOW)
    # Summer time began that night: the day began at 23:00 UTC, and ends at 22:00.
    day, month = datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 2, 28, 23, tzinfo=UTC)
    end_of_day = datetime(2026, 3, 29, 21, 59, 59, 999999, tzinfo=UTC)
    end_of_month = datetime(2026, 3, 31, 21, 59, 59, 999999, tzinfo=UTC)
    assert store.periods == [(day, end_of_day), (month, end_of_month)]


@pytest.mark.requirement("spending:at-once")
async def test_what_runs_beside_counts_and_what_has_ended_meanwhile_does_too() -> None:
    spending = capped(Kept(spent=AmountSpent(known=Decimal(1))), day=Decimal(10), session=Decimal(10))
    with spending.purse() as mine:
        await opened(mine, "2")
        with spending.purse() as other:
            await opened(other, "3", session_id="s:2")
            day, session = (state for name in ("day", "session") for state in mine.states if state.cap.name == name)
            assert (day.spent.counted, session.spent.counted) == (4, 1)
            assert mine.left == 4
            other.attempts = [CALL]
        assert [state.spent.counted for state in mine.states] == [Decimal(1), Decimal("1.002")]
        assert mine.own == AmountSpent(at_worst=Decimal(2))
        with spending.purse() as same:
            await opened(same, "0.5")
        assert [state.spent.counted for state in mine.states] == [Decimal("1.5"), Decimal("1.502")]
    assert spending.running == []


@pytest.mark.requirement("spending:at-once")
async def test_what_has_ended_before_a_turn_read_the_sums_is_in_them_and_counts_once() -> None:
    store = Kept()
    spending = capped(store, day=Decimal(10))
    with spending.purse() as mine:
        with spending.purse() as other:
            await opened(other, "3", attempt=CALL)
            store.spent = other.own
        await mine.open("s:2", NOW, PRICE)
        assert [state.spent for state in mine.states] == [AmountSpent(known=Decimal("0.002"))]


@pytest.mark.requirement("spending:caps", "promise:7")
async def test_the_cap_on_a_turn_counts_its_own_calls_alone_and_needs_no_store() -> None:
    spending = Spending(caps=SpendCaps(turn=Decimal(3)))
    with spending.purse() as beside, spending.purse() as purse:
        await opened(beside, "3")
        await purse.open("s:1", NOW, PRICE)
        purse.require(Decimal(3))
        purse.attempts, purse.worst = [OPEN], [Decimal(2)]
        assert purse.left == 1
        with pytest.raises(BudgetExceeded, match="of this turn"):
            purse.require(Decimal("1.1"))
        with pytest.raises(BudgetExceeded, match="price of this call is unknown"):
            purse.require(None)


@pytest.mark.requirement("spending:caps", "promise:7")
async def test_a_cap_of_nothing_on_a_turn_lets_pass_what_is_free_alone() -> None:
    with Spending(caps=SpendCaps(turn=Decimal(0))).purse() as purse:
        await purse.open("s:1", NOW, PRICE)
        purse.require(Decimal(0))
        with pytest.raises(BudgetExceeded, match="of this turn"):
            purse.require(Decimal("0.000001"))


@pytest.mark.requirement("spending:caps")
async def test_a_call_is_held_against_what_came_before_it() -> None:
    spending = capped(Kept(spent=AmountSpent(known=Decimal(1))), month=Decimal(3))
    with spending.purse() as purse:
        await purse.open("s:1", NOW, PRICE)
        purse.require(Decimal(2))
        purse.attempts, purse.worst = [CALL], [Decimal(2)]
        with pytest.raises(BudgetExceeded, match=r"\$1\.0020 is spent"):
            purse.require(Decimal(2))


@pytest.mark.requirement("spending:unknown")
async def test_a_sum_with_unknown_turns_is_said_to_be_a_lower_bound() -> None:
    spending = capped(Kept(spent=AmountSpent(unknown=2)), session=Decimal(1), on_unknown_price="allow")
    with spending.purse() as purse:
        await opened(purse, "0.1")
        purse.require(Decimal("0.1"))
        assert "lower bound" in purse.warnings[0]


async def test_without_caps_nothing_is_read_and_nothing_refused() -> None:
    for spending in (Spending(), capped(Kept())):
        with spending.purse() as purse:
            await purse.open("s:1", NOW, PRICE)
            purse.require(Decimal(100))
            assert (purse.states, purse.left) == ((), None)
    assert await Spending().states("s:1", NOW) == ()
    TurnBudget().require(Decimal(1))


def _left(call_id: str, session_id: str, began_at: datetime, worst: str) -> OpenCall:
    spent = AmountSpent(at_worst=Decimal(worst))
    return OpenCall(id=call_id, session_id=session_id, model="vendor/paid", began_at=began_at, worst=spent)


@pytest.mark.requirement("spending:killed")
async def test_a_call_whose_end_is_unknown_counts_in_its_session_its_day_and_its_month() -> None:
    store = Kept()
    for number, (session_id, began_at) in enumerate(
        [("s:1", NOW), ("s:2", NOW + timedelta(hours=5)), ("s:1", NOW - timedelta(days=9)), ("s:1", FAR)]
    ):
        await store.begin(_left(f"x:{number}", session_id, began_at, f"{10**number}"))
    session, day, month = await capped(store, session=Decimal(1), day=Decimal(1), month=Decimal(1)).states("s:1", NOW)
    assert [each.spent.counted for each in (session, day, month)] == [1101, 11, 111]


@pytest.mark.requirement("spending:killed")
async def test_a_call_is_on_record_before_it_is_made_and_what_is_free_never_is() -> None:
    store = Kept()
    spending = capped(store, day=Decimal(10))
    with spending.purse() as purse:
        purse.call = replace(_left("x:1", "s:1", NOW, "0"), worst=NOTHING)
        await opened(purse, "0")
        await purse.put_on_record()
        assert store.begun == {}
        await opened(purse, "2")
        await purse.put_on_record()
        await purse.put_on_record()
        assert store.begun["x:1"].worst == AmountSpent(at_worst=Decimal(2))
        purse.attempts = [CALL]
        await purse.put_on_record()
        assert store.begun["x:1"].worst == AmountSpent(at_worst=Decimal(2))
        purse.attempts, purse.worst = [CALL, OPEN, OPEN], [Decimal(2), Decimal(3), None]
        store.fault = StoreUnavailable("not now")
        with pytest.raises(StoreUnavailable):
            await purse.put_on_record()
        store.fault = None
        await purse.put_on_record()
        assert store.begun["x:1"].worst == AmountSpent(at_worst=Decimal("3.002"), unknown=1)


@pytest.mark.requirement("spending:killed", "spending:at-once")
async def test_what_a_turn_of_this_process_has_on_record_counts_once() -> None:
    spending = capped(Kept(), day=Decimal(10))
    with spending.purse() as other:
        other.call = replace(_left("x:1", "s:1", NOW, "0"), worst=NOTHING)
        await opened(other, "3")
        await other.put_on_record()
        with spending.purse() as mine:
            await mine.open("s:2", NOW, PRICE)
            assert [state.spent for state in mine.states] == [AmountSpent(at_worst=Decimal(3))]
    with spending.purse() as later:
        await later.open("s:2", NOW, PRICE)
        assert [state.spent for state in later.states] == [AmountSpent(at_worst=Decimal(3))]


@pytest.mark.requirement("spending:killed")
async def test_what_an_earlier_process_left_under_the_same_id_counts_on() -> None:
    store = Kept()
    await store.begin(_left("x:1", "s:1", NOW, "3"))
    with capped(store, day=Decimal(10)).purse() as purse:
        purse.call = replace(_left("x:1", "s:1", NOW, "0"), worst=NOTHING)
        await opened(purse, "2")
        await purse.put_on_record()
        assert [state.spent for state in purse.states] == [AmountSpent(at_worst=Decimal(3))]
    assert store.begun["x:1"].worst == AmountSpent(at_worst=Decimal(5))


async def test_without_a_store_nothing_is_put_on_record_and_nothing_left_open() -> None:
    purse = TurnBudget()
    purse.attempts, purse.worst = [OPEN], [Decimal(1)]
    await purse.put_on_record()
    assert await Spending().left_open() == ()
    store = Kept()
    await store.begin(_left("x:1", "s:1", NOW, "3"))
    assert len(await Spending(store=store).left_open()) == 1
