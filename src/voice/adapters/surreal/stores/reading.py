"""Reading rows: with their stamps and vectors, from memory, or their words alone.

Law: a row, its stamp and its vector are read in one statement, so they are of one moment; unknown ids are absent
(ruling B3). Long lists are read in pages, because the client holds the interpreter while a page is read; a page that is
longer than a holder may send its guest is read in halves.

`RememberedRows` decodes a row once as long as it does not change. Every write of a row takes a number, so what is
remembered is true except for rows with a number after the last check: before a remembered row is returned those are
asked for and dropped, unless nothing was written since the last check (`connection.Watched`). What is read while the
number advances is not remembered. Memory is bounded: long rows are always read, and the last used stay.

Source: DESIGN 4 (`seq`); docs/store.md, "What it costs".
"""

import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol, TypeVar, cast

from voice.adapters.disk.values_json import JsonObject, from_json
from voice.adapters.surreal.codec import (
    Record,
    Stamp,
    decode_instant,
    decode_row,
    decode_stamp,
    decode_vector,
    text_of,
    unreadable_record,
)
from voice.adapters.surreal.connection import (
    BEHIND,
    FIRST,
    META,
    PAGE,
    AnswerTooLong,
    Connection,
    Params,
    epochs_of,
    is_row_id,
    key_of,
    records,
    row_id_of,
    row_record,
)
from voice.adapters.surreal.stores.session_codec import unpack
from voice.adapters.surreal.writer import ConnectedStore
from voice.core.errors import StoreDamaged
from voice.core.records import Row, RowStatus, Table, VectorRow
from voice.core.usage import Total
from voice.ports.row_queries import RowWords, SessionFigures, TurnWords

_T = TypeVar("_T")
_Decision = TypeVar("_Decision", bound="_Decided")
_ROWS = "RETURN [(SELECT * FROM $stamps), (SELECT * FROM $rows)]"
_ROWS_AND_VECTORS = "RETURN [(SELECT * FROM $stamps), (SELECT * FROM $rows), (SELECT * FROM $vectors)]"
_STAMPS = "SELECT * FROM $ids"
BY_ID: Final = f"SELECT * {BEHIND} ORDER BY id LIMIT $limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """What the store holds of one row at one moment."""

    stamp: Stamp
    row: Row | None
    vector: VectorRow | None


class _Decided(Protocol):
    @property
    def id(self) -> str: ...


def read_decision(kind: type[_Decision], found: Record, what: str) -> _Decision:
    """Return the decision whose JSON a record holds, with the record's number and id. Raises StoreDamaged: it cannot be
    read, or its id or revision is not the record's."""
    key = key_of(found["id"])
    try:
        members = cast("JsonObject", json.loads(cast("str", found["body"])))
        value = from_json(kind, {**members, "seq": found["seq"]})
    except (ValueError, TypeError):
        value = None
    # Merges and conflicts have no revision.
    if value is None or value.id != key or getattr(value, "revision", None) != found.get("revision"):
        raise StoreDamaged(f"the {what} {key} cannot be read; run `voice maintain verify`")
    return value


def pages_of(items: Iterable[_T]) -> Iterator[list[_T]]:
    """Yield items in pages, once each."""
    once = list(dict.fromkeys(items))
    for start in range(0, len(once), PAGE):
        yield once[start : start + PAGE]


def id_pages(ids: Iterable[str]) -> Iterator[list[str]]:
    """Yield the ids that can be those of rows in pages, once each."""
    return pages_of(filter(is_row_id, ids))


def record_id_pages(table: str, ids: Iterable[str]) -> Iterator[Sequence[object]]:
    """Yield the records that a table has of rows, by the ids that can be those of rows, in pages."""
    return (records(table, page) for page in id_pages(ids))


async def read_pages(
    connection: Connection, purpose: str, text: str, pages: Iterable[Sequence[object]]
) -> list[object]:
    """Return what `text` gives for each page of `$ids`, one after the other."""
    found: list[object] = []
    for page in pages:
        found += cast("list[object]", await connection.run(purpose, text, {"ids": page}))
    return found


