"""Small talk is answered as such: at once, without the memory, and kept as what it is."""

from pathlib import Path

import pytest

from played_turns import KILN, WHERE, ask, grounded, memory, scripted, stored, tell
from present import present
from voice.core.records import Scope
from voice.core.session.history import is_repeatable
from voice.services.turn.ask import AskRequest

pytestmark = pytest.mark.requirement("answers:small-talk")


async def test_nobody_is_asked_and_nothing_is_looked_for(tmp_path: Path) -> None:
    llm = scripted()
    async with memory(tmp_path, llm) as services:
        await tell(services, *KILN, scope=Scope(repo_id="kilns"))
        turn = await ask(services, "Hello!")
    assert (turn.exchange.answer, llm.calls) == ("Hello. Ask me about anything in your notes.", 0)
    assert (turn.parsed, turn.selection, turn.plan) == (None, None, None)


async def test_it_is_kept_as_a_remark_and_proves_nothing(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await ask(services, "thank you!")
        (kept,) = await stored(services)
        report = await services.audit(kept.session_id)
    assert (kept.status, kept.sources, kept.confidence) == ("answered", (), 0.0)
    assert kept.states_nothing
    assert not is_repeatable(kept)
    assert report.is_grounded


async def test_a_follow_up_behind_it_keeps_the_topic(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        await ask(services, WHERE)
        await ask(services, "Thanks!")
        turn = await ask(services, "And when was that?")
    assert turn.exchange.status == "answered"


async def test_a_dry_run_says_that_nobody_would_be_asked(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted()) as services:
        foreseen = await services.dry_run(AskRequest(question="hi", create=True))
    assert (present(foreseen.ready).answer[:6], foreseen.refused) == ("Hello.", None)


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
