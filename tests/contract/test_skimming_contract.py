"""What `Skimming` promises, held against every store."""

from dataclasses import replace
from datetime import timedelta

import pytest
from bench.reports import NOW, made_turn

from report_turns import report_of
from store_values import Stores, entity, exchange, observation, relation, session, thought
from voice.core.records import Row, RowStatus, Table, Thought
from voice.core.session.turn_traces import turn_stub
from voice.core.session.values import DialogueExchange
from voice.ports.row_queries import RowWords
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("web:sources:literal")


async def _rows(stores: Stores, table: Table) -> list[RowWords]:
    return [each async for page in stores.skimming.rows(table) for each in page]


async def test_each_row_is_told_once_with_its_words_and_who_may_see_it(stores: Stores) -> None:
    note = replace(thought("a"), source_ref="Garden/Gate.md#1", is_private=True)
    rows: tuple[Row, ...] = (
        note,
        thought("b"),
        entity("1"),
        entity("2"),
        observation("1"),
        relation("1", "e:1", "e:2"),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    told = {table: await _rows(stores, table) for table in Table}
    assert [(each.id, each.is_private, each.place) for each in told[Table.THOUGHTS]] == [
        ("t:a", True, "Garden/Gate.md#1"),
        ("t:b", False, None),
    ]
    held = await stores.memory.fetch([row.id for row in rows])
    for each in (one for page in told.values() for one in page):
        row = held[each.id]
        assert each.status is RowStatus.ACTIVE
        assert each.thought_id == (
            None if isinstance(row, Thought) or not row.provenance else row.provenance[0].thought_id
        )
        assert all(words for words in each.words)
    assert told[Table.THOUGHTS][1].words == (thought("b").content,)
    edge = relation("1", "e:1", "e:2")
    assert [each.ends for each in told[Table.RELATIONS]] == [(edge.source_id, edge.target_id)]


@pytest.mark.requirement("report:streams")
async def test_a_turns_figures_make_the_report_that_the_turn_makes_and_are_those_of_the_turn_as_it_stands(
    stores: Stores,
) -> None:
    turns = [replace(made_turn(at, NOW), session_id="s:1", index=at) for at in range(3)]
    started = replace(session(total_exchanges=3), revision=1)
    await stores.sessions.save(started, turns, expected=0)
    told = list[DialogueExchange]()
    for _ in range(2):
        told = [each async for page in stores.sessions.figures(since=NOW) for each in page]
        assert report_of(told) == report_of(turns)
        assert [set(each.memories_referenced) for each in told] == [
            {at.source_id for at in each.sources} for each in turns
        ]
        assert not any(each.my_query or each.answer or each.sources for each in told)
    assert [page async for page in stores.sessions.figures(since=NOW + timedelta(seconds=1))] == []
    await stores.removal.delete({started.id: 1})
    assert [each async for page in stores.sessions.figures() for each in page] == [
        replace(turn_stub(each), seq=left.seq) for each, left in zip(turns, told, strict=True)
    ]


async def test_turns_are_told_with_their_words_and_sessions_with_their_sums(stores: Stores) -> None:
    turns = [replace(exchange(), my_query="Where is the kiln?", answer="In the shed.")]
    made = replace(session(total_exchanges=1), refused=1, answered=2, total_tokens=30)
    await stores.sessions.save(replace(made, revision=1), turns, expected=0)
    told = [each async for page in stores.skimming.turns() for each in page]
    assert [(each.id, each.question, each.answer, each.at) for each in told] == [
        (turns[0].id, "Where is the kiln?", "In the shed.", turns[0].timestamp)
    ]
    figures = [each async for page in stores.skimming.sessions() for each in page]
    assert [(each.id, each.turns, each.refused, each.tokens, each.cost) for each in figures] == [
        (made.id, 3, 1, 30, made.total_cost)
    ]
