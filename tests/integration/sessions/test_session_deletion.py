"""What is deleted is what was shown: it is gone from everywhere but the sums, and a turn asked meanwhile keeps it."""

import json
from pathlib import Path

import pytest

from played_turns import KILN, PAID, WHERE, ask, grounded, memory
from store_values import exchange, talk
from stores_in_memory import store_in_memory
from voice.core.errors import InvalidParams, SessionConflict, UnknownId
from voice.core.session.lifecycle import append
from voice.services.sessions.lookup import all_exchanges

pytestmark = pytest.mark.requirement("sessions:lifecycle")
GONE = "was deleted"


@pytest.mark.requirement("ruling:D18")
async def test_a_deleted_session_is_gone_from_everywhere_but_the_sums(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(profile=PAID), told=KILN) as services:
        turn = await ask(services, new_topic="kiln")
        name = turn.session.id
        before = await services.report(by="prompt")
        plan = await services.life.delete("kiln", dry_run=True)
        assert (plan.turns, [each.id for each in plan.sessions]) == (1, [name])
        assert len((await services.life.show(name))[1]) == 1
        done = await services.life.delete("kiln")
        assert done == plan
        assert (await services.life.delete(name)).sessions == ()
        for call in (
            services.life.show(name),
            services.replays(name),
            services.replays(turn.exchange.id),
            services.audit(name),
            services.transcripts.export(name),
            ask(services, session_id=name),
        ):
            with pytest.raises(UnknownId, match=GONE):
                await call
        with pytest.raises(UnknownId, match="no session"):
            await services.life.delete("kiln")
        after = await services.report(by="prompt")
        assert after == before
        (row,) = (await services.report(by="session")).rows
        assert (row.key, row.cost.known) == ("deleted", turn.exchange.cost_estimate)
        assert await services.life.listed(limit=9) == []
        assert await services.maintenance.verify() == []
        assert await services.transcripts.faults() == []


async def test_a_session_that_others_share_is_deleted_with_them_or_not_at_all(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        held = (await ask(services, new_topic="kiln")).session
        forked = await services.life.fork("kiln", topic="fork")
        again = await services.life.fork("fork", topic="fork of it")
        with pytest.raises(InvalidParams, match=r"you can only delete them together$") as refused:
            await services.life.delete("kiln")
        foreseen = await services.life.delete("kiln", dry_run=True)
        assert foreseen.needs_forks == refused.value.message
        assert (foreseen.turns, {each.id for each in foreseen.sessions}) == (1, {held.id, forked.id, again.id})
        assert all(each.id in refused.value.message for each in (forked, again))
        assert (await services.life.delete("kiln", with_forks=True, dry_run=True)).needs_forks is None
        assert [each.id for each in (await services.life.delete("fork")).sessions] == [forked.id]
        gone = await services.life.delete("kiln", with_forks=True)
        assert {each.id for each in gone.sessions} == {held.id, again.id}
        assert gone.turns == 1


async def test_a_deleted_conversation_can_come_back_from_a_file_and_is_another_one(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services, new_topic="kiln")
        path = tmp_path / "kiln.json"
        await services.life.change("kiln", topic_status="resolved")
        left = await services.transcripts.export("kiln")
        await services.transcripts.files.write(str(path), json.dumps(left.document.members()))
        await services.life.delete("kiln")
        for added in (1, 0):
            back = await services.transcripts.bring_in(str(path))
            assert (back.added, back.session_id != turn.session.id) == (added, True)
        shown, turns = await services.life.show(back.session_id)
        assert (shown.topic_status, [each.my_query for each in turns]) == ("resolved", [WHERE])
        made = await services.report(since=None, until=None, by="session")
        assert (made.total.turns, made.imported) == (1, 1), "what was paid for once is counted once"
        await services.life.delete(back.session_id)
        third = await services.transcripts.bring_in(str(path))
        assert third.added == 1
        assert await services.maintenance.verify() == []


async def test_a_turn_that_is_asked_while_a_session_is_deleted_keeps_it(tmp_path: Path) -> None:
    stores = await store_in_memory()
    held = await talk(stores.sessions, [exchange()])
    turn = exchange("s:1", 1)
    await stores.sessions.save(append(held, turn), [turn], expected=held.revision)
    with pytest.raises(SessionConflict, match="nothing was deleted"):
        await stores.removal.delete({"s:1": held.revision})
    assert len(await all_exchanges(stores.sessions, "s:1")) == 2
