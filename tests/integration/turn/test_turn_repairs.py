"""The second asking: within the same budget, and proven like the first."""

from decimal import Decimal
from pathlib import Path

import pytest

from played_turns import GROUNDED, KILN, PAID, UNVERIFIED, ask, given, memory, one_turn, quoting, scripted
from present import present
from voice.adapters.files.prompts import load_prompts
from voice.core.context.prompt_proof import render_repair
from voice.core.context.prompt_templates import find_template, prompt_hash
from voice.core.grounding.values import RefusalReason
from voice.core.settings.providers import LlmSettings
from voice.core.settings.values import NlqLimits
from voice.core.token_estimates import ConservativeCounter
from voice.ports.llm import LlmRequest

MANY = tuple(f"The kiln in the shed reached {1000 + n} degrees in firing {n}." for n in range(60))
count = ConservativeCounter().count


@pytest.mark.requirement("ruling:D10", "ruling:D8", "promise:7")
@pytest.mark.parametrize("budget", [1900, 2400, 2900])
async def test_the_repair_keeps_to_the_budget_of_a_prompt_that_is_full(tmp_path: Path, budget: int) -> None:
    seen: list[LlmRequest] = []
    settings = given(llm=LlmSettings(max_prompt_tokens=budget), nlq=NlqLimits(default_limit=60), verifier=UNVERIFIED)
    client = scripted('{"answer": 1', quoting(MANY[0], MANY[1]), seen=seen)
    async with memory(tmp_path, client, settings=settings, told=MANY) as services:
        turn = await ask(services, "How hot was the kiln in the shed in firing 0?")
    assert present(turn.plan).skipped_for_budget
    assert [count(each.system) + count(each.prompt) <= budget for each in seen] == [True, True]


@pytest.mark.requirement("ruling:D10", "ruling:D8")
async def test_a_repair_that_does_not_fit_is_not_asked_for(tmp_path: Path) -> None:
    settings = given(llm=LlmSettings(max_prompt_tokens=1130))
    client = scripted("not JSON", GROUNDED)
    exchange = (await one_turn(tmp_path, client, settings=settings)).exchange
    assert (client.calls, exchange.reason) == (1, RefusalReason.MALFORMED)
    assert [attempt.outcome for attempt in exchange.attempts] == ["malformed"]


@pytest.mark.requirement("ruling:D20")
async def test_the_record_proves_the_repair_that_the_answer_came_from(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    async with memory(tmp_path, scripted("not JSON", GROUNDED, seen=seen), told=KILN) as services:
        exchange = (await ask(services)).exchange
        key = (services.home / "key").read_bytes()
    record = present(exchange.prompt)
    shaped = dict(record.rendering)
    template = find_template(load_prompts(), shaped["repair"])
    first, second = seen
    again = render_repair(template, first.prompt, shaped["repair_fault"])
    assert again == second.prompt
    assert exchange.prompt_hash == record.prompt_hash == prompt_hash(key, second.system, again)
    assert shaped["repair_hash"] == template.template_hash
    assert record.prompt_tokens_estimated == count(second.system) + count(second.prompt)


@pytest.mark.requirement("ruling:D20", "ruling:D18", "promise:7")
async def test_a_repair_that_the_cap_of_the_turn_does_not_pay_for_is_not_sent_nor_what_the_record_proves(
    tmp_path: Path,
) -> None:
    seen: list[LlmRequest] = []
    cap = Decimal("0.0225")  # the worst case of one call is about 0.0212
    client = scripted("not JSON", GROUNDED, profile=PAID, seen=seen)
    settings = given(llm=LlmSettings(max_turn_cost=cap))
    async with memory(tmp_path, client, settings=settings, told=KILN) as services:
        exchange = (await ask(services)).exchange
        key = (services.home / "key").read_bytes()
    (only,) = seen
    assert exchange.reason is RefusalReason.BUDGET
    assert [attempt.outcome for attempt in exchange.attempts] == ["malformed"]
    assert exchange.cost_estimate == Decimal("0.002")
    assert exchange.prompt_hash == prompt_hash(key, only.system, only.prompt)
