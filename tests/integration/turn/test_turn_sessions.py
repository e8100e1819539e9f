"""Turns inside sessions: continued, restarted, folded, raced for and cancelled."""

from datetime import timedelta
from pathlib import Path

import pytest

from played_turns import (
    FIRED,
    GROUNDED,
    KILN,
    MOVED,
    NOW,
    WHERE,
    ask,
    given,
    grounded,
    memory,
    quoting,
    scripted,
    tell,
    wire,
)
from present import present
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, NoSession
from voice.core.settings.values import SessionSettings
from voice.ports.llm import LlmRequest
from voice.services.turn.ask import Turn


@pytest.mark.requirement("ruling:D21", "s2:tool:continue", "s2:tool:new-thread")
async def test_the_most_recent_live_session_is_continued_unless_one_is_named_or_begun(tmp_path: Path) -> None:
    clock = FixedClock(NOW)
    async with memory(tmp_path, grounded(), clock=clock, told=KILN) as services:
        kiln = await ask(services, new_topic="  the \n kiln ")
        clock.advance(timedelta(minutes=1))
        bowls = await ask(services, new_topic="bowls")
        recent = await ask(services, create=False)
        clock.advance(timedelta(minutes=1))
        named = await ask(services, session_id=kiln.session.id)
        by_topic = await ask(services, session_id="THE KILN")
        after = await ask(services, create=False)
    assert kiln.session.thread_topic == "the kiln"
    assert recent.session.id == bowls.session.id
    assert [turn.session.id for turn in (named, by_topic, after)] == [kiln.session.id] * 3
    assert after.exchange.index == 3


@pytest.mark.requirement("ruling:D21")
async def test_with_no_session_a_question_needs_leave_to_begin_one(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        with pytest.raises(NoSession, match="start a new one"):
            await ask(services, create=False)
        with pytest.raises(InvalidParams, match="topic"):
            await ask(services, new_topic=" \n ")
        begun = await ask(services, f"{WHERE} {'Tell me. ' * 20}")
    assert begun.session.thread_topic.startswith(WHERE)
    assert len(begun.session.thread_topic) <= 60


@pytest.mark.requirement("ruling:A6", "ruling:D21")
async def test_an_idle_session_is_continued_only_by_name(tmp_path: Path) -> None:
    clock = FixedClock(NOW)
    settings = given(session=SessionSettings(timeout_hours=2))
    async with memory(tmp_path, grounded(), settings=settings, clock=clock, told=KILN) as services:
        first = await ask(services)
        clock.advance(timedelta(hours=1, minutes=59))
        still = await ask(services, create=False)
        clock.advance(timedelta(hours=2))
        with pytest.raises(NoSession, match=f"session {first.session.id} .* name it by its id"):
            await ask(services, create=False)
        named = await ask(services, session_id=first.session.id)
        clock.advance(timedelta(hours=3))
        other = await ask(services)
    assert still.session.id == named.session.id == first.session.id
    assert named.session.total_exchanges == 3
    assert other.session.id != first.session.id


@pytest.mark.requirement("ruling:D21")
async def test_a_name_that_means_no_session_is_an_error(tmp_path: Path) -> None:
    client = grounded()
    async with memory(tmp_path, client, told=KILN) as services:
        await ask(services)
        for name in ("nothing like it", "s:ffff", "", "s:", "\x00", "x" * 5000):
            with pytest.raises(InvalidParams):
                await ask(services, session_id=name, create=False)
    assert client.calls == 1


@pytest.mark.requirement("ruling:D6", "ruling:D11", "s2:context:recent")
async def test_a_refused_exchange_is_in_no_later_prompt(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    client = scripted(wire("Dragons own Erebor now.", ("S1", "to be seen nowhere")), GROUNDED, seen=seen)
    async with memory(tmp_path, client, told=KILN) as services:
        refused = await ask(services, "Which kiln does Marta like best?")
        await ask(services)
        await ask(services, "Where is the kiln now?")
    assert refused.exchange.refused
    assert not any("like best" in request.prompt for request in seen[1:])
    assert f"Asked: {WHERE}" in seen[2].prompt


SMALL = SessionSettings(window_limit=4, window_keep=2)


async def talk(services: Services, turns: int) -> list[Turn]:
    return [await ask(services, f"Where is the kiln, I ask for time {n}?") for n in range(turns)]


@pytest.mark.requirement("s2:tool:rolling-summary", "ruling:D17", "ruling:D16", "s2:context:summary")
async def test_the_eleventh_exchange_folds_the_oldest_into_a_summary_of_proven_sentences(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    async with memory(tmp_path, grounded(seen), told=KILN) as services:
        turns = await talk(services, 12)
    assert turns[9].session.rolling_summary is None
    summary = present(turns[10].session.rolling_summary)
    assert (summary.exchanges_summarized, summary.through_index, summary.revision) == (6, 5, 1)
    assert summary.text.split("\n") == [f"- [2026-03-20] {MOVED}", f"- [2026-03-20] {FIRED}"]
    assert summary.token_savings > 0
    assert set(summary.source_ids) == set(turns[0].exchange.memories_referenced)
    assert [each.index for each in turns[10].session.context_window] == [6, 7, 8, 9, 10]
    prompt, last = seen[11].prompt, present(turns[11].exchange.prompt)
    assert prompt.startswith("## Session summary (context only, not a source)")
    assert prompt.index("## Session summary") < prompt.index("## Recent exchanges") < prompt.index("## Knowledge")
    assert "ask for time 5" not in prompt
    assert "ask for time 6" in prompt
    assert last.summary_revision == 1
    assert last.window_exchange_ids == tuple(turn.exchange.id for turn in turns[6:11])


@pytest.mark.requirement("ruling:H.5", "ruling:D16")
async def test_a_summary_that_folds_something_private_stays_out_until_private_rows_are_let_in(tmp_path: Path) -> None:
    diary = "My diary says that an emerald ring lies under the kiln in the shed."
    seen: list[LlmRequest] = []
    client = scripted(quoting(diary, MOVED), GROUNDED, seen=seen)
    async with memory(tmp_path, client, settings=given(session=SMALL), told=KILN) as services:
        await tell(services, diary, is_private=True)
        await ask(services, "Which ring lies under the kiln?", include_private=True)
        folded = (await talk(services, 4))[-1].session
        without = await ask(services)
        shown = await ask(services, include_private=True)
    summary = present(folded.rolling_summary)
    assert summary.is_private
    assert "emerald" in summary.text
    assert not without.exchange.is_private
    assert "emerald" not in seen[5].prompt
    assert "## Session summary" not in seen[5].prompt
    assert "emerald" in seen[6].prompt
    assert shown.exchange.is_private
