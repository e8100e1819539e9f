"""Some rows out of several parts, and how often each is looked up."""

import anyio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change_feed import DIM, MODEL, ChangeFeed, ask, thought
from voice.adapters.index.columns import to_micros
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.part import Part, RowSelection
from voice.adapters.index.query import OwnScores, PreparedQuery
from voice.adapters.index.snapshot import Snapshot
from voice.adapters.index.top_k import SearchEffort

ROWS = 40


def part_of(rows: range) -> Part:
    """Rows numbered in their order, in one part."""

    async def fold() -> Part:
        feed = ChangeFeed()
        await feed.put(*[thought(f"{row:03}", f"word {row}", days=row) for row in rows])
        index = FoldedIndex(feed, None, model=MODEL, dim=DIM)
        await index.refresh()
        return index._snapshot.parts[0]

    return anyio.run(fold)


SNAPSHOT = Snapshot(parts=(part_of(range(25)), part_of(range(25, 33)), part_of(range(33, ROWS))))


@given(st.lists(st.integers(0, ROWS - 1), max_size=60))
def test_what_is_read_of_some_rows_stands_in_the_order_in_which_they_were_asked_for(wanted: list[int]) -> None:
    picked = SNAPSHOT.picked(np.array(wanted, dtype=np.intp))
    assert picked.ids() == [f"t:{row:03}" for row in wanted]
    assert picked.created_us().tolist() == [to_micros(thought("", "", days=row).created_at) for row in wanted]
    assert sorted(place for piece in picked.pieces for place in piece.mine.tolist()) == list(range(len(wanted)))


@settings(deadline=None, max_examples=20)
@given(st.builds(SearchEffort, unbounded_rows=st.integers(0, 40), columns=st.integers(1, 20), probes=st.integers(1, 3)))
def test_no_row_is_looked_up_twice_for_one_question(effort: SearchEffort) -> None:
    looked_up: list[str] = []
    own_scores = PreparedQuery.own_scores

    def noted(self: PreparedQuery, picked: RowSelection) -> OwnScores:
        looked_up.extend(picked.ids())
        return own_scores(self, picked)

    async def search() -> None:
        feed = ChangeFeed()
        await feed.put(*[thought(f"{row:03}", f"word {'word ' * (row % 7)}", days=row / 10) for row in range(ROWS)])
        index = FoldedIndex(feed, None, model=MODEL, dim=DIM, effort=effort)
        await index.refresh()
        await index.search(ask("word", limit=3, neighbour_weight=0.5))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PreparedQuery, "own_scores", noted)
        anyio.run(search)
    assert looked_up
    assert len(looked_up) == len(set(looked_up))
