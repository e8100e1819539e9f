"""What `IdBeginnings` promises, held against every store."""

import pytest

from candidate_values import edge, person
from recall_values import pin
from store_values import NOON, Stores, entity, observation, thought, tombstone
from voice.core.graph.entities.merge import Merge
from voice.core.records import Origin, Scope
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("cli:ids:beginning")


async def test_what_begins_like_that_is_found_in_order_and_nothing_else(stores: Stores) -> None:
    rows = (thought("abcd2"), thought("abcd1"), thought("abce"), thought("abcd"), entity("abcd1"), observation("abcd1"))
    await stores.memory.write(WriteBatch(rows=rows))
    found = stores.beginnings.ids_from
    assert await found("t:abcd", limit=9) == ["t:abcd", "t:abcd1", "t:abcd2"]
    assert await found("t:abcd", limit=2) == ["t:abcd", "t:abcd1"]
    assert await found("e:abcd", limit=9) == ["e:abcd1"]
    assert await found("t:abcd3", limit=9) == await found("r:abcd", limit=9) == await found("t:abcd", limit=0) == []
    assert (
        await found("\udc80", limit=9)
        == await found("", limit=9)
        == await found("t", limit=9)
        == await found("t:\udc80", limit=9)
        == []
    )


async def test_rows_that_belong_to_a_scope_are_found_the_latest_first(stores: Stores) -> None:
    site, ann = Scope(repo_id="/site"), Scope(user_id="ann")
    await stores.memory.write(WriteBatch(rows=(thought("1", scope=site), thought("2"), observation("3", scope=ann))))
    await stores.memory.write(WriteBatch(rows=(thought("4", scope=ann),)))
    found = stores.beginnings.scoped
    assert (await found(limit=9), await found(limit=1), await found(limit=0)) == (["t:4", "o:3", "t:1"], ["t:4"], [])


async def test_a_row_that_went_for_good_can_still_be_named(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought("abcd1"),)))
    await stores.memory.write(WriteBatch(tombstones=(tombstone("t:abcd1"),)))
    assert await stores.beginnings.ids_from("t:abcd", limit=9) == ["t:abcd1"]


async def test_candidates_of_both_kinds_pins_and_merges_are_found_by_their_ids(stores: Stores) -> None:
    staged = [person("Ada"), edge("Ada")]
    await stores.candidates.save(staged)
    await stores.pins.save_pin(pin("abcd1"))
    merge = Merge(id="m:abcd1", kept="e:1", absorbed="e:4", past="e:5", at=NOON, by=Origin.HUMAN)
    await stores.merges.record(merge, rows=WriteBatch())
    found = stores.beginnings.ids_from
    assert [await found(each.id[:8], limit=9) for each in staged] == [[each.id] for each in staged]
    assert await found("c:", limit=9) == sorted(each.id for each in staged)
    assert (await found("p:abcd", limit=9), await found("m:abcd", limit=9)) == (["p:abcd1"], ["m:abcd1"])
    assert await found("c:zzzz", limit=9) == await found("x:abcd", limit=9) == []
