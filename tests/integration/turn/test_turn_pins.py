"""What is pinned stands in every prompt that could show it, first and under a cap (ruling A17)."""

from datetime import timedelta
from pathlib import Path

import pytest

from changed_rows import rewrite, row_that_says
from pinned_memory import pin
from played_turns import FERRY, FIRED, KILN, MOVED, ask, given, grounded, later, memory, tell
from present import present
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.context.prompt_evidence import PINS_SHARE
from voice.core.records import RowStatus, Thought
from voice.core.settings.providers import LlmSettings
from voice.core.settings.values import Settings
from voice.ports.llm import LlmRequest
from voice.services.turn.ask import Turn

NARROW = 1745
"""Tokens of a prompt in which pins have a few dozen."""


def small(tokens: int = NARROW) -> Settings:
    return given(llm=LlmSettings(max_prompt_tokens=tokens))


def shown(turn: Turn) -> list[str]:
    return [row.text for row in present(turn.plan).evidence]


@pytest.mark.requirement("ruling:A17", "ruling:A2")
async def test_a_pinned_thought_is_shown_first_through_its_statements(tmp_path: Path) -> None:
    """A prompt carries no thought; its statements stand for it, citable like any other row."""
    seen: list[LlmRequest] = []
    async with memory(tmp_path, grounded(seen)) as services:
        ids = await tell(services, *KILN)
        before = await ask(services)
        await pin(services, ids[3])
        turn = await ask(services)
    assert shown(before)[0] != FERRY
    assert shown(turn)[0] == FERRY
    assert [row.alias for row in seen[-1].evidence] == [f"S{n + 1}" for n in range(len(seen[-1].evidence))]
    assert f'<source id="S1" date="2026-03-20">{FERRY}</source>' in seen[-1].prompt
    assert present(turn.plan).pins_truncated == 0
    assert turn.exchange.status == "answered"


@pytest.mark.requirement("ruling:A17", "s4:tier:pins-order")
async def test_the_newest_pins_come_first_and_what_passes_the_cap_is_counted(tmp_path: Path) -> None:
    clock = FixedClock(later())
    long = "The old winter glaze recipe asks for " + ", ".join(f"{n} spoons of ash {n}" for n in range(2, 70)) + "."
    async with memory(tmp_path, grounded(), settings=small(), clock=clock) as services:
        ids = await tell(services, MOVED, FIRED, FERRY, long)
        for target in (ids[2], ids[3], ids[0]):
            await pin(services, target)
            clock.advance(timedelta(minutes=1))
        turn = await ask(services)
    plan = present(turn.plan)
    sections = dict(plan.sections)
    rest = plan.budget - sections["fixed"]
    assert 0 < sections["pins"] <= rest * PINS_SHARE
    assert shown(turn)[:2] == [MOVED, FERRY]
    assert plan.pins_truncated == 1
    assert plan.prompt_tokens <= plan.budget <= NARROW


@pytest.mark.requirement("ruling:A17", "promise:6")
async def test_a_private_pin_needs_private_rows_to_be_let_in_and_taints_the_turn(tmp_path: Path) -> None:
    secret = "Jonas told me that he wants to sell the island house."
    async with memory(tmp_path, grounded(), told=KILN) as services:
        (hidden,) = await tell(services, secret, is_private=True)
        await pin(services, hidden, allow_private=True)
        without = await ask(services)
        with_private = await ask(services, include_private=True)
    assert secret not in shown(without)
    assert not without.exchange.is_private
    assert shown(with_private)[0] == secret
    assert with_private.exchange.is_private


@pytest.mark.requirement("ruling:A17", "ruling:A13")
@pytest.mark.parametrize("status", [RowStatus.REDACTED, RowStatus.REMOVAL])
async def test_what_was_redacted_or_marked_for_removal_is_shown_through_no_pin(
    tmp_path: Path, status: RowStatus
) -> None:
    """The thought alone is put out of use here: nothing that says it again may be told for its pin either."""
    async with memory(tmp_path, grounded()) as services:
        ids = await tell(services, *KILN)
        await pin(services, ids[3])
        await rewrite(services, await row_that_says(services, FERRY, Thought), status=status)
        turn = await ask(services)
    assert shown(turn)[0] != FERRY
    assert present(turn.plan).pins_truncated == 0
