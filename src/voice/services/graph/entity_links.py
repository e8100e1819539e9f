"""Add approved entities to observations that were there before them.

Law: what is approved is linked in the transaction that approves it, as far as a batch has room; the rest follows at
once, and approving again finishes what was interrupted (`voice.core.graph.entity_names`). A row whose indexed text
stays keeps its vector: most say the name that they are linked by themselves.

Source: rulings A21, C10, F.
"""

from dataclasses import dataclass

from voice.core.graph.entity_names import NOTE_TYPE, KnownNames, with_new_entities
from voice.core.graph.review.promotion import KnownGraph, PromotionPlan
from voice.core.records import EmbeddingStatus, Entity, EntityName, Observation, RowStatus
from voice.ports.stores import MAX_BATCH, GraphStore
from voice.services.retrieval.entity_names import text_to_embed


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedRows:
    """Observations as they are to be written together."""

    anew: tuple[Observation, ...] = ()
    """Those whose indexed text is another one now."""
    kept: tuple[Observation, ...] = ()
    """Those that keep their vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityLinks:
    """Finds what is to be linked to the entities of a plan."""

    graph: GraphStore

    async def observations(
        self, decided: PromotionPlan, known: KnownGraph, names: KnownNames, *, room: int
    ) -> list[LinkedRows]:
        """Return the observations that name an entity of the plan and do not say so yet, in batches to be written.

        Args:
            decided: what was decided.
            known: what it was decided from; its thoughts are those of the candidates.
            names: the graph's names before it.
            room: how many the first batch may have; with none, it is empty.

        Raises:
            StoreError: the graph cannot be read.
        """
        changed = {row.id: row for row in decided.rows if isinstance(row, Entity)}
        touched = [{**known.entities, **changed}.get(step.row_id or "") for step in decided.steps]
        live = {
            row.id: row for row in touched if row and row.status is RowStatus.ACTIVE and row.entity_type != NOTE_TYPE
        }
        behind = sorted({span.thought_id for row in live.values() for span in row.provenance} & known.thoughts.keys())
        if not behind:
            return [LinkedRows()]
        after = names.with_({row_id: EntityName.of(row) for row_id, row in live.items()})
        held: dict[str, Observation] = {}
        for start in range(0, len(behind), MAX_BATCH):
            rows = await self.graph.derived_from(behind[start : start + MAX_BATCH])
            held.update((row.id, row) for row in rows if isinstance(row, Observation))
        found = with_new_entities((held[row_id] for row_id in sorted(held)), after.index, live)
        kept = {row.id for row in found if _keeps_its_vector(held[row.id], row, names, after)}
        first = max(0, room)
        batches = [found[:first], *(found[start : start + MAX_BATCH] for start in range(first, len(found), MAX_BATCH))]
        return [
            LinkedRows(
                anew=tuple(row for row in batch if row.id not in kept),
                kept=tuple(row for row in batch if row.id in kept),
            )
            for batch in batches
        ]


def _keeps_its_vector(before: Observation, after: Observation, names: KnownNames, known: KnownNames) -> bool:
    """Return whether a row has a vector, and says with the names that are known now what it said with those before."""
    return before.embedding_status is EmbeddingStatus.READY and text_to_embed(before, names) == text_to_embed(
        after, known
    )