async def find_row_ids(connection: Connection, purpose: str, text: str, pages: Iterable[list[str]]) -> list[str]:
    """Return the ids of the rows whose records `text` selects for each page of `$ids`; sorted, once each."""
    return sorted(set(map(row_id_of, await read_pages(connection, purpose, text, pages))))


async def find_rows(connection: Connection, purpose: str, text: str, pages: Iterable[list[str]]) -> list[Row]:
    """Return the rows that `find_row_ids` finds, by id."""
    rows = await read_rows(connection, await find_row_ids(connection, purpose, text, pages))
    return [rows[row_id] for row_id in sorted(rows)]


async def read_stamps(connection: Connection, ids: Sequence[str]) -> dict[str, Stamp]:
    """Return the stamps that exist, by row id."""
    found = await read_pages(connection, "read rows", _STAMPS, record_id_pages("stamps", ids))
    return {stamp.row_id: stamp for stamp in map(decode_stamp, cast("list[Record]", found))}


async def read_stored(connection: Connection, ids: Sequence[str], *, vectors: bool = False) -> dict[str, StoredRow]:
    """Return what is stored of rows that exist or did, by row id; with their vectors if asked. Raises StoreDamaged: a
    record cannot be read."""
    found: dict[str, StoredRow] = {}
    async for page in _stored_pages(connection, ids, vectors=vectors):
        found |= page
    return found


async def _stored_pages(
    connection: Connection, ids: Iterable[str], *, vectors: bool = False
) -> AsyncIterator[dict[str, StoredRow]]:
    """Yield what each statement reads, which is of one moment."""
    pages = list(id_pages(ids))[::-1]
    while pages:
        page = pages.pop()
        params = {"stamps": records("stamps", page), "rows": [row_record(row_id) for row_id in page]}
        if vectors:
            params["vectors"] = records("vectors", page)
        try:
            result = await connection.run("read rows", _ROWS_AND_VECTORS if vectors else _ROWS, params)
        except AnswerTooLong:
            if len(page) == 1:
                raise
            half = len(page) // 2
            pages += page[half:], page[:half]
            continue
        yield _stored(cast("list[list[Record]]", result))


def _stored(result: list[list[Record]]) -> dict[str, StoredRow]:
    stamps, written_rows, *owned_vectors = result  # one list of vectors, if asked for
    rows = {row_id_of(each["id"]): each for each in written_rows}
    owned = {vector.row_id: vector for each in owned_vectors for vector in map(decode_vector, each)}
    found: dict[str, StoredRow] = {}
    for stamp in map(decode_stamp, stamps):  # a row without a stamp does not exist
        written = rows.get(stamp.row_id)
        row = decode_row(written, stamp) if written is not None else None
        found[stamp.row_id] = StoredRow(stamp=stamp, row=row, vector=owned.get(stamp.row_id))
    return found


async def read_rows(connection: Connection, ids: Sequence[str]) -> dict[str, Row]:
    """Return the rows that exist, by id."""
    return _rows_of(await read_stored(connection, ids))


def _rows_of(stored: Mapping[str, StoredRow]) -> dict[str, Row]:
    return {row_id: held.row for row_id, held in stored.items() if held.row is not None}


async def record_pages(
    connection: Connection, table: str, read: str = BY_ID, bound: Params = MappingProxyType({})
) -> AsyncIterator[list[Record]]:
    """Yield all records of a table of ours in pages, by id, which must be among the columns that `read` selects;
    `bound` is what it binds besides."""
    after, limit = FIRST, PAGE
    while True:
        try:
            params = {**bound, "table": table, "after": after, "limit": limit}
            result = await connection.run(f"read {table}", read, params)
        except AnswerTooLong:
            if limit == 1:
                raise
            limit //= 2
            continue
        found, limit = cast("list[Record]", result), PAGE  # later pages may be whole again
        if not found:
            return
        yield found
        after = key_of(found[-1]["id"])


