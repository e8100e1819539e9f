"""Adding approved entities to the observations that were there before them.

Law: what is approved is linked in the transaction that approves it, as far as a batch has room; the rest follows at
once, and approving again finishes what was interrupted (`voice.core.graph.linking`).

Source: rulings A21, C10, F.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.graph.known import KnownGraph
from voice.core.graph.linking import linked
from voice.core.graph.links import NOTE
from voice.core.graph.names import KnownNames
from voice.core.graph.promotion import Plan
from voice.core.records import Entity, EntityName, Observation, RowStatus
from voice.ports.stores import MAX_BATCH, GraphStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """Finds what is to be linked to the entities of a plan."""

    graph: GraphStore

    async def observations(self, decided: Plan, known: KnownGraph, names: KnownNames) -> tuple[Observation, ...]:
        """Return the observations that name an entity of the plan and do not say so yet, as they are to be written.

        Args:
            decided: what was decided.
            known: what it was decided from; its thoughts are those of the candidates.
            names: the graph's names before it.

        Raises:
            StoreError: the graph cannot be read.
        """
        changed = {row.id: row for row in decided.rows if isinstance(row, Entity)}
        touched = [{**known.entities, **changed}.get(step.row_id or "") for step in decided.steps]
        live = {row.id: row for row in touched if row and row.status is RowStatus.ACTIVE and row.entity_type != NOTE}
        behind = sorted({span.thought_id for row in live.values() for span in row.provenance} & known.thoughts.keys())
        if not behind:
            return ()
        index = names.with_({row_id: EntityName.of(row) for row_id, row in live.items()}).index
        held: dict[str, Observation] = {}
        for start in range(0, len(behind), MAX_BATCH):
            rows = await self.graph.derived_from(behind[start : start + MAX_BATCH])
            held.update((row.id, row) for row in rows if isinstance(row, Observation))
        return linked((held[row_id] for row_id in sorted(held)), index, live)


def in_batches(rows: Sequence[Observation], *, room: int) -> list[Sequence[Observation]]:
    """Return the rows in the batches that they are written in, the first of at most `room`, which may be none."""
    first = max(0, room)
    return [rows[:first], *(rows[start : start + MAX_BATCH] for start in range(first, len(rows), MAX_BATCH))]
