"""Candidates in SurrealDB; implements `CandidateStore` and `UndecidedCandidates`.

Law: what decides a write is read under the number that the write advances, so no decision overwrites another, and a row
of the graph is written together with its candidate. A candidate comes back equal in every field (ruling B8): it is one
canonical JSON text, beside columns for look-ups that are made from it at every write.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, cast

from voice.adapters.disk.values_json import check_int, to_json, to_text
from voice.adapters.surreal.codec import Record, decode_count, encode_instant
from voice.adapters.surreal.connection import (
    FOUND,
    Params,
    is_key,
    key_of,
    record,
    records,
    row_id_of,
    row_record,
    select_ids,
)
from voice.adapters.surreal.stores.reading import id_pages, pages_of, read_decision, read_pages
from voice.adapters.surreal.stores.rows import decide_rows, encode_batch
from voice.adapters.surreal.writer import Write, WritingStore
from voice.core.errors import SessionConflict
from voice.core.graph.review.candidates import Candidate, CandidateKind, Cursor, is_hidden, type_of, undecided_among
from voice.core.graph.row_display import class_of
from voice.core.text.normalise import clean_text, norm_v1
from voice.ports.review_stores import ALL_CANDIDATES, NO_ROWS, CandidateFilter, check_candidates
from voice.ports.stores import WriteBatch

TABLE_OF_KIND: Final = {CandidateKind.ENTITY: "kg_entity_candidates", CandidateKind.RELATION: "kg_edge_candidates"}
CANDIDATE_TABLES: Final = tuple(TABLE_OF_KIND.values())


def encode_candidate(candidate: Candidate, seq: int) -> Record:
    """Return the record of a candidate that is written under `seq`. Raises InvalidParams: a number does not fit."""
    thoughts = dict.fromkeys(clean_text(span.thought_id) for span in candidate.provenance)
    # `seq` is a column, because only the write knows it.
    members = {name: value for name, value in to_json(Candidate, candidate).items() if name != "seq"}
    return {
        "id": record(TABLE_OF_KIND[candidate.kind], candidate.id),
        "seq": seq,
        "revision": check_int(candidate.revision),
        "status": str(candidate.status),
        "type": clean_text(class_of(type_of(candidate.proposal))),
        "names": [clean_text(name) for name in candidate.names],
        "thought_ids": list(thoughts),
        "confidence": float(candidate.confidence),
        "is_private": candidate.is_private,
        "staged_at": encode_instant(candidate.staged_at),
        "body": to_text(members),
    }


def decode_candidate(found: Record) -> Candidate:
    """Return the candidate of a record. Raises StoreDamaged: it cannot be read, or its id is not the record's."""
    return _decoded(*(found.get(name) for name in _READ_AS))


_READ_AS: Final = ("id", "seq", "revision", "body")


@lru_cache(
    maxsize=4_000
)  # a page of the queue reads all that waits; a record of the same members is the same candidate
def _decoded(*members: object) -> Candidate:
    return read_decision(Candidate, dict(zip(_READ_AS, members, strict=True)), "candidate")


_WRITE = "FOR $each IN $candidates { UPSERT $each.id CONTENT $each RETURN NONE };"
_DELETE = "DELETE $removed RETURN NONE;"
_READ = "SELECT * FROM $ids"
_RESTING = select_ids(*(f"{table} WHERE thought_ids CONTAINSANY $ids" for table in CANDIDATE_TABLES))
_REVISIONS = f"SELECT VALUE [id, revision] FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_PRIVACY = f"SELECT VALUE [id, is_private] FROM $ids {FOUND}"  # noqa: S608 - the same
_BETWEEN = "\x1f"  # occurs in no normalised name, so that no text is found across two of them


