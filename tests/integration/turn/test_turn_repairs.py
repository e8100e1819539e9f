"""The second asking: within the same budget, and proven like the first."""

from pathlib import Path

import pytest

from played_turns import GROUNDED, KILN, ask, given, memory, one_turn, scripted
from present import present
from voice.adapters.files.prompts import load_prompts
from voice.core.context.prompt_proof import render_repair
from voice.core.context.prompt_templates import find_template, prompt_hash
from voice.core.grounding.values import RefusalReason
from voice.core.settings.providers import LlmSettings
from voice.core.token_estimates import ConservativeCounter
from voice.ports.llm import LlmRequest

count = ConservativeCounter().count


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
