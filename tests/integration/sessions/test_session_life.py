"""Conversations are named, closed, reopened, forked and compared, and a turn that is asked meanwhile stays."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from played_turns import FIRED, KILN, MOVED, NOW, PAID, WHERE, ask, given, grounded, memory, quoting, scripted, tell
from present import present
from stand_ins import stand_in
from store_values import NOON, exchange, session, talk
from stores_in_memory import store_in_memory
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, NoSession, SessionConflict
from voice.core.session.lifecycle import PRIVATE_TOPIC, append
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.settings.values import SessionSettings, TimeSettings
from voice.ports.stores import SessionListItem
from voice.services.sessions.lifecycle import SessionFilter, SessionLife
from voice.services.sessions.lookup import all_exchanges

pytestmark = pytest.mark.requirement("sessions:lifecycle", "sessions:fork")


async def answers(services: Services, name: str) -> list[str]:
    _, turns = await services.life.show(name)
    return [each.my_query for each in turns]


async def listed(services: Services, **wanted: object) -> list[SessionListItem]:
    return await services.life.listed(limit=9, wanted=SessionFilter(**wanted))  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("ruling:A6")
async def test_a_session_expires_by_being_idle_and_lives_again_when_it_is_reopened(tmp_path: Path) -> None:
    clock = FixedClock(NOW)
    async with memory(
        tmp_path, grounded(), settings=given(session=SessionSettings(timeout_hours=2)), clock=clock, told=KILN
    ) as services:
        first = await ask(services, new_topic="kiln")
        clock.advance(timedelta(hours=2))
        (expired,) = await listed(services)
        assert (expired.status, await listed(services, status="open")) == ("expired", [])
        assert [each.id for each in await listed(services, status="expired")] == [first.session.id]
        shown, _ = await services.life.show("kiln")
        assert shown.status == "expired"
        with pytest.raises(NoSession):
            await ask(services, create=False)
        again = await services.life.change("kiln", status="open")
        assert (again.status, again.last_interaction) == ("open", NOW + timedelta(hours=2))
        assert (await ask(services, create=False)).session.id == first.session.id


async def test_a_closed_session_is_told_how_to_be_opened_and_goes_on_when_it_is(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        first = await ask(services, new_topic="kiln")
        closed = await services.life.change("kiln", status="closed")
        assert await services.life.change("kiln", status="closed") == closed
        assert [each.status for each in await listed(services, status="closed")] == ["closed"]
        with pytest.raises(NoSession, match=f"session {first.session.id} is closed; open it again"):
            await ask(services, session_id="kiln")
        reopened = await services.life.change("kiln", status="open")
        assert await services.life.change("kiln", status="open") == reopened
        assert (await ask(services, session_id="kiln")).session.total_exchanges == 2


@pytest.mark.requirement("ruling:D21")
async def test_a_name_that_means_several_lists_them_with_what_tells_them_apart_as_the_persons_clock_shows_it(
    tmp_path: Path,
) -> None:
    async with memory(
        tmp_path, grounded(), settings=given(time=TimeSettings(timezone="Asia/Tokyo")), told=KILN
    ) as services:
        first = await ask(services, new_topic="kiln")
        await ask(services, session_id=first.session.id)
        forked = await services.life.fork("kiln", at=1, topic="Kiln")
        life = services.life
        for meant in (life.change, life.show, services.audit, services.replays, services.transcripts.export):
            with pytest.raises(InvalidParams) as several:
                await meant("kiln")
            assert f"{first.session.id} (kiln, last 2026-03-21 03:00 JST, 2 turns)" in several.value.message
            assert f"{forked.id} (Kiln, last 2026-03-21 03:00 JST, 1 turn, a fork)" in several.value.message


async def test_a_fork_goes_on_by_itself_and_its_parent_does_not_notice(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(profile=PAID), told=KILN) as services:
        first = await ask(services, new_topic="kiln")
        await ask(services, "Where is the kiln, again?")
        forked = await services.life.fork("kiln", at=first.exchange.id)
        went_on = await ask(services, "Where may the kiln be?", session_id=forked.id)
        held, _ = await services.life.show("kiln")
        assert present(went_on.exchange.prompt).window_exchange_ids == (first.exchange.id,)
        assert await answers(services, forked.id) == [WHERE, "Where may the kiln be?"]
        assert await answers(services, held.id) == [WHERE, "Where is the kiln, again?"]
        assert forked.thread_topic == "from turn 1: kiln"
        report = await services.report(by="session")
        assert {row.key: row.turns for row in report.rows} == {held.id: 2, forked.id: 1}
        assert went_on.session.total_exchanges == 2
        assert went_on.session.total_cost.known == went_on.exchange.cost_estimate
        assert await services.maintenance.verify() == []
        assert await services.transcripts.faults() == []
        assert {each.proof for each in await services.replays(forked.id)} == {"proven"}
        assert (len((await services.audit(forked.id)).exchanges), len((await services.audit()).exchanges)) == (2, 3)


async def test_only_a_turn_that_is_there_can_be_forked(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        await ask(services, new_topic="kiln")
        await ask(services)
        for at in (0, 3, -1, "0", "x:none", "first", "1.5", ""):
            with pytest.raises(InvalidParams, match="from 1 to 2"):
                await services.life.fork("kiln", at=at)


async def test_an_empty_session_has_nothing_to_fork(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await services.sessions.save(session("s:empty", thread_topic="empty", revision=1), [], expected=0)
        with pytest.raises(InvalidParams, match="nothing to fork"):
            await services.life.fork("empty")
        assert (await services.life.delete("empty")).turns == 0


@pytest.mark.requirement("ruling:D17")
async def test_a_fork_from_before_what_was_folded_has_a_summary_of_its_own(tmp_path: Path) -> None:
    settings = given(session=SessionSettings(window_limit=3, window_keep=2))
    async with memory(tmp_path, grounded(), settings=settings, told=KILN) as services:
        last = [await ask(services) for _ in range(9)][-1]
        name = last.session.id
        assert last.session.rolling_summary is not None
        assert last.session.rolling_summary.through_index == 5
        made = [await services.life.fork(name, at=5, topic=topic) for topic in ("one", "two")]
        early = await services.life.fork(name, at=3)
        late = await services.life.fork(name, at=9)
        for fork in made:
            assert fork.rolling_summary is not None
            assert (fork.rolling_summary.through_index, fork.rolling_summary.exchanges_summarized) == (2, 3)
            assert fork.rolling_summary.revision == last.session.rolling_summary.revision + 1
            window = await services.sessions.load(fork.id, window=99)
            assert [each.index for each in present(window).context_window] == [3, 4]
        assert made[0].rolling_summary == made[1].rolling_summary
        assert early.rolling_summary is None
        assert late.rolling_summary == last.session.rolling_summary
        went_on = await ask(services, session_id="one")
        assert went_on.exchange.status == "answered"
        assert {each.proof for each in await services.replays("one")} == {"proven"}


@pytest.mark.requirement("ruling:H.5")
async def test_a_private_turn_stays_private_in_a_fork(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN, is_private=True)
        turn = await ask(services, include_private=True)
        assert turn.exchange.is_private
        forked = await services.life.fork(turn.session.id)
        assert forked.thread_topic == PRIVATE_TOPIC
        _, (shared,) = await services.life.show(forked.id)
        assert shared.is_private
        left = await services.transcripts.export(forked.id)
        assert left.private_turns == 1
        assert WHERE not in str(left.document.members())


async def test_two_sessions_are_compared_behind_what_they_share(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted(quoting(MOVED, FIRED), quoting(FIRED, MOVED)), told=KILN) as services:
        await ask(services, new_topic="kiln")
        await ask(services, "Where is the kiln of Marta?")
        forked = await services.life.fork("kiln", at=1, topic="fork")
        await ask(services, "Where is the kiln of Marta?", session_id="fork")
        await ask(services, "Where is the kiln?", session_id="fork")
        other = await ask(services, new_topic="other")
        found = await services.life.diff("kiln", "fork")
        assert (found.shared, [pair.index for pair in found.pairs]) == (1, [1, 2])
        assert found.pairs[0].is_same_question
        assert found.pairs[1].left is None
        assert not found.pairs[1].runs()
        same = await services.life.diff(forked.id, forked.id)
        assert (same.shared, same.pairs) == (3, ())
        apart = await services.life.diff("kiln", other.session.id)
        assert (apart.shared, len(apart.pairs)) == (0, 2)


def busy(stores: SurrealStores, times: int) -> SessionLife:
    """Return the life of sessions in a store into which somebody else asks a question before each save, some times."""
    left = iter(range(times))

    async def save(
        session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        if next(left, None) is not None:
            held = present(await stores.sessions.load(session.id, window=0))
            turn = exchange(session.id, held.total_exchanges)
            await stores.sessions.save(append(held, turn), [turn], expected=held.revision)
        return await stores.sessions.save(session, exchanges, expected=expected)

    return SessionLife(
        sessions=stand_in(stores.sessions, save=save),
        removal=stores.removal,
        clock=FixedClock(NOON),
        ids=CountingIds(),
        count=len,
        settings=SessionSettings(),
        timezone="UTC",
        summary_tokens=100,
    )


@pytest.mark.requirement("ruling:D21")
async def test_a_turn_that_is_asked_while_a_session_is_renamed_is_not_lost(tmp_path: Path) -> None:
    stores = await store_in_memory()
    await talk(stores.sessions, [exchange()])
    renamed = await busy(stores, 3).change("s:1", topic="another")
    assert (renamed.thread_topic, renamed.total_exchanges) == ("another", 4)
    assert len(await all_exchanges(stores.sessions, "s:1")) == 4
    with pytest.raises(SessionConflict, match="kept changing"):
        await busy(stores, 99).change("s:1", status="closed")
