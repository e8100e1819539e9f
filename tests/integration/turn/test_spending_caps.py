"""Caps on what a session, a day and a month may cost, held before every call."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import anyio
import pytest

from held_models import HeldModel
from played_turns import GROUNDED, KILN, NOW, PAID, WHERE, ask, given, grounded, memory, reply, scripted
from present import present
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.grounding.values import RefusalReason
from voice.core.settings.providers import LlmSettings
from voice.core.settings.values import SessionSettings, Settings, TimeSettings
from voice.core.usage import Price, Usage
from voice.services.runtime.turn import AskRequest
from voice.wiring.changing import model_reading_of

ONE_CALL = Decimal("0.0222")
"""One call at its worst is about 0.0212, a call that was answered cost 0.002: this pays for one turn, not for two."""


def capping(zone: str = "UTC", **caps: object) -> Settings:
    llm = LlmSettings(**caps)  # pyright: ignore[reportArgumentType]
    return given(llm=llm, time=TimeSettings(timezone=zone), session=SessionSettings(timeout_hours=10_000))


@pytest.mark.requirement("spending:caps", "spending:told", "promise:7")
@pytest.mark.parametrize(
    ("cap", "told"),
    [
        ("session", "start a new session with --new"),
        ("day", "it frees up at 2026-03-21 00:00 (Europe/Berlin)"),
        ("month", "it frees up at 2026-04-01 00:00 (Europe/Berlin)"),
    ],
)
async def test_the_call_that_could_pass_a_cap_is_not_made(tmp_path: Path, cap: str, told: str) -> None:
    client = grounded(profile=PAID)
    settings = capping("Europe/Berlin", **{f"max_{cap}_cost": ONE_CALL})
    async with memory(tmp_path, client, settings=settings, told=KILN) as services:
        first, second = await ask(services), await ask(services)
    assert (client.calls, first.exchange.status) == (1, "answered")
    exchange, notes = second.exchange, second.exchange.notes or ""
    assert (exchange.status, exchange.reason, exchange.attempts) == ("refused", RefusalReason.BUDGET, ())
    assert exchange.cost_estimate == 0
    assert exchange.evidence_found
    parts = (f"this {cap}", "could cost up to $0.02", "$0.0222", "$0.0020 is spent", told, f"MAX_{cap.upper()}_COST")
    assert [part for part in parts if part not in notes] == []


@pytest.mark.requirement("spending:caps", "ruling:E.3")
async def test_a_day_and_a_month_are_of_the_persons_zone_and_begin_anew(tmp_path: Path) -> None:
    clock = FixedClock(NOW)
    settings = capping("Asia/Kathmandu", max_day_cost=ONE_CALL, max_month_cost=2 * ONE_CALL)
    outcomes: list[str] = []
    async with memory(tmp_path, grounded(profile=PAID), settings=settings, clock=clock, told=KILN) as services:
        # 18:14 and 18:15 UTC are one minute before midnight in Kathmandu, and midnight.
        for at in (NOW, NOW + timedelta(minutes=14, seconds=59), NOW + timedelta(minutes=15), NOW + timedelta(days=30)):
            clock.advance(at - clock.now())
            outcomes.append((await ask(services)).exchange.status)
    assert outcomes == ["answered", "refused", "answered", "answered"]


@pytest.mark.requirement("spending:caps", "ruling:D18")
async def test_a_call_whose_usage_nobody_reported_counts_at_its_worst_from_then_on(tmp_path: Path) -> None:
    client = scripted(reply("not JSON", Usage()), GROUNDED, profile=PAID)
    async with memory(tmp_path, client, settings=capping(max_month_cost=Decimal("0.04")), told=KILN) as services:
        first, second = await ask(services), await ask(services)
        kept = (await services.sessions.exchanges(exchange_id=first.exchange.id))[0]
    assert (first.exchange.cost_estimate, first.exchange.reason) == (None, RefusalReason.BUDGET)
    (worst,) = [attempt.worst for attempt in kept.attempts]
    assert Decimal("0.02") < present(worst) < Decimal("0.04")
    assert second.exchange.reason is RefusalReason.BUDGET
    assert "usage was not reported" in (second.exchange.notes or "")


@pytest.mark.requirement("spending:caps")
async def test_a_clock_that_goes_back_opens_no_cap_anew(tmp_path: Path) -> None:
    client, clock = grounded(profile=PAID), FixedClock(NOW)
    settings = capping("UTC", max_day_cost=ONE_CALL + Decimal("0.002"))
    async with memory(tmp_path, client, settings=settings, clock=clock, told=KILN) as services:
        for _ in range(5):
            await ask(services, new_topic="again")
            clock.advance(-timedelta(minutes=16))
    assert client.calls == 2


@pytest.mark.requirement("spending:caps", "tokens:trued-up", "ruling:D15")
async def test_the_cap_on_a_turn_is_held_against_what_the_model_reports_not_against_the_estimate(
    tmp_path: Path,
) -> None:
    dear = Price(input_per_million=Decimal(1000), output_per_million=Decimal(0), source="a test", as_of="2026-01-01")
    client = grounded(usage=Usage(input_tokens=3000, output_tokens=9), profile=replace(PAID, price=dear))
    settings = capping(max_turn_cost=Decimal(2))
    async with memory(tmp_path, client, settings=settings, told=KILN) as services:
        first = await ask(services)
        foreseen = await services.dry_run(AskRequest(question=WHERE))
        second = await ask(services)
    assert (first.exchange.status, second.exchange.reason, client.calls) == ("answered", RefusalReason.BUDGET, 1)
    assert foreseen.capped == (second.exchange.notes or "").partition("\n")[0] != ""


@pytest.mark.requirement("spending:unknown", "ruling:D18")
@pytest.mark.parametrize(("setting", "statuses"), [("refuse", ["refused"]), ("allow", ["answered", "answered"])])
async def test_an_unknown_price_under_a_cap_follows_the_setting(
    tmp_path: Path, setting: str, statuses: list[str]
) -> None:
    client = grounded(profile=replace(PAID, price=None))
    settings = capping(max_day_cost=Decimal(1), on_unknown_price=setting)
    async with memory(tmp_path, client, settings=settings, told=KILN) as services:
        turns = [await ask(services) for _ in statuses]
    assert [turn.exchange.status for turn in turns] == statuses
    if setting == "refuse":
        assert "the price of this call is unknown" in (turns[0].exchange.notes or "")
    else:
        (warning,) = turns[1].warnings
        assert "the cost of 1 turn is unknown" in warning
        assert "lower bound" in warning


@pytest.mark.requirement("spending:at-once")
async def test_turns_at_once_do_not_pass_a_cap_together(tmp_path: Path) -> None:
    client, ended = HeldModel(PAID), list[str]()
    async with memory(tmp_path, client, settings=capping(max_day_cost=2 * ONE_CALL), told=KILN) as services:

        async def one(topic: str) -> None:
            ended.append((await ask(services, new_topic=topic)).exchange.status)
            if ended.count("refused") == 4:
                client.may.set()

        async with anyio.create_task_group() as group:
            for at in range(6):
                group.start_soon(one, f"thread {at}")
        spent = await services.sessions.exchanges()
    assert sorted(ended) == ["answered"] * 2 + ["refused"] * 4
    assert sum((each.cost_estimate or Decimal(0) for each in spent), Decimal(0)) == Decimal("0.004")


@pytest.mark.requirement("spending:at-once")
async def test_calls_outside_of_turns_count_together_with_turns(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(profile=PAID)) as services:
        makers = services.makers
        with makers.ask().spending.purse() as purse:
            for each in (makers.foresight, present(makers.calibrating), model_reading_of(services)):
                assert each.spending.running == [purse]
