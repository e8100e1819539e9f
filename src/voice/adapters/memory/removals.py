"""Taking away rows, sessions and words of turns, in memory."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from voice.adapters.disk.values_json import from_json, row_from_json, row_to_json, to_json
from voice.adapters.memory.sessions import list_item, newest_first
from voice.adapters.memory.state import Tables
from voice.core.errors import InvalidParams, SessionConflict, UnknownId
from voice.core.recall.values import summary_id
from voice.core.records import (
    EmbeddingStatus,
    Observation,
    Relation,
    Row,
    RowStatus,
    Thought,
    Tombstone,
    VectorRow,
    table_of,
)
from voice.core.session.turn_stubs import turn_stub
from voice.core.session.values import DialogueExchange
from voice.core.vouch import Vouch
from voice.ports.stores import SessionListItem


class TransientRemovedRows:
    """Both in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def marked(self) -> list[Thought]:
        """Return the thoughts that are marked; see `RemovedRows.marked`."""
        rows = self._tables.now.rows.values()
        found = [row for row in rows if isinstance(row, Thought) and row.status is RowStatus.REMOVAL]
        return sorted(found, key=lambda row: (row.removal_marked_at or datetime.min.replace(tzinfo=UTC), row.id))

    async def vectors_of(self, row_ids: Sequence[str]) -> dict[str, VectorRow]:
        """Return the vectors that exist; see `RemovedRows.vectors_of`."""
        vectors = self._tables.now.vectors
        return {row_id: vectors[row_id] for row_id in row_ids if row_id in vectors}

    async def resting_on(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return what rests on thoughts; see `RestingRows.resting_on`."""
        asked = set(thought_ids)
        return [row for row in self._sorted() if asked.intersection(_behind(row))]

    async def naming(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return what names entities; see `RestingRows.naming`."""
        asked = set(entity_ids)
        rows = (row for row in self._sorted() if isinstance(row, Observation | Relation))
        return [row for row in rows if asked.intersection(_named_by(row))]

    def _sorted(self) -> list[Row]:
        rows = self._tables.now.rows
        return [rows[row_id] for row_id in sorted(rows)]

    async def finalise(self, tombstones: Sequence[Tombstone], revisions: Mapping[str, int]) -> None:
        """Take rows away; see `RemovedRows.finalise`."""
        with self._tables.transaction() as draft:
            for stone in tombstones:
                held = draft.rows.pop(stone.row_id, None)
                if held is None or held.revision != revisions[stone.row_id]:
                    raise InvalidParams(f"{stone.row_id} was changed or removed meanwhile; look again")
                draft.vectors.pop(stone.row_id, None)
                draft.tombstones[stone.row_id] = replace(stone, seq=draft.next_seq())

    async def bring_back(self, rows: Sequence[Row], vectors: Sequence[VectorRow]) -> None:
        """Bring rows back; see `RemovedRows.bring_back`."""
        given = {vector.row_id: vector for vector in vectors}
        with self._tables.transaction() as draft:
            for row in rows:
                stone = draft.tombstones.pop(row.id, None)
                if row.id in draft.rows:
                    raise InvalidParams(f"{row.id} is there already")
                if stone is not None and stone.reason != "finalised":
                    raise InvalidParams("one of the rows was forgotten and does not come back")
                state = EmbeddingStatus.READY if row.id in given else EmbeddingStatus.PENDING
                plain = row_from_json(table_of(row.id), row_to_json(row))
                draft.rows[row.id] = replace(plain, seq=draft.next_seq(), embedding_status=state)
            draft.vectors |= given


def _behind(row: Row) -> tuple[str, ...]:
    return row.summary_of if isinstance(row, Thought) else tuple(span.thought_id for span in row.provenance)


def _named_by(row: Observation | Relation) -> tuple[str, ...]:
    return row.entity_ids if isinstance(row, Observation) else (row.source_id, row.target_id)


class TransientSessionRemoval:
    """`SessionRemoval` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def forks(self, session_id: str) -> list[SessionListItem]:
        """Return the sessions that share its turns; see `SessionRemoval.forks`."""
        found = [
            each
            for each in self._tables.now.sessions.values()
            if session_id in {point.session_id for point in each.lineage}
        ]
        return [list_item(each) for each in newest_first(found)]

    async def delete(self, revisions: Mapping[str, int]) -> int:
        """Delete sessions with what was said in them; see `SessionRemoval.delete`."""
        with self._tables.transaction() as draft:
            held = {each: draft.sessions[each].revision for each in revisions if each in draft.sessions}
            if held != dict(revisions):
                raise SessionConflict(
                    "a session was changed or deleted by somebody else meanwhile; nothing was deleted"
                )
            for session_id in revisions:
                del draft.sessions[session_id]
            shared = {point.session_id for each in draft.sessions.values() for point in each.lineage}
            if shared.intersection(revisions):
                raise SessionConflict("one of them was forked meanwhile; nothing was deleted")
            turns = [each for each in draft.exchanges.values() if each.session_id in revisions]
            draft.exchanges |= {each.id: turn_stub(each) for each in turns}
            pinned = {summary_id(session_id) for session_id in revisions}
            draft.pins = {each.id: each for each in draft.pins.values() if each.target_id not in pinned}
        return len(turns)


class TransientExchangeWords:
    """`ExchangeWords` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        """Put bare turns in the place of stored ones; see `ExchangeWords.take_away`."""
        with self._tables.transaction() as draft:
            for bare in exchanges:
                held = draft.exchanges.get(bare.id)
                if held is None:
                    raise UnknownId(f"{bare.id} is not stored")
                if (held.session_id, held.index, held.link, held.deleted) != (
                    bare.session_id, bare.index, bare.link, False
                ):  # fmt: skip
                    raise SessionConflict(f"{bare.id} was changed by somebody else meanwhile; nothing was taken away")
                stored = from_json(DialogueExchange, to_json(DialogueExchange, bare))
                draft.exchanges[bare.id] = replace(stored, seq=held.seq)


class TransientNotedRows:
    """Finds them among the tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def noted(self, states: Collection[Vouch]) -> list[str]:
        """Return their ids; see `NotedRows.noted`."""
        rows = self._tables.now.rows
        return sorted(
            row_id for row_id, row in rows.items() if isinstance(row, Thought) and row.vouched in frozenset(states)
        )


class TransientTornRows:
    """`TornRows` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def torn(self) -> list[str]:
        """Return the ids of what rests on nothing; see `TornRows.torn`."""
        now = self._tables.now
        known = now.rows.keys() | now.tombstones.keys()
        derived = (row for row in now.rows.values() if not isinstance(row, Thought) and row.provenance)
        return sorted(row.id for row in derived if not any(span.thought_id in known for span in row.provenance))

    async def take_back(self, revisions: Mapping[str, int]) -> None:
        """Remove rows; see `TornRows.take_back`."""
        with self._tables.transaction() as draft:
            for row_id, revision in revisions.items():
                held = draft.rows.pop(row_id, None)
                if held is None or held.revision != revision:
                    raise InvalidParams(f"{row_id} was changed or removed meanwhile; look again")
                draft.vectors.pop(row_id, None)
