"""What `ExchangeWords` promises, held against every store."""

from dataclasses import replace

import pytest

from store_values import Stores, exchange, full_exchange, session
from voice.core.errors import SessionConflict, UnknownId
from voice.core.session.lifecycle import append
from voice.core.session.turn_traces import redact, with_link

pytestmark = pytest.mark.requirement("ruling:G.2e", "ruling:H.8")
KEY = b"k" * 32


async def told(stores: Stores, turns: int) -> None:
    held = await stores.sessions.save(session(revision=1), (), expected=0)
    for index in range(turns):
        made = full_exchange(index=index) if index % 2 else exchange(index=index)
        said = with_link(replace(made, refused=False, status="answered"), after="", key=KEY)
        held = await stores.sessions.save(append(held, said), [said], expected=held.revision)


async def test_words_go_and_nothing_else_of_the_turn_or_its_session_changes(stores: Stores) -> None:
    await told(stores, 3)
    before = await stores.sessions.exchanges(session_id="s:1")
    held = await stores.sessions.load("s:1", window=0)
    bare = [redact(each, key=KEY) for each in before]
    await stores.words.take_away(bare[:2])
    after = await stores.sessions.exchanges(session_id="s:1")
    assert after == [*bare[:2], before[2]]
    assert [each.seq for each in after] == [each.seq for each in before]
    assert await stores.sessions.load("s:1", window=0) == held
    await stores.words.take_away(bare[:2])
    assert await stores.sessions.exchanges(session_id="s:1") == after
    assert await stores.maintenance.verify() == []


async def test_more_turns_than_one_step_takes_lose_their_words(stores: Stores) -> None:
    await told(stores, 1)
    held = await stores.sessions.load("s:1", window=0)
    assert held is not None
    more = [with_link(exchange(index=index), after="", key=KEY) for index in range(1, 260)]
    for each in more:
        held = replace(append(held, each), context_window=())
    await stores.sessions.save(replace(held, revision=2 + 1), more, expected=2)
    before = await stores.sessions.exchanges(session_id="s:1")
    await stores.words.take_away([redact(each, key=KEY) for each in before])
    assert {each.answer for each in await stores.sessions.exchanges(session_id="s:1")} == {""}


async def test_nothing_is_nothing_to_take_away(stores: Stores) -> None:
    await stores.words.take_away([])
    assert await stores.sessions.exchanges() == []
    await told(stores, 1)
    await stores.words.take_away([])
    assert [each.redacted for each in await stores.sessions.exchanges()] == [()]


async def test_a_turn_that_is_not_there_or_is_another_one_is_refused_as_a_whole(stores: Stores) -> None:
    await told(stores, 2)
    first, second = await stores.sessions.exchanges(session_id="s:1")
    bare = redact(first, key=KEY)
    with pytest.raises(UnknownId):
        await stores.words.take_away([bare, replace(redact(second, key=KEY), id="x:nobody")])
    with pytest.raises(SessionConflict):
        await stores.words.take_away([bare, replace(redact(second, key=KEY), link="another")])
    assert (await stores.sessions.exchanges(session_id="s:1"))[0] == first