async def key_pages(connection: Connection, purpose: str, text: str, params: Params) -> AsyncIterator[list[object]]:
    """Yield what `text` selects of a table behind `$after` in pages of `$limit` entries, by id; each is an id, or a
    list that begins with one. `params` is what `text` binds besides."""
    after, limit = FIRST, cast("int", params["limit"])
    while True:
        page = cast("list[object]", await connection.run(purpose, text, {**params, "after": after}))
        if page:
            yield page
        if len(page) < limit:
            return
        last = page[-1]
        after = key_of(cast("Sequence[object]", last)[0] if isinstance(last, list | tuple) else last)


async def session_pages(connection: Connection) -> AsyncIterator[list[tuple[Record, Record | None]]]:
    """Yield the records of all sessions in pages, by id, each with its summary's record if it has one."""
    async for sessions in record_pages(connection, "sessions"):
        ids = {"ids": records("summaries", (key_of(each["id"]) for each in sessions))}
        found = cast("list[Record]", await connection.run("read summaries", "SELECT * FROM $ids", ids))
        summaries = {key_of(each["id"]): each for each in found}
        yield [(each, summaries.get(key_of(each["id"]))) for each in sessions]


MOST_ROWS: Final = 4_000
MOST_CHARS: Final = 2_000
"""The longest text of a remembered row: a sentence or a short note."""
_MOST_CHANGED: Final = PAGE  # most changed rows that are dropped one by one; above it all are
_SINCE: Final = "RETURN [(SELECT VALUE id FROM stamps WHERE seq > $after LIMIT $limit), $meta.{seq, restoring}]"


