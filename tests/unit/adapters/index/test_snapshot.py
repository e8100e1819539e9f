"""The line of time is that of the rows, however they came."""

from dataclasses import replace

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change_feed import DIM, MODEL, ChangeFeed, ask, observation, thought
from voice.adapters.index import snapshot as line_module
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.snapshot import Snapshot
from voice.core.records import Row, RowStatus, Scope, Table, table_of

CHANGES = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.integers(0, 3),
        st.sampled_from([Scope(), Scope(user_id="u")]),
        st.sampled_from(["put", "put", "put", "observe", "hide", "drop", "refresh"]),
    ),
    max_size=60,
)


def ids_on(snapshot: Snapshot, table: Table) -> list[tuple[str, str]]:
    """Scope and id of the rows of a table, as the line has them."""
    starts = [sum(part.segment.size for part in snapshot.parts[:number]) for number in range(len(snapshot.parts))]
    found: list[tuple[str, str]] = []
    for place in snapshot.line.places[snapshot.line.span(table)].tolist():
        number = max(number for number, start in enumerate(starts) if start <= place)
        segment = snapshot.parts[number].segment
        row = place - starts[number]
        found.append((str(segment.facts.scope[3][row]), segment.row_id(row)))
    return found


def in_order(rows: list[Row], scopes: list[str], scope_of: dict[str, str]) -> list[tuple[str, str]]:
    ordered = sorted(rows, key=lambda row: (scopes.index(scope_of[row.id]), row.created_at, row.id))
    return [(scope_of[row.id], row.id) for row in ordered]


@pytest.mark.requirement("promise:8")
@pytest.mark.parametrize("few", [0, line_module._FEW])
@settings(deadline=None, max_examples=60)
@given(changes=CHANGES)
def test_the_line_holds_every_row_that_can_be_found_by_scope_time_and_id(
    few: int, changes: list[tuple[int, int, Scope, str]]
) -> None:
    feed = ChangeFeed()
    index = FoldedIndex(feed, None, model=MODEL, dim=DIM)

    async def play() -> None:
        await index.search(ask("anything"))
        for key, days, scope, what in changes:
            made = observation(f"{key}", "x") if what == "observe" else thought(f"{key}", "x", days=days)
            status = RowStatus.REMOVAL if what == "hide" else RowStatus.ACTIVE
            if what == "drop":
                await feed.drop(f"t:{key}")
            elif what != "refresh":
                await feed.put(replace(made, scope=scope, status=status))
            else:
                await index.refresh()
                await index.search(ask("x"))
        await index.refresh()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_module, "_FEW", few)
        anyio.run(play)
        snapshot = index._snapshot
        for table in (Table.THOUGHTS, Table.OBSERVATIONS):
            found = ids_on(snapshot, table)
            scopes = list(dict.fromkeys(scope for scope, _ in found))
            rows = [row for row in feed.rows.values() if table_of(row.id) is table and row.status is RowStatus.ACTIVE]
            assert found == in_order(rows, scopes, {row_id: scope for scope, row_id in found})
