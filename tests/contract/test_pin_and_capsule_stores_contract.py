"""What `PinStore` and `CapsuleStore` promise, held against every store."""

import asyncio
from dataclasses import fields, replace
from datetime import datetime, timedelta

import pytest

from recall_values import EVERYWHERE, capsule, full_capsule, full_pin, pin, summary
from served_stores import OVER_WS
from store_values import NOON, Stores, thought, tombstone
from voice.core.errors import InvalidParams, SessionConflict
from voice.core.recall.values import Capsule, Pin, Summary
from voice.core.records import RowStatus, Scope
from voice.ports.recall_stores import CapsuleFilter
from voice.ports.stores import WriteBatch

NAIVE = datetime(2025, 3, 1, 12)  # noqa: DTZ001 - what must be refused
HOUR = timedelta(hours=1)
STORED_BY_ITSELF = {"id", "seq", "revision", "status"}


def test_the_full_values_leave_no_field_at_its_default() -> None:
    for kind, value in ((Pin, full_pin()), (Capsule, full_capsule()), (Summary, full_capsule().summary)):
        for each in fields(kind):
            if each.name not in STORED_BY_ITSELF:
                assert getattr(value, each.name) != each.default, each.name


@pytest.mark.requirement("ruling:B8", "ruling:B10")
async def test_every_field_of_a_pin_comes_back(stores: Stores) -> None:
    assert await stores.pins.save_pin(full_pin()) == replace(full_pin(), seq=1)
    assert await stores.pins.pins() == [replace(full_pin(), seq=1)]


@pytest.mark.requirement("ruling:B8", "ruling:B10")
async def test_every_field_of_a_capsule_comes_back(stores: Stores) -> None:
    assert await stores.capsules.save_capsule(full_capsule(), expected=0) == replace(full_capsule(), seq=1)
    assert await stores.capsules.capsule("c:full") == replace(full_capsule(), seq=1)


@pytest.mark.requirement("ruling:B9")
async def test_what_is_not_said_comes_back_as_none(stores: Stores) -> None:
    await stores.pins.save_pin(pin())
    await stores.capsules.save_capsule(capsule(), expected=0)
    assert await stores.pins.pins() == [pin(seq=1)]
    assert await stores.capsules.capsules(limit=9) == [capsule(seq=2)]


@pytest.mark.requirement("ruling:B9")
async def test_an_expiry_that_is_taken_away_is_gone(stores: Stores) -> None:
    await stores.pins.save_pin(pin(expires_at=NOON + HOUR))
    await stores.pins.save_pin(pin("other"))
    assert [each.expires_at for each in await stores.pins.pins()] == [None]


@pytest.mark.requirement("ruling:B10")
async def test_an_instant_without_a_zone_is_refused(stores: Stores) -> None:
    for broken in (capsule(opened_at=NAIVE), capsule(closed_at=NAIVE), capsule(summary=summary(created_at=NAIVE))):
        with pytest.raises(InvalidParams, match="time zone"):
            await stores.capsules.save_capsule(broken, expected=0)
    assert (await stores.memory.status()).last_seq == 0


@pytest.mark.requirement("ruling:G.2d")
async def test_a_second_pin_of_a_target_and_scope_takes_the_place_of_the_first(stores: Stores) -> None:
    await stores.pins.save_pin(pin("1", reason="once", expires_at=NOON + HOUR))
    later = pin("2", reason="again", created_at=NOON + HOUR)
    assert await stores.pins.save_pin(later) == replace(later, id="p:1", seq=2)
    assert await stores.pins.pins() == [replace(later, id="p:1", seq=2)]


@pytest.mark.requirement("ruling:G.2d")
async def test_another_scope_or_target_is_another_pin(stores: Stores) -> None:
    await stores.pins.save_pin(pin("1"))
    await stores.pins.save_pin(pin("2", scope=Scope(repo_id="r")))
    await stores.pins.save_pin(pin("3", scope=EVERYWHERE))
    await stores.pins.save_pin(pin("4", "t:2"))
    assert {each.id for each in await stores.pins.pins()} == {"p:1", "p:2", "p:3", "p:4"}


