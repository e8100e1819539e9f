"""What `SessionStore` and `MetricsStore` promise, held against every store."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from store_values import NOON, Stores, exchange, full_exchange, full_session, session, talk, thought
from voice.core.errors import InvalidParams, SessionConflict, StoreError
from voice.core.session.lifecycle import append
from voice.core.session.rolling_summary import fold, foldable
from voice.core.session.values import DialogueExchange, RollingSummary
from voice.ports.stores import WriteBatch


def _turns(count: int, session_id: str = "s:1") -> list[DialogueExchange]:
    return [exchange(session_id, index, timestamp=NOON + timedelta(minutes=index)) for index in range(count)]


@pytest.mark.requirement("ruling:B8", "ruling:A7", "ruling:D20", "ruling:D6")
async def test_every_field_of_an_exchange_comes_back(stores: Stores) -> None:
    turn = full_exchange()
    await stores.sessions.save(append(session(), turn), [turn], expected=0)
    (back,) = await stores.sessions.exchanges()
    assert back == replace(turn, seq=1)


@pytest.mark.requirement("ruling:B8", "ruling:D18")
async def test_every_field_of_a_session_comes_back(stores: Stores) -> None:
    saved = await stores.sessions.save(full_session(), [], expected=0)
    assert saved.seq == 1
    assert await stores.sessions.load("s:1", window=9) == replace(full_session(), seq=1)


@pytest.mark.requirement("ruling:D21")
async def test_the_slower_of_two_writers_is_told_and_loses_nothing_of_the_faster(stores: Stores) -> None:
    fresh = session()
    first, second = exchange(answer="First."), exchange(answer="Second.", id="x:other")
    await stores.sessions.save(append(fresh, first), [first], expected=0)
    with pytest.raises(SessionConflict):
        await stores.sessions.save(append(fresh, second), [second], expected=0)
    assert [each.answer for each in await stores.sessions.exchanges()] == ["First."]
    assert (await stores.memory.status()).last_seq == 2


@pytest.mark.requirement("ruling:D21")
async def test_a_session_that_is_not_there_cannot_be_continued(stores: Stores) -> None:
    turn = exchange(index=1)
    with pytest.raises(SessionConflict):
        await stores.sessions.save(session(total_exchanges=2, revision=2), [turn], expected=1)
    assert await stores.sessions.load("s:1", window=5) is None


@pytest.mark.requirement("ruling:D21")
async def test_of_many_writers_at_once_exactly_one_wins(stores: Stores) -> None:
    fresh = session()
    turns = [exchange(id=f"x:{place}", answer=str(place)) for place in range(8)]
    outcomes = await asyncio.gather(
        *(stores.sessions.save(append(fresh, turn), [turn], expected=0) for turn in turns), return_exceptions=True
    )
    assert sum(isinstance(outcome, SessionConflict) for outcome in outcomes) == 7
    assert len(await stores.sessions.exchanges()) == 1


async def test_a_stored_exchange_is_never_overwritten(stores: Stores) -> None:
    await talk(stores.sessions, [exchange()])
    turn = exchange("s:2", answer="Another.", id=exchange().id)
    with pytest.raises(StoreError):
        await stores.sessions.save(append(session("s:2"), turn), [turn], expected=0)
    assert await stores.sessions.load("s:2", window=1) is None
    assert [each.answer for each in await stores.sessions.exchanges()] == ["In Porto."]


@pytest.mark.parametrize(
    ("turn", "total", "revision"),
    [(exchange(index=1), 1, 1), (exchange("s:2"), 1, 1), (exchange(), 2, 1), (exchange(), 1, 2)],
    ids=["hole before", "other session", "hole after", "revision"],
)
async def test_what_does_not_hang_together_is_not_saved(
    stores: Stores, turn: DialogueExchange, total: int, revision: int
) -> None:
    with pytest.raises(InvalidParams):
        await stores.sessions.save(session(total_exchanges=total, revision=revision), [turn], expected=0)
    assert (await stores.memory.status()).sessions == 0


async def test_the_window_is_the_newest_exchanges_oldest_first(stores: Stores) -> None:
    await talk(stores.sessions, _turns(5))
    loaded = await stores.sessions.load("s:1", window=3)
    assert loaded is not None
    assert [each.index for each in loaded.context_window] == [2, 3, 4]
    assert (loaded.total_exchanges, loaded.revision) == (5, 5)


@pytest.mark.requirement("ruling:D17")
async def test_the_window_leaves_out_what_the_summary_folded(stores: Stores) -> None:
    saved = await talk(stores.sessions, _turns(5))
    summary = RollingSummary(
        text="- moved",
        last_updated=NOON,
        exchanges_summarized=3,
        token_savings=9,
        through_index=2,
        line_grounds=((("o:1", "h"), ("o:2", "")),),
        line_turns=((0, 2),),
        model_lines=(0,),
        fallen=((1, 0),),
        from_index=0,
        author="vendor/model summary.v1",
        fallback="budget",
    )
    await stores.sessions.save(
        replace(saved, rolling_summary=summary, revision=saved.revision + 1), [], expected=saved.revision
    )
    loaded = await stores.sessions.load("s:1", window=10)
    assert loaded is not None
    assert [each.index for each in loaded.context_window] == [3, 4]
    assert loaded.rolling_summary == summary


@pytest.mark.requirement("ruling:D17", "s2:session:context_window")
async def test_a_turn_that_was_folded_is_still_read_by_its_place(stores: Stores) -> None:
    turns, now = _turns(30), session()
    for turn in turns:
        grown = append(now, turn)
        due = foldable(grown, window_limit=10, window_keep=5)
        folded = fold(grown, due, now=turn.timestamp, count=len, max_tokens=200)
        now = await stores.sessions.save(folded, [turn], expected=now.revision)
    assert now.rolling_summary is not None
    assert now.rolling_summary.exchanges_summarized == 24
    for turn in turns:
        (back,) = await stores.sessions.exchanges(session_id="s:1", after_index=turn.index - 1, limit=1)
        assert replace(back, seq=0) == turn
    loaded = await stores.sessions.load("s:1", window=100)
    assert loaded is not None
    assert [each.index for each in loaded.context_window] == list(range(24, 30))


@pytest.mark.requirement("ruling:D16")
async def test_a_summary_that_changed_or_fell_is_not_read_again(stores: Stores) -> None:
    now = await stores.sessions.save(replace(full_session(), revision=1), [], expected=0)
    assert now.rolling_summary is not None
    for summary in (replace(now.rolling_summary, text="- other"), replace(now.rolling_summary, revision=9), None):
        now = await stores.sessions.save(
            replace(now, rolling_summary=summary, revision=now.revision + 1), [], expected=now.revision
        )
        assert await stores.sessions.load("s:1", window=9) == now
        assert now.rolling_summary == summary


async def test_a_window_of_none_is_empty(stores: Stores) -> None:
    await talk(stores.sessions, _turns(2))
    loaded = await stores.sessions.load("s:1", window=0)
    assert loaded is not None
    assert loaded.context_window == ()


@pytest.mark.parametrize("session_id", ["s:unknown", "", "nonsense", "s:\udc80"])
async def test_an_unknown_session_is_none(stores: Stores, session_id: str) -> None:
    assert await stores.sessions.load(session_id, window=5) is None
    await stores.sessions.save(full_session(), [], expected=0)
    assert await stores.sessions.load(session_id, window=5) is None
    assert await stores.sessions.load("s:1", window=5) is not None


async def test_the_topic_of_every_session_is_told_whatever_became_of_it(stores: Stores) -> None:
    assert await stores.sessions.topics() == {}
    for session_id, topic, status in (("s:a", "the kiln", "open"), ("s:b", "Die Öfen 窯", "closed")):
        held = session(session_id, thread_topic=topic, status=status, revision=1)
        await stores.sessions.save(held, [], expected=0)
    assert await stores.sessions.topics() == {"s:a": "the kiln", "s:b": "Die Öfen 窯"}


async def test_sessions_are_listed_by_last_interaction_then_id(stores: Stores) -> None:
    for place, session_id in enumerate(["s:b", "s:a", "s:c"]):
        moment = NOON + timedelta(hours=place // 2)
        await stores.sessions.save(
            session(session_id, last_interaction=moment, status="closed" if place == 1 else "open", revision=1),
            [],
            expected=0,
        )
    listed = await stores.sessions.sessions(limit=10)
    assert [item.id for item in listed] == ["s:c", "s:a", "s:b"]
    assert [item.id for item in await stores.sessions.sessions(limit=1)] == ["s:c"]
    assert [item.id for item in await stores.sessions.sessions(limit=9, status="open")] == ["s:c", "s:b"]
    assert (listed[0].thread_topic, listed[0].created_at, listed[1].status) == ("moving house", NOON, "closed")
    assert (listed[0].last_interaction, listed[0].total_exchanges) == (NOON + timedelta(hours=1), 0)


async def test_exchanges_come_by_time_over_all_sessions_or_of_one(stores: Stores) -> None:
    await talk(stores.sessions, _turns(3, "s:1"))
    await talk(stores.sessions, _turns(2, "s:2"))
    everything = await stores.sessions.exchanges()
    assert [(each.timestamp, each.id) for each in everything] == sorted(
        (each.timestamp, each.id) for each in everything
    )
    assert len(everything) == 5
    assert [each.index for each in await stores.sessions.exchanges(session_id="s:2")] == [0, 1]
    assert [each.index for each in await stores.sessions.exchanges(session_id="s:1", after_index=1)] == [2]
    assert len(await stores.sessions.exchanges(limit=2)) == 2
    assert await stores.sessions.exchanges(session_id="s:none") == []


@pytest.mark.requirement("ruling:H.5")
async def test_private_exchanges_stay_private(stores: Stores) -> None:
    await talk(stores.sessions, [exchange(is_private=True)])
    assert [each.is_private for each in await stores.sessions.exchanges()] == [True]


async def test_of_one_session_exchanges_come_by_index_so_that_no_page_leaves_one_out(stores: Stores) -> None:
    late, early = exchange(index=0), exchange(id="x:early", index=1, timestamp=NOON - timedelta(hours=1))
    await talk(stores.sessions, [late, early])
    assert [each.id for each in await stores.sessions.exchanges(session_id=late.session_id)] == [late.id, early.id]
    assert [each.id for each in await stores.sessions.exchanges()] == [early.id, late.id]


async def test_one_exchange_is_found_by_its_id(stores: Stores) -> None:
    await talk(stores.sessions, _turns(3))
    every = await stores.sessions.exchanges()
    assert await stores.sessions.exchanges(exchange_id=every[1].id) == [every[1]]
    assert await stores.sessions.exchanges(exchange_id="x:none") == []
    assert await stores.sessions.exchanges(exchange_id="") == []


@pytest.mark.requirement("ruling:H.11")
async def test_sessions_and_rows_share_one_sequence(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    saved = await talk(stores.sessions, [exchange()])
    last = await stores.memory.write(WriteBatch(rows=(thought("2"),)))
    (turn,) = await stores.sessions.exchanges()
    assert (turn.seq, saved.seq, last) == (2, 3, 4)
    assert [change.seq for change in await stores.memory.changes(0, 10)] == [1, 4]


async def test_status_counts_sessions_and_exchanges(stores: Stores) -> None:
    await talk(stores.sessions, _turns(3))
    status = await stores.memory.status()
    assert (status.sessions, status.exchanges) == (1, 3)


@pytest.mark.requirement("ruling:D19")
async def test_metrics_are_counted_by_name(stores: Stores) -> None:
    for place in range(3):
        await stores.metrics.record("turn", NOON, {"latency_ms": place, "refused": False, "model": "x", "score": 0.5})
    await stores.metrics.record("other", NOON, {})
    assert (await stores.metrics.count("turn"), await stores.metrics.count("none")) == (3, 0)
    assert (await stores.memory.status()).last_seq == 0
