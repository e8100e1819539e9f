"""What forking and deleting promise, held against every store."""

from collections.abc import AsyncGenerator
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path

import pytest

from store_values import NOON, Stores, exchange, full_exchange, session, talk
from voice.core.errors import InvalidParams, SessionConflict
from voice.core.recall.values import Pin, summary_id
from voice.core.records import Scope
from voice.core.session.lifecycle import append, fork_of
from voice.core.session.turn_traces import turn_stub
from voice.core.session.values import DialogueExchange, ForkPoint, InnerVoiceSession, RollingSummary

pytestmark = pytest.mark.requirement("sessions:lifecycle", "sessions:fork")
_SAID = "Porto, Ada, a note, source says, hhhh, dddd, pppp, tttt, ffff, cccc, eeee, o:1"


@pytest.fixture
async def filled(stores: Stores, second: Stores, tmp_path: Path) -> AsyncGenerator[tuple[Stores, Stores, str]]:
    """A store to back up, an empty one to restore into, and where the backup goes."""
    yield stores, second, str(tmp_path / "a.backup")
    await second.aclose()


def turns(count: int, session_id: str = "s:1", first: int = 0) -> list[DialogueExchange]:
    return [
        exchange(session_id, index, timestamp=NOON + timedelta(minutes=index), answer=f"{session_id} says {index}.")
        for index in range(first, first + count)
    ]


async def fork(stores: Stores, name: str, at: int, new_id: str) -> InnerVoiceSession:
    """Fork a session after the turn with the index `at`."""
    held = await loaded(stores, name)
    (turn,) = await stores.sessions.exchanges(session_id=name, after_index=at - 1, limit=1)
    made = fork_of(held, turn, session_id=new_id, topic=None, now=NOON + timedelta(days=1))
    return await stores.sessions.save(replace(made, revision=1), [], expected=0)


async def go_on(stores: Stores, held: InnerVoiceSession, count: int) -> InnerVoiceSession:
    for turn in turns(count, held.id, held.total_exchanges):
        held = await stores.sessions.save(append(held, turn), [turn], expected=held.revision)
    return held


async def loaded(stores: Stores, name: str, window: int = 0) -> InnerVoiceSession:
    found = await stores.sessions.load(name, window=window)
    assert found is not None
    return found


async def said(stores: Stores, name: str) -> list[str]:
    return [each.answer for each in await stores.sessions.exchanges(session_id=name)]


async def test_a_fork_is_read_as_what_it_shares_and_then_its_own(stores: Stores) -> None:
    await talk(stores.sessions, turns(5))
    await go_on(stores, await fork(stores, "s:1", 2, "s:2"), 3)
    assert await said(stores, "s:2") == [f"s:1 says {n}." for n in range(3)] + [f"s:2 says {n}." for n in range(3, 6)]
    assert await said(stores, "s:1") == [f"s:1 says {n}." for n in range(5)]
    held = await loaded(stores, "s:2", window=4)
    assert [each.answer for each in held.context_window] == ["s:1 says 2."] + [f"s:2 says {n}." for n in range(3, 6)]
    assert (held.lineage, held.total_exchanges) == ((ForkPoint(session_id="s:1", through_index=2),), 6)


async def test_forks_of_forks_are_read_through_all_they_came_from_page_by_page(stores: Stores) -> None:
    await talk(stores.sessions, turns(3))
    await go_on(stores, await fork(stores, "s:1", 1, "s:2"), 3)
    await go_on(stores, await fork(stores, "s:2", 3, "s:3"), 2)
    early = await fork(stores, "s:3", 1, "s:4")
    whole = ["s:1 says 0.", "s:1 says 1.", "s:2 says 2.", "s:2 says 3.", "s:3 says 4.", "s:3 says 5."]
    assert await said(stores, "s:3") == whole
    paged: list[str] = []
    for after in range(-1, 6):
        page = await stores.sessions.exchanges(session_id="s:3", after_index=after, limit=1)
        paged += [each.answer for each in page]
        assert [each.index for each in page] == ([after + 1] if after < 5 else [])
    assert paged == whole
    assert early.lineage == (ForkPoint(session_id="s:1", through_index=1),)
    assert [each.answer for each in await stores.sessions.exchanges(session_id="s:3", limit=3)] == whole[:3]


async def test_forking_stores_one_session_and_not_one_turn(stores: Stores) -> None:
    await talk(stores.sessions, turns(20))
    for place in range(5):
        await fork(stores, "s:1", 19, f"s:fork-{place}")
    status = await stores.memory.status()
    assert (status.sessions, status.exchanges) == (6, 20)
    assert len(await stores.sessions.exchanges()) == 20


