"""A dry run tells what a question would send and cost, asks nobody and keeps nothing."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from played_turns import KILN, PAID, PRICE, UNTOLD, WHERE, ask, given, grounded, memory, stored, tell
from present import present
from voice.core.errors import ConfigurationError, InvalidParams
from voice.core.session.budgets import AmountSpent
from voice.core.settings.providers import LlmSettings
from voice.core.usage import Usage, worst_case_cost
from voice.services.turn.ask import AskRequest

ASKED = AskRequest(question=WHERE, create=True)


@pytest.mark.requirement("tokens:dry-run", "promise:8", "ruling:D20")
async def test_what_is_foreseen_is_what_is_sent_and_kept(tmp_path: Path) -> None:
    client = grounded(profile=PAID)
    async with memory(tmp_path, client, told=KILN) as services:
        before = await services.store.status()
        foreseen = await services.dry_run(ASKED)
        assert (client.calls, await stored(services), await services.store.status()) == (0, [], before)
        turn = await ask(services)
    assert foreseen.plan == turn.plan
    assert (foreseen.prompt_hash, foreseen.session_id) == (turn.exchange.prompt_hash, None)
    assert foreseen.template == present(turn.exchange.prompt).template
    assert foreseen.refused is None


@pytest.mark.requirement("tokens:dry-run", "promise:7", "ruling:D18")
async def test_both_costs_are_told_and_the_caps_with_what_was_spent(tmp_path: Path) -> None:
    settings = given(llm=LlmSettings(max_day_cost=Decimal("0.0222")))
    async with memory(tmp_path, grounded(profile=PAID), settings=settings, told=KILN) as services:
        first = await services.dry_run(ASKED)
        await ask(services)
        second = await services.dry_run(ASKED)
    worst = present(first.worst_cost)
    assert worst == worst_case_cost(present(first.plan).prompt_tokens, first.max_output_tokens, PRICE)
    assert Decimal(0) < present(first.expected_cost) < worst
    assert (first.capped, first.caps[0].spent) == (None, AmountSpent())
    assert second.caps[0].spent == AmountSpent(known=Decimal("0.002"))
    assert "this day" in (second.capped or "")


@pytest.mark.requirement("tokens:dry-run", "ruling:D5")
async def test_where_nobody_would_be_asked_nothing_would_be_sent(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(profile=PAID), told=KILN) as services:
        foreseen = await services.dry_run(replace(ASKED, question=UNTOLD))
        with pytest.raises(InvalidParams):
            await services.dry_run(replace(ASKED, question=" "))
    assert foreseen.refused is not None
    assert (foreseen.prompt_hash, foreseen.worst_cost, foreseen.capped) == (None, 0, None)


@pytest.mark.requirement("tokens:dry-run", "ruling:H.6")
async def test_consent_is_asked_for_as_in_a_turn(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(profile=PAID)) as services:
        await tell(services, *KILN, is_private=True)
        with pytest.raises(ConfigurationError, match="consent"):
            await services.dry_run(replace(ASKED, include_private=True))


@pytest.mark.requirement("tokens:trued-up", "ruling:D15")
async def test_what_the_model_reported_narrows_the_next_prompt(tmp_path: Path) -> None:
    client = grounded(usage=Usage(input_tokens=3000, output_tokens=500), profile=PAID)
    async with memory(tmp_path, client, told=KILN) as services:
        before = await services.dry_run(ASKED)
        turn = await ask(services)
        after = await services.dry_run(ASKED)
    earlier, later = present(before.plan), present(after.plan)
    ratio = 3000 / earlier.prompt_tokens
    assert (before.token_calibration.turns, after.token_calibration.turns) == (0, 1)
    assert after.token_calibration.largest == pytest.approx(ratio)
    assert later.budget < earlier.budget
    assert after.most_prompt_tokens >= int(later.prompt_tokens * ratio)
    assert after.session_id == turn.session.id
    assert present(after.worst_cost) > present(before.worst_cost)