async def test_the_id_of_one_pin_is_not_taken_by_another(stores: Stores) -> None:
    await stores.pins.save_pin(pin("1"))
    with pytest.raises(InvalidParams, match="p:1"):
        await stores.pins.save_pin(pin("1", "t:2"))
    assert [each.target_id for each in await stores.pins.pins()] == ["t:1"]


async def test_what_no_store_can_hold_is_refused(stores: Stores) -> None:
    for broken in (pin(""), pin("\udc80"), pin(target_id="nothing"), pin(scope=Scope.ALL)):
        with pytest.raises(InvalidParams):
            await stores.pins.save_pin(broken)
    assert await stores.pins.pins() == []


@pytest.mark.requirement("s4:tier:pins-order")
async def test_pins_come_newest_first_then_by_id(stores: Stores) -> None:
    for place, key in enumerate("bac"):
        await stores.pins.save_pin(pin(key, f"t:{key}", created_at=NOON + place // 2 * HOUR))
    assert [each.id for each in await stores.pins.pins()] == ["p:c", "p:a", "p:b"]
    assert [each.id for each in await stores.pins.pins(["t:b", "t:a", "t:none"])] == ["p:a", "p:b"]
    assert await stores.pins.pins([]) == []


@pytest.mark.requirement("s4:tier:pins", "s4:performance:indexes")
async def test_expired_pins_are_left_out_where_only_active_ones_are_asked_for(stores: Stores) -> None:
    await stores.pins.save_pin(pin("short", "t:1", expires_at=NOON + HOUR))
    await stores.pins.save_pin(pin("ever", "t:2"))
    assert {each.id for each in await stores.pins.pins()} == {"p:short", "p:ever"}
    before, after = NOON + HOUR - timedelta(microseconds=1), NOON + HOUR
    assert {each.id for each in await stores.pins.pins(active_at=before)} == {"p:short", "p:ever"}
    assert [each.id for each in await stores.pins.pins(active_at=after)] == ["p:ever"]
    assert await stores.pins.pins(["t:1"], active_at=after) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["on disk", OVER_WS], indirect=True)
async def test_more_pins_than_a_page_all_come(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.adapters.surreal.stores.recall.PAGE", 50)
    for place in range(51):
        await stores.pins.save_pin(pin(f"{place:04}", f"t:{place}"))
    assert [each.id for each in await stores.pins.pins()] == [f"p:{place:04}" for place in range(51)]
    assert len(await stores.pins.pins([f"t:{place}" for place in range(51)])) == 51


@pytest.mark.requirement("ruling:G.2d")
async def test_a_pin_is_removed_once_and_not_missed_twice(stores: Stores) -> None:
    await stores.pins.save_pin(pin())
    assert [await stores.pins.remove_pin("p:1") for _ in range(2)] == [True, False]
    assert [await stores.pins.remove_pin(no_id) for no_id in ("", "p:\udc80", "t:1")] == [False] * 3
    assert await stores.pins.pins() == []
    assert (await stores.memory.status()).last_seq == 2


async def test_forgetting_a_target_twice_leaves_its_pin_to_be_removed(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    await stores.pins.save_pin(pin())
    for _ in range(2):
        await stores.memory.write(WriteBatch(tombstones=(tombstone("t:1"),)))
    assert [each.target_id for each in await stores.pins.pins()] == ["t:1"]
    assert await stores.memory.fetch(["t:1"]) == {}
    assert await stores.maintenance.verify() == []
    assert await stores.pins.remove_pin("p:1")


@pytest.mark.requirement("ruling:H.11")
async def test_pins_capsules_and_rows_share_one_sequence(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    pinned = await stores.pins.save_pin(pin())
    opened = await stores.capsules.save_capsule(capsule(), expected=0)
    last = await stores.memory.write(WriteBatch(rows=(thought("2"),)))
    assert (pinned.seq, opened.seq, last) == (2, 3, 4)
    assert [change.seq for change in await stores.memory.changes(0, 10)] == [1, 4]


@pytest.mark.requirement("ruling:D21")
async def test_the_slower_of_two_writers_of_a_capsule_is_told_and_loses_nothing_of_the_faster(stores: Stores) -> None:
    opened = await stores.capsules.save_capsule(capsule(), expected=0)
    first = replace(opened, summary=summary(content="First."), revision=2)
    saved = await stores.capsules.save_capsule(first, expected=1)
    with pytest.raises(SessionConflict, match="c:1"):
        await stores.capsules.save_capsule(replace(opened, closed_at=NOON, revision=2), expected=1)
    assert await stores.capsules.capsule("c:1") == saved == replace(first, seq=2)
    assert (await stores.memory.status()).last_seq == 2


@pytest.mark.requirement("ruling:D21")
async def test_of_many_writers_of_a_capsule_at_once_exactly_one_wins(stores: Stores) -> None:
    outcomes = await asyncio.gather(
        *(stores.capsules.save_capsule(capsule(intent=str(place)), expected=0) for place in range(8)),
        return_exceptions=True,
    )
    (winner,) = [each for each in outcomes if isinstance(each, Capsule)]
    assert sum(isinstance(outcome, SessionConflict) for outcome in outcomes) == 7
    assert await stores.capsules.capsules(limit=9) == [winner]


@pytest.mark.requirement("ruling:G.2d")
async def test_many_pins_of_one_target_at_once_become_one(stores: Stores) -> None:
    await asyncio.gather(*(stores.pins.save_pin(pin(str(place))) for place in range(8)))
    assert len(await stores.pins.pins()) == 1


@pytest.mark.parametrize(
    "broken",
    [
        capsule(revision=2),
        capsule(""),
        capsule(scope=Scope.ALL),
        capsule(summary=summary("c:2")),
        capsule(summary=summary(scope=EVERYWHERE)),
        capsule(summary=summary(id="m:c:2")),
    ],
    ids=["revision", "id", "everything", "another's summary", "another scope", "summary id"],
)
async def test_a_capsule_that_does_not_hang_together_is_not_saved(stores: Stores, broken: Capsule) -> None:
    with pytest.raises(InvalidParams):
        await stores.capsules.save_capsule(broken, expected=0)
    assert await stores.capsules.capsules(limit=9) == []


@pytest.mark.parametrize("capsule_id", ["c:unknown", "", "nonsense", "c:\udc80"])
async def test_an_unknown_capsule_is_none(stores: Stores, capsule_id: str) -> None:
    assert await stores.capsules.capsule(capsule_id) is None
    await stores.capsules.save_capsule(capsule(), expected=0)
    assert await stores.capsules.capsule(capsule_id) is None
    assert await stores.capsules.capsule(capsule().id) is not None


async def test_capsules_are_listed_newest_first_by_status(stores: Stores) -> None:
    for place, key in enumerate("bac"):
        opened_at = NOON + place // 2 * HOUR
        closed_at = NOON + 2 * HOUR if key == "a" else None
        await stores.capsules.save_capsule(capsule(key, opened_at=opened_at, closed_at=closed_at), expected=0)
    assert [each.id for each in await stores.capsules.capsules(limit=9)] == ["c:c", "c:a", "c:b"]
    assert [each.id for each in await stores.capsules.capsules(limit=9, where=CapsuleFilter(status="open"))] == [
        "c:c",
        "c:b",
    ]
    assert [each.id for each in await stores.capsules.capsules(limit=9, where=CapsuleFilter(status="closed"))] == [
        "c:a"
    ]
    assert [each.id for each in await stores.capsules.capsules(limit=1)] == ["c:c"]
    assert await stores.capsules.capsules(limit=-1) == []


async def test_the_thoughts_of_a_capsule_are_those_of_its_thread_newest_first(stores: Stores) -> None:
    rows = (
        thought("b", thread="c:1"),
        thought("a", thread="c:1"),
        thought("new", thread="c:1", created_at=NOON + HOUR, status=RowStatus.REDACTED),
        thought("other", thread="c:2"),
        thought("none"),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [each.id for each in await stores.capsules.thoughts(capsule(), limit=9)] == ["t:new", "t:a", "t:b"]
    assert [each.id for each in await stores.capsules.thoughts(capsule(), limit=1)] == ["t:new"]
    assert await stores.capsules.thoughts(capsule("3"), limit=9) == []
    await stores.memory.write(WriteBatch(tombstones=(tombstone("t:a"),)))
    assert [each.id for each in await stores.capsules.thoughts(capsule(), limit=9)] == ["t:new", "t:b"]


async def test_only_the_wanted_capsules_are_counted_off(stores: Stores) -> None:
    """Whatever else is newer: what a limit cuts off is what was wanted."""
    here = Scope(repo_id="/a", user_id="ann")
    written = capsule("mine", scope=here, summary=summary("c:mine", scope=here))
    await stores.capsules.save_capsule(written, expected=0)
    await stores.capsules.save_capsule(capsule("plain", opened_at=NOON + HOUR), expected=0)
    for place in range(3):
        other = capsule(f"x{place}", opened_at=NOON + 2 * HOUR, scope=Scope(repo_id="/b"))
        await stores.capsules.save_capsule(other, expected=0)

    async def found(where: CapsuleFilter, limit: int = 1) -> list[str]:
        return [each.id for each in await stores.capsules.capsules(limit=limit, where=where)]

    assert (
        await found(CapsuleFilter(scope=here)) == await found(CapsuleFilter(scope=Scope(user_id="ann"))) == ["c:mine"]
    )
    assert await found(CapsuleFilter(scope=Scope(repo_id="/a", session_id="s"))) == []
    assert await found(CapsuleFilter(scope=Scope(repo_id="/a"), status="open", has_summary=True)) == ["c:mine"]
    assert await found(CapsuleFilter(has_summary=True)) == ["c:mine"]
    assert await found(CapsuleFilter(is_scoped=True), 9) == ["c:x0", "c:x1", "c:x2", "c:mine"]
    assert await found(CapsuleFilter(id_prefix="c:p")) == ["c:plain"]
    assert await found(CapsuleFilter(id_prefix="c:x1")) == ["c:x1"]
    assert await found(CapsuleFilter(id_prefix="\udc80"), 9) == await found(CapsuleFilter(id_prefix="%"), 9) == []
    assert len(await found(CapsuleFilter(scope=Scope()), 9)) == 5
    unscoped = Scope(or_unscoped=True)
    assert await found(CapsuleFilter(scope=unscoped), 9) == ["c:plain"]
    assert await found(CapsuleFilter(scope=replace(unscoped, repo_id="/a"), status="open"), 9) == ["c:plain", "c:mine"]


async def test_a_thought_of_another_scope_is_not_in_a_capsule_whatever_its_thread(stores: Stores) -> None:
    here, there = Scope(repo_id="/a"), Scope(repo_id="/b")
    rows = (
        thought("in", thread="c:1", scope=here, is_private=True),
        thought("public", thread="c:1", scope=here, created_at=NOON - HOUR),
        thought("out", thread="c:1", scope=there, is_private=True),
        thought("narrow", thread="c:1", scope=replace(here, user_id="ann"), is_private=True),
        thought("plain", thread="c:1"),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [each.id for each in await stores.capsules.thoughts(capsule(scope=here), limit=9)] == ["t:in", "t:public"]
    assert [each.id for each in await stores.capsules.thoughts(capsule(), limit=9)] == ["t:plain"]
    assert await stores.capsules.private_thoughts(capsule(scope=here)) == 1
    assert await stores.capsules.private_thoughts(capsule()) == 0
