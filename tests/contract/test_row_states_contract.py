"""What rests on thoughts that were never stored is found, and can be taken back as if it had never been there.

What programs noted is found by what its owner said of it.
What `RedactedRows` promises, held against every store.
What `RestingRows` promises, held against every store.
"""

from dataclasses import replace
from datetime import timedelta

import pytest

from store_values import NOON, Stores, entity, observation, relation, span_of, thought, tombstone, vector
from voice.core.errors import InvalidParams
from voice.core.records import GraphRow, Origin, RowStatus, Thought
from voice.core.vouch import Vouch
from voice.ports.stores import WriteBatch


def on(row: GraphRow, *thoughts: str) -> GraphRow:
    """Return the row as it rests on those thoughts."""
    return replace(row, provenance=tuple(span for each in thoughts for span in span_of(each)))


@pytest.mark.requirement("ruling:I8")
async def test_what_rests_on_no_thought_that_is_or_was_there_is_torn(stores: Stores) -> None:
    sound = (
        thought("there"),
        entity("by hand"),
        on(observation("whole"), "t:there"),
        on(observation("in part"), "t:never", "t:there"),
        on(entity("outlived"), "t:gone"),
    )
    torn = (
        on(observation("cut"), "t:never"),
        on(entity("alone"), "t:never", "t:neither"),
        on(relation("r", "e:alone", "e:by hand"), "t:never"),
    )
    await stores.memory.write(WriteBatch(rows=sound, tombstones=(tombstone("t:gone"),)))
    assert await stores.torn.torn() == []
    await stores.memory.write(WriteBatch(rows=torn))
    assert await stores.torn.torn() == ["e:alone", "o:cut", "r:r"]


@pytest.mark.requirement("ruling:I8")
@pytest.mark.slow
async def test_all_of_many_are_found(stores: Stores) -> None:
    rows = tuple(on(observation(f"{place:04}"), f"t:{place}") for place in range(2600))
    await stores.memory.write(WriteBatch(rows=rows))
    await stores.memory.write(WriteBatch(rows=tuple(thought(str(place)) for place in range(2599))))
    assert await stores.torn.torn() == ["o:2599"]


@pytest.mark.requirement("ruling:I8")
async def test_what_was_taken_back_was_never_there_and_may_come_in_again(stores: Stores) -> None:
    cut = on(observation("cut"), "t:never")
    await stores.memory.write(WriteBatch(rows=(cut, observation("stays")), vectors=(vector("o:cut"),)))
    await stores.torn.take_back({"o:cut": cut.revision})
    assert set(await stores.memory.fetch(["o:cut", "o:stays"])) == {"o:stays"}
    assert (await stores.ledger.buried(["o:cut"]), await stores.torn.torn()) == (set(), [])
    assert [each.row_id for each in await stores.memory.changes(0, 9)] == ["o:stays"]
    assert ((await stores.memory.status()).vectors, await stores.maintenance.verify()) == (0, [])
    await stores.memory.write(WriteBatch(rows=(thought("never"), cut), vectors=(vector("o:cut"),)))
    assert (set(await stores.memory.fetch(["o:cut"])), await stores.torn.torn()) == ({"o:cut"}, [])


@pytest.mark.requirement("ruling:I8")
async def test_nothing_is_taken_back_where_one_of_the_rows_was_changed_meanwhile(stores: Stores) -> None:
    rows = (on(observation("a"), "t:never"), on(observation("b"), "t:never"))
    await stores.memory.write(WriteBatch(rows=rows))
    for wrong in ({"o:a": 1, "o:b": 2}, {"o:a": 1, "o:unknown": 1}):
        with pytest.raises(InvalidParams, match="look again"):
            await stores.torn.take_back(wrong)
    assert await stores.torn.torn() == ["o:a", "o:b"]
    await stores.torn.take_back({})
    assert await stores.torn.torn() == ["o:a", "o:b"]


def noted(key: str, state: Vouch) -> Thought:
    spans = (0, 4) if state is Vouch.PARTLY else ()
    return thought(key, "Text of a tool.", origin=Origin.TOOL, vouched=state, vouched_spans=spans)


