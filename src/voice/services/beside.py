"""What stands beside a correction: what cannot be true with the new words, and what still says the old ones.

Law: only rows that are not private are named or quoted, for nobody asked to see others (promise 6). Nothing is changed:
whoever corrected something decides what becomes of the rest (ruling F).

Source: ruling F; promise 6.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from voice.core.graph.contradictions import Claim, contradictions
from voice.core.graph.names import KnownNames
from voice.core.graph.stale import spoken, still_saying, stretches_saying
from voice.core.records import Entity, GraphRow, Observation, Relation, Row, Thought
from voice.ports.stores import GraphStore, MemoryStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A row that is shown beside a correction."""

    id: str
    said: str = field(repr=False)
    """What it says, in a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What stands beside a correction."""

    contradicts: tuple[Told, ...] = ()
    """Relations that cannot hold beside the new ones."""
    still_says: tuple[Told, ...] = ()
    """Relations, descriptions and notes that hold what was taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideCorrections:
    """Looks up what stands beside a correction."""

    store: MemoryStore
    graph: GraphStore

    async def __call__(
        self, old: Row, fresh: Iterable[Row], names: KnownNames, *, gone: Collection[str]
    ) -> Surroundings:
        """Return what is told to whoever puts `fresh` in the place of `old`.

        Args:
            old: what was corrected, as it stood.
            fresh: what is said instead.
            names: the entities.
            gone: the ids of what ends with the correction.

        Raises:
            StoreError: they cannot be read.
        """
        new = [row for row in fresh if isinstance(row, Observation | Relation)]
        stale = await self._still_saying(old, new, names.public, gone)
        known = {each.id for each in stale}
        against = [each for each in await self._against(new, names.public, gone) if each.id not in known]
        return Surroundings(contradicts=tuple(against), still_says=stale)

    async def _against(
        self, new: Sequence[Observation | Relation], names: KnownNames, gone: Collection[str]
    ) -> list[Told]:
        edges = [row for row in new if isinstance(row, Relation)]
        about = sorted({end for row in edges for end in (row.source_id, row.target_id)})
        if not about:
            return []
        held = [row for row in await self.graph.relations_of(about) if not row.is_private and row.id not in gone]
        rows = {row.id: row for row in (*held, *edges)}
        ours = {row.id for row in edges}
        pairs = contradictions(map(Claim.of, rows.values()))
        others = {each for pair in pairs if ours.intersection(pair) for each in pair} - ours
        return [Told(id=row_id, said=spoken(rows[row_id], names.name_of)) for row_id in sorted(others)]

    async def _still_saying(
        self, old: Row, new: Sequence[GraphRow], names: KnownNames, gone: Collection[str]
    ) -> tuple[Told, ...]:
        if not (isinstance(old, Observation) and new and isinstance(new[0], Observation)):
            return ()
        behind = sorted({place.thought_id for place in old.provenance})
        rows = {row.id: row for row in (await self.graph.derived_from(behind) if behind else [])}
        about = await self.store.fetch(list(old.entity_ids)) if old.entity_ids else {}
        shown = [
            row
            for row in {**rows, **about}.values()
            if isinstance(row, Entity | Relation) and not row.is_private and row.id not in gone
        ]
        found = still_saying(shown, old.text, new[0].text, nodes=names.nodes, places=old.provenance)
        notes = {row_id: row for row_id, row in (await self.store.fetch(behind)).items() if _may_be_shown(row, gone)}
        stretches = stretches_saying(notes, new[0].text, old.provenance)
        told = [(row.id, spoken(row, names.name_of)) for row in found] + sorted(stretches.items())
        return tuple(Told(id=row_id, said=said) for row_id, said in told)


def _may_be_shown(row: Row, gone: Collection[str]) -> TypeGuard[Thought]:
    return isinstance(row, Thought) and not row.is_private and row.id not in gone