@dataclass(slots=True)
class RememberedRows:
    """A reader of one store's rows that remembers the last used."""

    connection: Connection
    most: int = MOST_ROWS
    _known: OrderedDict[str, Row] = field(default_factory=OrderedDict[str, Row], repr=False)
    _seq: int = 0  # all remembered rows are true at least up to this number of the store
    _checked_in: object | None = None  # epoch in which that was checked
    _epoch: Callable[[], object | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._epoch = epochs_of(self.connection)

    async def read(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id. Raises StoreDamaged: a record cannot be read."""
        epoch = self._epoch()
        # Nothing to check unless a remembered row is asked for.
        if (epoch is None or epoch is not self._checked_in) and not self._known.keys().isdisjoint(ids):
            await self._drop_changed()
        found = {row_id: self._known[row_id] for row_id in ids if row_id in self._known}
        for row_id in found:
            self._known.move_to_end(row_id)
        missing = [row_id for row_id in ids if row_id not in found]
        epoch, seq = self._epoch(), self._seq
        async for page in _stored_pages(self.connection, missing):
            rows = _rows_of(page)
            if self._seq == seq:  # nothing was dropped meanwhile
                self._remember(rows, epoch)
            found |= rows
            epoch, seq = self._epoch(), self._seq
        return found

    def begin_at(self, seq: int) -> None:
        """Note the store's last number before anything is read, so that what is read is no older."""
        if not self._known:
            self._seq = max(self._seq, seq)

    async def _drop_changed(self) -> None:
        epoch, seq = self._epoch(), self._seq
        asked = {"meta": META, "after": seq, "limit": _MOST_CHANGED + 1}  # one more tells that there are too many
        answer = await self.connection.run("read changes", _SINCE, asked)
        changed, itself = cast("tuple[list[object], Record]", answer)
        for each in changed:
            self._known.pop(key_of(each), None)
        last_seq = cast("int", itself["seq"])
        # The numbers of a store that lost writes, or is being restored, do not tell which rows changed.
        if len(changed) > _MOST_CHANGED or last_seq < seq or itself.get("restoring"):
            self._known.clear()
        if self._seq == seq:
            self._seq, self._checked_in = last_seq, epoch

    def _remember(self, rows: Mapping[str, Row], epoch: object | None) -> None:
        if not self._known:
            self._seq, self._checked_in = max([self._seq, *(row.seq for row in rows.values())]), epoch
        for row_id, row in rows.items():
            if len(text_of(row)) <= MOST_CHARS:
                self._known[row_id] = row
        while len(self._known) > self.most:
            self._known.popitem(last=False)


_TEXTS_OF_ROWS: Final[Mapping[Table, str]] = {
    Table.THOUGHTS: f"SELECT id, status, is_private, tags, content, source_ref {BEHIND} ORDER BY id LIMIT $limit",
    Table.ENTITIES: "SELECT id, status, is_private, tags, name, description, aliases, thought_ids "
    f"{BEHIND} ORDER BY id LIMIT $limit",
    Table.OBSERVATIONS: f"SELECT id, status, is_private, tags, text, thought_ids {BEHIND} ORDER BY id LIMIT $limit",
    Table.RELATIONS: "SELECT id, status, is_private, tags, rel_type, description, source_id, target_id, thought_ids "
    f"{BEHIND} ORDER BY id LIMIT $limit",
}
_TURNS: Final = f"SELECT id, timestamp, body {BEHIND} ORDER BY id LIMIT $limit"
_SESSIONS: Final = f"SELECT id, body {BEHIND} ORDER BY id LIMIT $limit"
_WORDS: Final = ("content", "text", "name", "rel_type", "description")
_ENDS: Final = ("source_id", "target_id")


class SurrealSkimming(ConnectedStore):
    """`Skimming` over a connection; reads only the columns it needs, and no vector."""

    async def rows(self, table: Table) -> AsyncIterator[Sequence[RowWords]]:
        """Yield the rows of a table; see `Skimming.rows`."""
        async for page in record_pages(self._connection, str(table), _TEXTS_OF_ROWS[table]):
            yield list(map(_row_words, page))

    async def turns(self) -> AsyncIterator[Sequence[TurnWords]]:
        """Yield the turns of all sessions; see `Skimming.turns`."""
        async for page in record_pages(self._connection, "exchanges", _TURNS):
            yield list(map(_turn_words, page))

    async def sessions(self) -> AsyncIterator[Sequence[SessionFigures]]:
        """Yield the figures of each session; see `Skimming.sessions`."""
        async for page in record_pages(self._connection, "sessions", _SESSIONS):
            yield list(map(_figures, page))


def _row_words(found: Record) -> RowWords:
    words = [cast("str", found[name]) for name in _WORDS if found.get(name)]
    thoughts = cast("list[str]", found.get("thought_ids") or [])
    return RowWords(
        id=row_id_of(found["id"]),
        words=(*words, *cast("list[str]", found.get("aliases") or [])),
        status=RowStatus(cast("str", found["status"])),
        is_private=cast("bool", found["is_private"]),
        tags=tuple(cast("list[str]", found.get("tags") or [])),
        place=cast("str | None", found.get("source_ref")),
        thought_id=thoughts[0] if thoughts else None,
        ends=tuple(cast("str", found[name]) for name in _ENDS if name in found),
    )


def _turn_words(found: Record) -> TurnWords:
    body = _body(found)
    return TurnWords(
        id=key_of(found["id"]),
        at=decode_instant(found["timestamp"]),
        question=cast("str", body["my_query"]),
        answer=cast("str", body["answer"]),
    )


def _figures(found: Record) -> SessionFigures:
    body = _body(found)
    answered, refused, errors = (cast("int", body.get(name, 0)) for name in ("answered", "refused", "errors"))
    return SessionFigures(
        id=key_of(found["id"]),
        turns=answered + refused + errors,
        refused=refused,
        errors=errors,
        tokens=cast("int", body.get("total_tokens", 0)),
        cost=from_json(Total, body["total_cost"]),
    )


def _body(found: Record) -> JsonObject:
    try:
        return cast("JsonObject", json.loads(unpack(found["body"])))
    except (ValueError, KeyError, TypeError):
        raise unreadable_record(found) from None
