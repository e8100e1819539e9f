"""Finding what leaves with thoughts, and what comes back with them.

Law: it reads as far as the rows that rest on the thoughts, the entities those name, and whatever names an entity that
could leave; the decision is a pure function of these (`voice.core.graph.resting`). A thought that is not there (any
more) holds nothing.

Source: ruling F.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Literal

from voice.core.graph.resting import following, is_alone, nodes_of, resting_alone, rests_on
from voice.core.records import Entity, GraphRow, Row, RowStatus
from voice.ports.resting_rows import RestingRows
from voice.ports.stores import MemoryStore

Act = Literal["mark", "unmark", "settle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """What rests on thoughts, what it names, and which of the thoughts behind it hold it no more."""

    rows: tuple[Row, ...]
    leaving: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenAlong:
    """Finds what rests on thoughts."""

    store: MemoryStore
    resting: RestingRows

    async def following(
        self, thought_ids: Sequence[str], act: Act, now: datetime, *, are_gone: bool = False
    ) -> tuple[GraphRow, ...]:
        """Return the rows around thoughts that leave retrieval, or come back to it, as they are from then on.

        Args:
            thought_ids: the thoughts.
            act: what becomes of them all: they are marked, their marks are taken away, or they stand as they are.
            now: the instant of it.
            are_gone: whether they are marked because their notes went.

        Raises:
            StoreError: the rows cannot be read.
        """
        marking, unmarking = (thought_ids if act == each else () for each in ("mark", "unmark"))
        around = await self._around(thought_ids, leaving=marking, staying=unmarking, marks_count=True)
        return following(around.rows, around.leaving, now, are_gone=are_gone)

    async def alone(self, thought_ids: Sequence[str]) -> tuple[Row, ...]:
        """Return the rows that would rest on nothing if these thoughts went, by id.

        Raises:
            StoreError: they cannot be read.
        """
        around = await self._around(thought_ids, leaving=thought_ids, staying=(), marks_count=False)
        alone = resting_alone(around.rows, around.leaving)
        return tuple(row for row in around.rows if row.id in alone and row.id not in set(thought_ids))

    async def _around(
        self, thought_ids: Sequence[str], *, leaving: Collection[str], staying: Collection[str], marks_count: bool
    ) -> _Around:
        found = {row.id: row for row in await self.resting.resting_on(thought_ids)}
        found |= await self.store.fetch(sorted({node for row in found.values() for node in nodes_of(row)}))
        behind = sorted(set(chain.from_iterable(map(rests_on, found.values()))))
        stored = await self.store.fetch(behind)
        away = {
            each for each in behind if each not in stored or (marks_count and stored[each].status is RowStatus.REMOVAL)
        }
        gone = frozenset((away | set(leaving)) - set(staying))
        lone = [row.id for row in found.values() if isinstance(row, Entity) and is_alone(row, gone)]
        named = {row.id: row for row in await self.resting.naming(lone)} if lone else {}
        unseen = sorted(set(chain.from_iterable(map(rests_on, named.values()))) - set(behind))
        more = await self.store.fetch(unseen)
        gone |= {
            each for each in unseen if each not in more or (marks_count and more[each].status is RowStatus.REMOVAL)
        }
        rows = {**named, **found}
        return _Around(rows=tuple(rows[each] for each in sorted(rows)), leaving=gone - set(staying))