async def test_a_fork_leaves_out_of_its_window_what_its_summary_folded(stores: Stores) -> None:
    held = await talk(stores.sessions, turns(6))
    summary = RollingSummary(
        text="- early", last_updated=NOON, exchanges_summarized=2, token_savings=5, through_index=1, is_private=True
    )
    await stores.sessions.save(
        replace(held, rolling_summary=summary, revision=held.revision + 1), [], expected=held.revision
    )
    await fork(stores, "s:1", 3, "s:2")
    found = await loaded(stores, "s:2", window=100)
    assert found.rolling_summary == summary
    assert [each.index for each in found.context_window] == [2, 3]


async def test_what_each_session_shares_is_told(stores: Stores) -> None:
    await talk(stores.sessions, turns(3))
    await go_on(stores, await fork(stores, "s:1", 1, "s:2"), 2)
    await fork(stores, "s:2", 3, "s:3")
    await fork(stores, "s:2", 0, "s:4")
    names = {
        name: {each.id for each in await stores.removal.forks(name)} for name in ("s:1", "s:2", "s:3", "s:none", "")
    }
    assert names == {"s:1": {"s:2", "s:3", "s:4"}, "s:2": {"s:3"}, "s:3": set(), "s:none": set(), "": set()}
    listed = {each.id: each.is_fork for each in await stores.sessions.sessions(limit=9)}
    assert listed == {"s:1": False, "s:2": True, "s:3": True, "s:4": True}


async def test_a_topic_has_a_status_of_its_own(stores: Stores) -> None:
    held = await talk(stores.sessions, turns(1))
    for status in ("resolved", "abandoned", "open"):
        changed = replace(held, topic_status=status, revision=held.revision + 1)
        held = await stores.sessions.save(changed, [], expected=held.revision)
        (item,) = await stores.sessions.sessions(limit=1, status="open")
        assert (item.topic_status, (await loaded(stores, "s:1")).topic_status) == (status, status)


@pytest.mark.parametrize(
    "lineage",
    [(("s:2", 3), ("s:3", 2)), (("s:2", -1),), (("s:2", 1), ("s:2", 3)), (("s:1", 1),), (("s:2", 4),)],
    ids=["falls", "nothing", "twice", "itself", "beyond"],
)
async def test_a_lineage_that_is_none_is_not_saved(stores: Stores, lineage: tuple[tuple[str, int], ...]) -> None:
    points = tuple(ForkPoint(session_id=name, through_index=index) for name, index in lineage)
    with pytest.raises(InvalidParams):
        await stores.sessions.save(session(total_exchanges=4, revision=1, lineage=points), [], expected=0)


@pytest.mark.requirement("ruling:D21")
async def test_what_is_not_there_cannot_be_forked(stores: Stores) -> None:
    held = await talk(stores.sessions, turns(2))
    made = fork_of(held, turns(2)[1], session_id="s:2", topic=None, now=NOON)
    await stores.removal.delete({"s:1": held.revision})
    with pytest.raises(SessionConflict):
        await stores.sessions.save(replace(made, revision=1), [], expected=0)
    assert await stores.sessions.sessions(limit=9) == []


@pytest.mark.requirement("promise:9", "ruling:D18")
async def test_of_a_deleted_session_figures_are_left_and_no_word(stores: Stores) -> None:
    turn = replace(full_exchange(), link="f" * 64, redacted=(("answer", "c" * 64),), imported_from="e" * 64)
    held = await stores.sessions.save(append(session(), turn), [turn], expected=0)
    summary = RollingSummary(text="- told", last_updated=NOON, exchanges_summarized=1, token_savings=1)
    held = await stores.sessions.save(replace(held, rolling_summary=summary, revision=2), [], expected=1)
    pin = Pin(id="p:1", target_id=summary_id("s:1"), reason="because", created_at=NOON, scope=Scope(session_id="s:1"))
    await stores.pins.save_pin(pin)
    assert await stores.removal.delete({"s:1": 2}) == 1
    (left,) = await stores.sessions.exchanges()
    assert left == replace(turn_stub(turn), seq=1)
    assert (left.session_id, left.provider, left.cost_estimate, left.policy) == (
        "s:1", turn.provider, turn.cost_estimate, turn.policy,
    )  # fmt: skip
    assert left.prompt is not None
    assert (left.prompt.template, left.prompt.prompt_tokens_estimated) == ("answer.v1", 99)
    for words in _SAID.split(", "):
        assert words not in repr(left)
    assert await stores.sessions.load("s:1", window=9) is None
    assert await stores.sessions.sessions(limit=9) == []
    assert await stores.pins.pins() == []
    assert await stores.maintenance.verify() == []