@pytest.mark.requirement("ruling:J2")
async def test_they_are_found_by_their_states_in_the_order_of_their_ids(stores: Stores) -> None:
    rows = [noted(f"{place}{state.value}", state) for place in (2, 1) for state in Vouch]
    await stores.memory.write(WriteBatch(rows=(*rows, thought("own"), observation("1"))))
    assert await stores.noted.noted((Vouch.WAITING,)) == ["t:1waiting", "t:2waiting"]
    assert await stores.noted.noted((Vouch.APPROVED, Vouch.PARTLY)) == [
        "t:1approved", "t:1partly", "t:2approved", "t:2partly",
    ]  # fmt: skip
    assert await stores.noted.noted(tuple(Vouch)) == sorted(row.id for row in rows)
    assert await stores.noted.noted(()) == []


@pytest.mark.requirement("ruling:J2")
async def test_a_decision_moves_a_note_from_one_state_to_another(stores: Stores) -> None:
    note = noted("1", Vouch.WAITING)
    await stores.memory.write(WriteBatch(rows=(note,)))
    await stores.memory.write(WriteBatch(rows=(replace(note, vouched=Vouch.DECLINED, revision=note.revision + 1),)))
    assert await stores.noted.noted((Vouch.WAITING,)) == []
    assert await stores.noted.noted((Vouch.DECLINED,)) == ["t:1"]


REDACTED = RowStatus.REDACTED


async def test_redacted_rows_of_every_table_come_newest_first_and_nothing_else_does(stores: Stores) -> None:
    later = NOON + timedelta(days=1)
    rows = (
        thought("b", status=REDACTED, created_at=NOON),
        thought("a", status=REDACTED, created_at=NOON),
        observation("1", status=REDACTED, created_at=later),
        entity("1", status=REDACTED, created_at=NOON),
        relation("1", "e:1", "e:2", status=REDACTED, created_at=NOON - timedelta(days=1)),
        thought("live", created_at=NOON),
        thought("marked", created_at=NOON, status=RowStatus.REMOVAL),
        observation("old", created_at=NOON, status=RowStatus.SUPERSEDED),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.ledger.redacted()] == ["o:1", "e:1", "t:a", "t:b", "r:1"]


async def test_a_row_counts_as_it_now_stands(stores: Stores) -> None:
    assert await stores.ledger.redacted() == []
    await stores.memory.write(WriteBatch(rows=(thought("1", created_at=NOON),)))
    stored = (await stores.memory.fetch(["t:1"]))["t:1"]
    await stores.memory.write(WriteBatch(rows=(replace(stored, status=REDACTED, revision=2),)))
    (row,) = await stores.ledger.redacted()
    assert (row.id, row.status, row.revision) == ("t:1", REDACTED, 2)


BOTH = (*span_of("t:1"), *span_of("t:2"))


@pytest.mark.requirement("ruling:F.7c")
async def test_what_rests_on_thoughts_comes_by_id_whatever_its_place_in_life(stores: Stores) -> None:
    rows = (
        thought("1"),
        thought("2"),
        thought("sum", is_summary=True, summary_of=("t:1",)),
        entity("1", provenance=span_of("t:1")),
        observation("1", provenance=BOTH, status=RowStatus.SUPERSEDED),
        observation("2", provenance=span_of("t:2")),
        relation("1", "e:1", "e:2", provenance=span_of("t:1"), status=RowStatus.REMOVAL),
        entity("2"),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.removed.resting_on(["t:1", "no id"])] == ["e:1", "o:1", "r:1", "t:sum"]
    assert [row.id for row in await stores.removed.resting_on(["t:2"])] == ["o:1", "o:2"]
    assert await stores.removed.resting_on(["t:sum"]) == await stores.removed.resting_on([]) == []


@pytest.mark.requirement("ruling:F.7c")
async def test_what_names_entities_comes_by_id_whatever_its_place_in_life(stores: Stores) -> None:
    rows = (
        entity("1"),
        entity("2"),
        observation("1", entity_ids=("e:2", "e:1")),
        observation("2", entity_ids=("e:1",), status=RowStatus.REMOVAL),
        relation("1", "e:1", "e:3"),
        relation("2", "e:3", "e:1", status=RowStatus.SUPERSEDED),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.removed.naming(["e:1"])] == ["o:1", "o:2", "r:1", "r:2"]
    assert [row.id for row in await stores.removed.naming(["e:2", "no id"])] == ["o:1"]
    assert await stores.removed.naming([]) == []