class SurrealCandidateStore(WritingStore):
    """The ports of candidates over a connection; writes go through the store's one writer."""

    async def save(
        self, candidates: Sequence[Candidate], *, rows: WriteBatch = NO_ROWS, removed: Sequence[str] = ()
    ) -> list[Candidate]:
        """Write candidates and rows in one transaction; see `CandidateStore.save`."""
        check_candidates(candidates)
        encoded = encode_batch(rows)
        kept: list[Candidate] = []

        async def decide(last_seq: int) -> Write | None:
            await self._require_unchanged(candidates)
            first = await decide_rows(self._connection, rows, encoded, last_seq)
            if not candidates and not removed and not first.numbers:
                return None
            numbered = [replace(each, seq=last_seq + first.numbers + at) for at, each in enumerate(candidates, start=1)]
            written = [encode_candidate(each, each.seq) for each in numbered]
            kept[:] = numbered
            if removed:
                first = _joined(first, _DELETE, {"removed": _places(removed)}, 0)
            numbers = len(numbered) or int(not first.numbers)  # at least 1: a removal alone counts as a write
            return _joined(first, _WRITE, {"candidates": written}, numbers)

        await self._writer.commit("save candidates", decide)
        return kept

    async def fetch(self, ids: Sequence[str]) -> dict[str, Candidate]:
        """Return the candidates that exist, by id; see `CandidateStore.fetch`."""
        places = map(_places, pages_of(filter(is_key, ids)))
        found = cast("list[Record]", await read_pages(self._connection, "read candidates", _READ, places))
        return {candidate.id: candidate for candidate in map(decode_candidate, found)}

    async def candidates(
        self, where: CandidateFilter = ALL_CANDIDATES, *, limit: int, after: Cursor | None = None
    ) -> list[Candidate]:
        """Return candidates in the order they were staged; see `CandidateStore.candidates`."""
        found: list[Candidate] = []
        for table in _tables(where):
            text, params = candidates_query(table, where, after)
            # Either table may hold all of them.
            result = await self._connection.run("list candidates", text, {**params, "limit": max(limit, 0)})
            found.extend(decode_candidate(each) for each in cast("list[Record]", result))
        found.sort(key=Cursor.behind)
        return found[: max(limit, 0)]

    async def count(self, where: CandidateFilter = ALL_CANDIDATES) -> int:
        """Return how many candidates are wanted; see `CandidateStore.count`."""
        return await (self._counted(where) if where.include_private else self._shown(where))

    async def _counted(self, wanted: CandidateFilter) -> int:
        total, where = 0, _where(wanted, None)
        for table in _tables(wanted):
            text = f"SELECT count() FROM {table} {where} GROUP ALL"  # noqa: S608 - a table of ours, and conditions that are literals
            total += decode_count(await self._connection.run("count candidates", text, _bound(wanted)))
        return total

    async def _shown(self, wanted: CandidateFilter) -> int:
        """Return how many of the wanted candidates rest on a thought that is not private."""
        resting, where = list[list[str]](), _where(wanted, None)
        for table in _tables(wanted):
            text = f"SELECT VALUE thought_ids FROM {table} {where}"  # noqa: S608 - as above
            resting += cast("list[list[str]]", await self._connection.run("count candidates", text, _bound(wanted)))
        privacy = await self._privacy({thought_id for each in resting for thought_id in each})
        return sum(not is_hidden(each, privacy) for each in resting)

    async def _privacy(self, thought_ids: set[str]) -> dict[str, bool]:
        rows = ([row_record(each) for each in page] for page in id_pages(sorted(thought_ids)))
        found = await read_pages(self._connection, "read privacy", _PRIVACY, rows)
        return {row_id_of(place): is_private for place, is_private in cast("list[tuple[object, bool]]", found)}

    async def undecided(self, thought_ids: Sequence[str]) -> dict[str, int]:
        """Return how many candidates await a human decision, by thought; see `UndecidedCandidates.undecided`."""
        waiting: dict[str, int] = {}
        for page in pages_of(thought_ids):
            asked = {"ids": [clean_text(each) for each in page]}
            resting = cast("list[object]", await self._connection.run("candidates of thoughts", _RESTING, asked))
            found = await self.fetch([key_of(each) for each in resting])
            waiting |= undecided_among(found.values(), page)
        return waiting

    async def _require_unchanged(self, candidates: Sequence[Candidate]) -> None:
        ids = {"ids": _places([each.id for each in candidates])}
        found = await self._connection.run("look up candidates", _REVISIONS, ids)
        held = {key_of(place): revision for place, revision in cast("list[tuple[object, int]]", found)}
        for each in candidates:
            if each.revision != held.get(each.id, 0) + 1:  # 0 if it is not stored yet
                raise SessionConflict(f"{each.id} was changed meanwhile; look at it again")


def candidates_query(table: str, wanted: CandidateFilter, after: Cursor | None) -> tuple[str, Params]:
    """Return the statement that reads the wanted candidates of a table of ours, and what it binds but the limit."""
    where, params = _where(wanted, after), _bound(wanted)
    if after is not None:
        params = {**params, "at": encode_instant(after.staged_at), "last": records(table, [after.id])[0]}
    return f"SELECT * FROM {table} {where} ORDER BY staged_at, id LIMIT $limit", params  # noqa: S608 - a table of ours, and conditions that are literals


def _where(wanted: CandidateFilter, after: Cursor | None) -> str:
    conditions = [
        *(["status = $status"] if wanted.status is not None else []),
        *(["names CONTAINSANY $named"] if wanted.named is not None else []),
        *(["thought_ids CONTAINS $thought"] if wanted.thought_id is not None else []),
        *(["type = $type"] if wanted.type is not None else []),
        *(["string::contains(array::join(names, $between), $text)"] if wanted.text is not None else []),
        *(["confidence >= $least"] if wanted.min_confidence is not None else []),
        *(["confidence < $below"] if wanted.max_confidence is not None else []),
        *(["staged_at >= $since"] if wanted.since is not None else []),
        *(["is_private = false"] if not wanted.include_private else []),
        *(["(staged_at > $at OR (staged_at = $at AND id > $last))"] if after is not None else []),
    ]
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def _bound(wanted: CandidateFilter) -> Params:
    """Return what the conditions bind; what is not asked for is not said."""
    named = None if wanted.named is None else [clean_text(name) for name in wanted.named]
    asked: dict[str, object] = {
        "status": None if wanted.status is None else str(wanted.status),
        "named": named,
        "thought": None if wanted.thought_id is None else clean_text(wanted.thought_id),
        "type": None if wanted.type is None else clean_text(class_of(wanted.type)),
        "text": None if wanted.text is None else clean_text(norm_v1(wanted.text)),
        "between": _BETWEEN,
        "least": wanted.min_confidence,
        "below": wanted.max_confidence,
        "since": None if wanted.since is None else encode_instant(wanted.since),
    }
    return {name: value for name, value in asked.items() if value is not None}


def _tables(where: CandidateFilter) -> tuple[str, ...]:
    return CANDIDATE_TABLES if where.kind is None else (TABLE_OF_KIND[where.kind],)


def _places(ids: Sequence[str]) -> list[object]:
    """Return the records under which candidates of these ids can be: an id does not tell its kind."""
    return [place for kind in CandidateKind for place in records(TABLE_OF_KIND[kind], ids)]


def _joined(first: Write, step: str, params: Mapping[str, object], numbers: int) -> Write:
    return Write(steps=(*first.steps, step), params={**first.params, **params}, numbers=first.numbers + numbers)