async def test_turns_of_others_stay_as_they_were(stores: Stores) -> None:
    held = await talk(stores.sessions, turns(2))
    await talk(stores.sessions, turns(2, "s:2"))
    assert await stores.removal.delete({"s:1": held.revision}) == 2
    assert await said(stores, "s:2") == ["s:2 says 0.", "s:2 says 1."]
    assert await said(stores, "s:1") == ["", ""]
    assert [each.id for each in await stores.sessions.sessions(limit=9)] == ["s:2"]


async def test_several_go_together_or_none_does(stores: Stores) -> None:
    held = await talk(stores.sessions, turns(2))
    other = await go_on(stores, await fork(stores, "s:1", 1, "s:2"), 1)
    for revisions in (
        {"s:1": held.revision},
        {"s:1": held.revision, "s:2": other.revision - 1},
        {"s:1": held.revision, "s:2": other.revision, "s:none": 1},
    ):
        with pytest.raises(SessionConflict):
            await stores.removal.delete(revisions)
        assert len(await said(stores, "s:2")) == 3
    assert await stores.removal.delete({"s:1": held.revision, "s:2": other.revision}) == 3
    assert (await stores.memory.status()).sessions == 0


async def test_a_fork_goes_without_what_it_shares(stores: Stores) -> None:
    await talk(stores.sessions, turns(2))
    other = await go_on(stores, await fork(stores, "s:1", 0, "s:2"), 1)
    assert await stores.removal.delete({"s:2": other.revision}) == 1
    assert await said(stores, "s:1") == ["s:1 says 0.", "s:1 says 1."]
    assert await stores.maintenance.verify() == []


async def test_a_backup_brings_forks_and_figures_back(filled: tuple[Stores, Stores, str]) -> None:
    stores, second, path = filled
    gone = await talk(stores.sessions, turns(2, "s:gone"))
    await talk(stores.sessions, turns(3))
    held = await go_on(stores, await fork(stores, "s:1", 1, "s:2"), 2)
    changed = replace(held, topic_status="resolved", revision=held.revision + 1)
    await stores.sessions.save(changed, [], expected=held.revision)
    await stores.removal.delete({"s:gone": gone.revision})
    await stores.maintenance.backup(path)
    await second.maintenance.restore(path)
    assert await second.maintenance.verify() == []
    assert await second.sessions.exchanges() == await stores.sessions.exchanges()
    assert await loaded(second, "s:2", 9) == await loaded(stores, "s:2", 9)
    assert await second.sessions.sessions(limit=9) == await stores.sessions.sessions(limit=9)
    assert await said(second, "s:2") == await said(stores, "s:2")


def test_a_stub_holds_the_fields_that_are_figures() -> None:
    empty = turn_stub(full_exchange())
    assert turn_stub(empty) == empty
    changed = {each.name for each in fields(empty) if getattr(empty, each.name) != getattr(full_exchange(), each.name)}
    assert changed == {
        "my_query", "answer", "sources", "memories_referenced", "prompt_hash", "notes", "sentences",
        "rejected_citations", "evidence_found", "prompt", "attempts", "self_reported", "verification", "cut",
        "premise", "deleted",
    }  # fmt: skip


@pytest.mark.requirement("sessions:withheld-topic")
async def test_first_turns_are_read_together_those_that_are_shared_where_they_are_held(stores: Stores) -> None:
    await talk(stores.sessions, turns(3))
    await go_on(stores, await fork(stores, "s:1", 1, "s:2"), 2)
    await fork(stores, "s:2", 2, "s:3")
    await talk(stores.sessions, turns(1, "s:9"))
    await stores.sessions.save(replace(session("s:empty"), revision=1), [], expected=0)
    found = await stores.sessions.first_exchanges(["s:3", "s:1", "s:2", "s:9", "s:empty", "s:none", ""])
    assert {name: each.answer for name, each in found.items()} == {
        "s:1": "s:1 says 0.",
        "s:2": "s:1 says 0.",
        "s:3": "s:1 says 0.",
        "s:9": "s:9 says 0.",
    }
    assert await stores.sessions.first_exchanges([]) == {}
