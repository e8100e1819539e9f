"""Laws of removal, over random memories: what rests on removed thoughts alone leaves, goes and comes back with them."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store_values import NOON, entity, observation, relation, span_of, thought
from stores_in_memory import store_in_memory
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.graph.removal.lifecycle import Retention, as_archived
from voice.core.records import Entity, GraphRow, Observation, Relation, Row, RowStatus, Thought
from voice.ports.removal import Archive, ArchiveFormat, ArchiveReport
from voice.ports.stores import WriteBatch
from voice.services.removal.archive_shelf import ArchiveShelf
from voice.services.removal.removals import DependentRows, Removals

pytestmark = [pytest.mark.requirement("ruling:F.7c"), pytest.mark.slow]
KEYS = st.sampled_from("1234")
IDS = st.sets(st.sampled_from([f"t:{key}" for key in "1234"]))


class Everything:
    """One archive, which holds every row of a memory as it stands."""

    def __init__(self, stores: SurrealStores) -> None:
        self._stores = stores

    async def listed(self, directory: str) -> list[str]:
        return [directory]

    async def read(self, path: str) -> Archive:
        rows = [as_archived(row) for row in (await every(self._stores)).values()]
        return Archive(
            store_id=(await self._stores.memory.head()).store_id,
            made_at=NOON,
            thoughts=tuple(row for row in rows if isinstance(row, Thought)),
            derived=tuple(row for row in rows if not isinstance(row, Thought)),
        )

    async def write(self, archive: Archive, directory: str, *, form: ArchiveFormat) -> ArchiveReport:
        """Never be asked: it is there already."""
        raise AssertionError

    async def remove(self, path: str) -> None:
        """Never be asked."""
        raise AssertionError


@st.composite
def memories(draw: st.DrawFn) -> list[Row]:
    """Return four thoughts with a graph over them, some of it hand-made and some of it over one that is gone, too."""
    behind = st.lists(st.sampled_from(["t:1", "t:2", "t:3", "t:4"]), max_size=2, unique=True)
    nodes = st.lists(st.sampled_from(["e:1", "e:2", "e:3", "e:4"]), max_size=2, unique=True)

    def spans() -> tuple[object, ...]:
        ids = draw(behind)
        gone = ["t:gone"] if ids and draw(st.booleans()) else []
        return tuple(span for each in [*ids, *gone] for span in span_of(each))

    rows: list[Row] = [thought(key) for key in "1234"]
    rows += [entity(key, f"name {key}", provenance=spans()) for key in "1234"]
    rows += [observation(key, provenance=spans(), entity_ids=tuple(draw(nodes))) for key in draw(st.sets(KEYS))]
    rows += [relation(key, f"e:{draw(KEYS)}", f"e:{draw(KEYS)}", provenance=spans()) for key in draw(st.sets(KEYS))]
    return rows


async def every(stores: SurrealStores) -> dict[str, Row]:
    names = [f"{kind}:{key}" for kind in "teor" for key in "1234"]
    return await stores.memory.fetch(names)


async def told(rows: list[Row]) -> tuple[SurrealStores, Removals]:
    stores = await store_in_memory()
    await stores.memory.write(WriteBatch(rows=tuple(rows)))
    removals = Removals(
        store=stores.memory,
        tombstones=stores.ledger,
        removed=stores.removed,
        undecided=stores.candidates,
        shelf=ArchiveShelf(files=Everything(stores), directory="archive", store=stores.memory),
        taken_along=DependentRows(store=stores.memory, resting=stores.removed),
        clock=FixedClock(NOON),
        retention=Retention(days=0, timezone="UTC"),
        key=b"k" * 32,
    )
    return stores, removals


def leaving(rows: Mapping[str, Row], thoughts: Collection[str]) -> set[str]:
    """The law in its plainest words, asked of one row after the other until nothing more leaves."""
    away = {*thoughts, "t:gone"}
    graph = [row for row in rows.values() if not isinstance(row, Thought)]
    resting = [row for row in graph if row.provenance and all(span.thought_id in away for span in row.provenance)]
    left: set[str] = {row.id for row in resting if not isinstance(row, Entity)}
    names = {row.id: named(row) for row in graph if row.id not in left}
    return left | {row.id for row in resting if not any(row.id in each for each in names.values())}


def named(row: GraphRow) -> tuple[str, ...]:
    match row:
        case Observation():
            return row.entity_ids
        case Relation():
            return (row.source_id, row.target_id)
        case Entity():
            return ()


def hidden(rows: Mapping[str, Row]) -> set[str]:
    return {row.id for row in rows.values() if row.status is RowStatus.REMOVAL and not isinstance(row, Thought)}


def same(row: Row) -> Row:
    """The row without what a store counts."""
    return replace(row, seq=0, revision=0)


@settings(max_examples=12, deadline=None)
@given(memories(), IDS, IDS)
def test_what_rests_on_marked_thoughts_alone_leaves_retrieval_in_whatever_order_they_are_marked(
    rows: list[Row], first: set[str], then: set[str]
) -> None:
    async def play() -> None:
        stores, removals = await told(rows)
        for ids in (first, then):
            if ids:
                await removals.mark(sorted(ids))
        assert hidden(await every(stores)) == leaving(await every(stores), first | then)

    anyio.run(play)


@settings(max_examples=12, deadline=None)
@given(memories(), IDS.filter(bool), IDS)
def test_taking_marks_away_brings_back_what_then_rests_on_a_thought_that_stays(
    rows: list[Row], marks: set[str], kept: set[str]
) -> None:
    async def play() -> None:
        stores, removals = await told(rows)
        await removals.mark(sorted(marks))
        for left in (marks & kept, set[str]()):
            if back := {row.id for row in await removals.removed.marked()} - left:
                await removals.unmark(sorted(back))
            assert hidden(await every(stores)) == leaving(await every(stores), left)

    anyio.run(play)


@settings(max_examples=12, deadline=None)
@given(memories(), IDS.filter(bool))
def test_what_goes_is_the_thoughts_with_what_rests_on_them_alone_and_nothing_left_names_it(
    rows: list[Row], ids: set[str]
) -> None:
    async def play() -> None:
        stores, removals = await told(rows)
        await removals.mark(sorted(ids))
        before = await every(stores)
        dry = await removals.finalise()
        done = await removals.finalise(apply=True)
        left = await every(stores)
        assert (dry.gone, dry.along) == (done.gone, done.along)
        assert set(before) - set(left) == {*done.gone, *done.along}
        assert set(done.gone) == ids
        assert set(done.along) == leaving(before, ids)
        names = {node for row in left.values() if not isinstance(row, Thought) for node in named(row)}
        assert names.isdisjoint(done.along)
        assert {each: same(row) for each, row in left.items()} == {each: same(before[each]) for each in left}
        assert {stone.row_id for stone in await stores.ledger.tombstones()} == {*done.gone, *done.along}

    anyio.run(play)
