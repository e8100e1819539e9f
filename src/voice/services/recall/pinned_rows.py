"""The pins of a turn, as rows of the graph that its prompt may show.

Law: pins are read as recall reads them: active at the turn's instant, in its scope, private ones only where they are
let in. What stands behind a pin passes every filter that the turn's evidence passes (scope, time, privacy, tags, quoted
phrases) and skips only the ranking. A prompt shows no thought (ruling A2), so a pinned thought is shown through the
statements that say it again; what was redacted is shown through nothing. A pinned summary is context and no source.

Source: spec retrieval-contract, Tier 1; rulings A2, A13, A17, E, H.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from voice.core.context.pins import PinnedRows
from voice.core.recall.capsules import owner_of_summary
from voice.core.recall.disclosure import may_be_told
from voice.core.recall.pins import eligible_pins
from voice.core.recall.values import Pin, RecallParams
from voice.core.records import Entity, EntityName, Observation, Row, Table, Thought
from voice.core.retrieval.evidence import EvidenceRequest, as_evidence
from voice.core.retrieval.values import Candidate, RowFilter
from voice.ports.recall_stores import PinStore
from voice.ports.stores import GraphStore, MemoryStore
from voice.ports.system import Clock
from voice.services.retrieval.fetched_rows import fetch_with_source_thoughts
from voice.services.retrieval.search import Retrieve


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedEvidence:
    """Reads what is pinned for one turn after the other."""

    held: PinStore
    store: MemoryStore
    graph: GraphStore
    retrieve: Retrieve
    clock: Clock

    async def __call__(
        self, wanted: EvidenceRequest, entities: Iterable[Entity | EntityName]
    ) -> tuple[PinnedRows, ...]:
        """Return the pins that have something to show, the newest first, each with its rows.

        Args:
            wanted: what the turn's evidence was asked for by.
            entities: where the names of the rows' entities are taken from.

        Raises:
            StoreError: they cannot be read.
        """
        params = _reader(wanted, self.clock)
        pins = [
            pin
            for pin in eligible_pins(await self.held.pins(active_at=params.now), params)
            if owner_of_summary(pin.target_id) is None
        ]
        if not pins:
            return ()
        behind = await self._rows_of(pins, wanted)
        candidates = await self.retrieve.fetch_named([row_id for ids in behind.values() for row_id in ids], wanted)
        standing = {candidate.row.id: candidate for candidate in candidates}
        names = tuple(entities)
        shown = ((pin, [standing[each] for each in behind[pin.id] if each in standing]) for pin in pins)
        return tuple(_rows(pin, found, names) for pin, found in shown if found)

    async def _rows_of(self, pins: Iterable[Pin], wanted: EvidenceRequest) -> dict[str, list[str]]:
        """Return for each pin the ids of the rows of the graph that stand for its target and may be told."""
        targets = {pin.id: pin.target_id for pin in pins}
        rows = await fetch_with_source_thoughts(self.store, targets.values())
        seen = _seen_by(wanted)
        told = {row_id: row for row_id, row in rows.items() if may_be_told(row, rows, seen)}
        thoughts = sorted({each for each in targets.values() if isinstance(told.get(each), Thought)})
        derived = await self.graph.derived_from(thoughts) if thoughts else []
        around = await fetch_with_source_thoughts(self.store, [row.id for row in derived])
        said = [row for row in derived if isinstance(row, Observation) and may_be_told(row, around, seen)]
        return {pin_id: _standing_for(told.get(target), said) for pin_id, target in targets.items()}


def _reader(wanted: EvidenceRequest, clock: Clock) -> RecallParams:
    return RecallParams(
        query="", scope=wanted.scope, now=wanted.now or clock.now(), include_private=wanted.include_private
    )


def _seen_by(wanted: EvidenceRequest) -> RowFilter:
    return RowFilter(
        tables=frozenset(Table),
        scope=wanted.scope,
        include_private=wanted.include_private,
        include_superseded=wanted.superseded,
    )


def _standing_for(target: Row | None, said: Iterable[Observation]) -> list[str]:
    """Return the rows that stand for a target: itself, or the statements of a thought in the order it makes them."""
    if target is None:
        return []
    if not isinstance(target, Thought):
        return [target.id]
    starts: Mapping[str, int] = {
        row.id: min(place.start for place in row.provenance if place.thought_id == target.id)
        for row in said
        if any(place.thought_id == target.id for place in row.provenance)
    }
    return sorted(starts, key=lambda row_id: (starts[row_id], row_id))


def _rows(pin: Pin, found: Iterable[Candidate], names: tuple[Entity | EntityName, ...]) -> PinnedRows:
    """Return the pin's rows; one that was private when it was pinned taints what it shows (ruling H)."""
    rows = as_evidence(found, names)
    return PinnedRows(
        pin_id=pin.id, rows=tuple(replace(row, is_private=row.is_private or pin.is_private) for row in rows)
    )
