"""Rows as they stand today, in the eyes of a turn of some other day.

Law: a row's text is read as the turn read it: with what it was allowed to see, in its zone (rulings C19, E, H). A row
whose own content, or the content of a thought it says again, was redacted counts as redacted, whatever it still holds;
one that is gone is told from one that was redacted by its tombstone.

Source: DESIGN 6 "Receipts"; rulings C19, D20, E, F, H.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from voice.core.grounding.values import Evidence
from voice.core.recall.telling import behind, missing_behind
from voice.core.records import Row, RowStatus, Table, Thought
from voice.core.retrieval.candidates import Neighbourhood
from voice.core.retrieval.evidence import as_evidence
from voice.core.retrieval.values import Candidate, RowFilter
from voice.core.session.values import DialogueExchange, PromptRecord, PromptView
from voice.core.text.days import in_zone, is_zone
from voice.core.text.normalise import content_hash
from voice.ports.stores import GraphStore, MemoryStore, TombstoneStore
from voice.services.fetched import FetchedRows
from voice.services.names import Names

Fate = Literal["redacted", "removed"]
_TABLES = frozenset(Table)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsToday:
    """What is left of the rows that were asked for."""

    evidence: Mapping[str, Evidence]
    """By row id; what was redacted is not among it."""
    redacted: frozenset[str]
    never_here: frozenset[str] = frozenset()
    """Those that are not stored and that no tombstone bears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """How a turn read its rows."""

    view: PromptView
    timezone: str

    @classmethod
    def of(cls, exchange: DialogueExchange) -> "Eyes":
        """Return how `exchange` did; one from before views were kept saw private rows when it rests on one."""
        record = exchange.prompt
        kept = record.view if record else None
        return cls(view=kept or PromptView(include_private=exchange.is_private), timezone=zone_of(record))


def zone_of(record: PromptRecord | None) -> str:
    """Return the zone whose days a prompt spoke of; UTC where there is none, or none that is known here."""
    return record.timezone if record is not None and is_zone(record.timezone) else "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """Reads rows of one store."""

    store: MemoryStore
    graph: GraphStore
    tombstones: TombstoneStore
    names: Names

    async def __call__(self, row_ids: Collection[str], eyes: Eyes) -> RowsToday:
        """Return what is left of the rows, and which of them were never here.

        Raises:
            StoreError: they cannot be read.
        """
        fetched = FetchedRows(store=self.store, graph=self.graph)
        redacted, never_here = await self._look_up(row_ids, fetched)
        left = [fetched.rows[each] for each in row_ids if each in fetched.rows and each not in redacted]
        evidence = await self._evidence(left, fetched.rows, eyes)
        return RowsToday(evidence=evidence, redacted=redacted, never_here=never_here)

    async def gone(self, row_ids: Collection[str]) -> dict[str, Fate]:
        """Return those of the rows that were redacted, or repeat what was, and those that are there no more.

        Raises:
            StoreError: they cannot be read.
        """
        fetched = FetchedRows(store=self.store, graph=self.graph)
        redacted, _ = await self._look_up(row_ids, fetched)
        missing = set(row_ids) - fetched.rows.keys()
        return {each: "redacted" if each in redacted else "removed" for each in redacted | missing}

    async def _look_up(self, row_ids: Collection[str], fetched: FetchedRows) -> tuple[frozenset[str], frozenset[str]]:
        """Fetch the rows with what stands behind them; return those that were redacted, and that were never here."""
        await fetched.fetch_texts(sorted(row_ids))
        rows = {row_id: fetched.rows[row_id] for row_id in row_ids if row_id in fetched.rows}
        await fetched.fetch(missing_behind(rows))
        redacted = {row_id for row_id, row in rows.items() if _is_redacted(row, fetched.rows)}
        gone = set(row_ids) - rows.keys()
        stones = await self.tombstones.tombstones() if gone else []
        buried = {stone.row_id: stone.reason for stone in stones if stone.row_id in gone}
        redacted |= {row_id for row_id, reason in buried.items() if reason == "redacted"}
        return frozenset(redacted), frozenset(gone - buried.keys())

    async def _evidence(self, rows: Iterable[Row], around: Mapping[str, Row], eyes: Eyes) -> dict[str, Evidence]:
        view = eyes.view
        neighbourhood = Neighbourhood.visible(
            around.values(),
            RowFilter(
                tables=_TABLES,
                scope=view.scope,
                include_private=view.include_private,
                exclude_tags=view.exclude_tags,
            ),
        )
        known = (await self.names.known()).nodes
        candidates = [_candidate(row, neighbourhood.text_of(row)) for row in rows if not isinstance(row, Thought)]
        return {row.row_id: _dated(row, eyes.timezone) for row in as_evidence(candidates, known)}


def _candidate(row: Row, text: str) -> Candidate:
    return Candidate(row=row, text=text, content_hash=content_hash(text), cosine=None, lexical=0.0, rank_score=0.0)


def _dated(row: Evidence, timezone: str) -> Evidence:
    until = row.valid_until
    return replace(
        row,
        created_at=in_zone(row.created_at, timezone),
        valid_until=in_zone(until, timezone) if until else None,
    )


def _is_redacted(row: Row, rows: Mapping[str, Row]) -> bool:
    return row.status is RowStatus.REDACTED or any(
        thought.status is RowStatus.REDACTED for thought in behind(row, rows)
    )
