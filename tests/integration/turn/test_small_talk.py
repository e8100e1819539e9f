"""Small talk is answered as such: at once, without the memory, and kept as what it is."""

from pathlib import Path

import pytest

from played_turns import KILN, ask, memory, scripted, tell
from voice.core.records import Scope

pytestmark = pytest.mark.requirement("answers:small-talk")


async def test_nobody_is_asked_and_nothing_is_looked_for(tmp_path: Path) -> None:
    llm = scripted()
    async with memory(tmp_path, llm) as services:
        await tell(services, *KILN, scope=Scope(repo_id="kilns"))
        turn = await ask(services, "Hello!")
    assert (turn.exchange.answer, llm.calls) == ("Hello. Ask me about anything in your notes.", 0)
    assert (turn.parsed, turn.selection, turn.plan) == (None, None, None)


async def test_why_after_a_refusal_says_the_reason_and_without_a_question_before_that_there_is_none(
    tmp_path: Path,
) -> None:
    async with memory(tmp_path, told=KILN) as services:
        first = await ask(services, "Why?")
        refused = await ask(services, "Where is the zither?")
        why = await ask(services, "Why?")
    assert first.exchange.answer.startswith("There is nothing to explain yet")
    assert (refused.exchange.refused, why.exchange.refused, why.exchange.sources) == (True, False, ())
    assert (refused.exchange.notes or "?") in why.exchange.answer
