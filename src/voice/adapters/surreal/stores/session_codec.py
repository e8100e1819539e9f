"""Sessions, exchanges and metrics as the store's records, both ways.

Law: a column is what a query needs; the rest of the value is one canonical JSON text, compressed in `body`. Nothing is
in both except `recency`, which is `last_interaction` as the index needs it. A session's `context_window` is not stored
(spec stateful-design-v2, 5), and its summary is a record of its own, written only when it changes: the engine keeps
every version, and a session is written every turn.
"""

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from voice.adapters.disk.values_json import JsonObject, Metric, check_int, from_json, to_json, to_text
from voice.adapters.surreal.codec import Record, decode_instant, encode_instant, unreadable_record
from voice.adapters.surreal.connection import key_of, record
from voice.core.errors import InvalidParams, StoreDamaged
from voice.core.session.turn_traces import turn_figures
from voice.core.session.values import DialogueExchange, ForkPoint, InnerVoiceSession, RollingSummary
from voice.core.text.normalise import clean_text
from voice.ports.stores import SessionListItem

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

PRIMER: Final = Path(__file__).with_name("body_primer.txt").read_bytes()
"""What most bodies contain, for DEFLATE; it never changes, since a body opens only with the one it was packed with."""
_LEVEL: Final = 6
_MOST: Final = 64 * 2**20  # longest body that is written, in bytes
# The longest body that is read: longer ones were written before there was a bound. One above this is damage.
_READ: Final = 2**30


class UnreadableBody(ValueError):
    """A stored body cannot be read; the caller adds which record."""


def pack(text: str) -> bytes:
    """Return the compressed body that is stored for a text. Raises InvalidParams: it is longer than a body may be."""
    encoded = text.encode()
    if len(encoded) > _MOST:
        raise InvalidParams(f"a record of {len(encoded):,} bytes cannot be stored; at most {_MOST:,} are possible")
    packer = zlib.compressobj(_LEVEL, zdict=PRIMER)
    return packer.compress(encoded) + packer.flush()


def unpack(stored: object) -> str:
    """Return the text of a stored body, compressed or from before bodies were. Raises UnreadableBody: it cannot be
    read."""
    if isinstance(stored, str):
        return stored
    if not isinstance(stored, bytes):
        raise UnreadableBody("a body is neither packed nor a text")
    packer = zlib.decompressobj(zdict=PRIMER)
    try:
        text = packer.decompress(stored, _READ)
    except zlib.error:
        raise UnreadableBody("a packed body does not open") from None
    if not packer.eof or packer.unused_data:  # or bytes follow it
        raise UnreadableBody("a packed body has lost its end")
    return text.decode()


T = TypeVar("T")

_ALWAYS: Final = ("thread_topic", "status", "created_at", "last_interaction", "total_exchanges")
LISTED: Final = (*_ALWAYS, "topic_status", "ancestors", "forked_at", "begun_by")
_SESSION: Final = ("revision", *_ALWAYS)
_EXCHANGE: Final = ("session_id", "index", "timestamp", "idempotency")
# Columns that are absent when they have the usual value: open, no fork, begun by the person.
_LINEAGE: Final = ("topic_status", "lineage", "begun_by")
_SUMMARY: Final = "rolling_summary"
_MOST_BODY: Final = 16_384  # longest body of a remembered turn, in bytes
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)


def encode_session(session: InnerVoiceSession, seq: int) -> Record:
    """Return the record of a session that is written under `seq`, without its turns and summary."""
    itself = replace(session, context_window=(), rolling_summary=None)
    return {
        "id": record("sessions", session.id),
        "seq": seq,
        "revision": check_int(session.revision),
        "status": str(session.status),
        "thread_topic": clean_text(session.thread_topic),
        "created_at": encode_instant(session.created_at),
        "last_interaction": encode_instant(session.last_interaction),
        "recency": recency_of(session.last_interaction),
        "total_exchanges": check_int(session.total_exchanges),
        **_lineage_of(session),
        "body": _body(
            to_json(InnerVoiceSession, itself), ("id", "seq", *_SESSION, *_LINEAGE, "context_window", _SUMMARY)
        ),
    }


def _lineage_of(session: InnerVoiceSession) -> Record:
    found: Record = {} if session.topic_status == "open" else {"topic_status": str(session.topic_status)}
    if session.begun_by is not None:
        found["begun_by"] = clean_text(session.begun_by)
    if session.lineage:
        found["ancestors"] = [point.session_id for point in session.lineage]
        found["forked_at"] = [check_int(point.through_index) for point in session.lineage]
    return found


def decode_lineage(found: Record) -> tuple[ForkPoint, ...]:
    """Return the forks that a session's record lists: whose turns it shares, and up to which."""
    ancestors = cast("list[str]", found.get("ancestors") or [])
    indexes = cast("list[int]", found.get("forked_at") or [])
    return tuple(
        ForkPoint(session_id=ancestor, through_index=index) for ancestor, index in zip(ancestors, indexes, strict=True)
    )


def recency_of(moment: datetime) -> int:
    """Return a number for `moment` that is smaller the later it is."""
    return -((moment - _EPOCH) // _TICK)  # exact: whole microseconds, no float


def encode_summary(session: InnerVoiceSession) -> Record | None:
    """Return the record of a session's summary; None where it has none."""
    if session.rolling_summary is None:
        return None
    members = to_json(RollingSummary, session.rolling_summary)
    return {"id": record("summaries", session.id), "body": pack(to_text(members))}


def decode_session(found: Record, summary: Record | None) -> InnerVoiceSession:
    """Return the session of its record and its summary's, without a window. Raises StoreDamaged: it cannot be read."""
    try:
        beside = {
            "lineage": decode_lineage(found),
            "topic_status": found.get("topic_status") or "open",
            "begun_by": found.get("begun_by"),
        }
    except (ValueError, TypeError):
        raise unreadable_record(found) from None
    session = _decode(InnerVoiceSession, found, _SESSION, beside)
    return session if summary is None else replace(session, rolling_summary=_decode_summary(summary))


def _decode_summary(found: Record) -> RollingSummary:
    try:
        return from_json(RollingSummary, json.loads(unpack(found["body"])))
    except (ValueError, KeyError, TypeError):
        raise StoreDamaged(
            f"the summary of {key_of(found['id'])} cannot be read; run `voice maintain verify`"
        ) from None


def encode_exchange(exchange: DialogueExchange, seq: int) -> Record:
    """Return the record of an exchange that is written under `seq`."""
    return {
        "id": record("exchanges", exchange.id),
        "seq": seq,
        "session_id": clean_text(exchange.session_id),
        "index": check_int(exchange.index),
        "timestamp": encode_instant(exchange.timestamp),
        **({"idempotency": clean_text(exchange.idempotency)} if exchange.idempotency else {}),
        "body": _body(to_json(DialogueExchange, exchange), ("id", "seq", *_EXCHANGE)),
    }


def decode_exchange(found: Record) -> DialogueExchange:
    """Return the exchange of a record. Raises StoreDamaged: it cannot be read."""
    return _remembered(found, _decode_again)


def decode_figures(found: Record) -> DialogueExchange:
    """Return the `turn_figures` of the exchange of a record. Raises StoreDamaged: it cannot be read."""
    return _remembered(found, _figures_again)


def _remembered(found: Record, again: "_lru_cache_wrapper[DialogueExchange]") -> DialogueExchange:
    body = found.get("body")
    decode = again if isinstance(body, bytes | str) and len(body) <= _MOST_BODY else again.__wrapped__
    try:
        return decode(found["id"], found["seq"], body, *(found.get(name) for name in _EXCHANGE))
    except (KeyError, TypeError):
        raise unreadable_record(found) from None


def _decode_exchange(itself: object, seq: object, body: object, *columns: object) -> DialogueExchange:
    found: Record = {"id": itself, "seq": seq, "body": body, **dict(zip(_EXCHANGE, columns, strict=True))}
    # The column is absent for the empty one.
    return _decode(DialogueExchange, {**found, "idempotency": found["idempotency"] or ""}, _EXCHANGE)


# A turn reads again what earlier turns were shown; a record of the same bytes is the same exchange.
_decode_again = lru_cache(maxsize=256)(_decode_exchange)


@lru_cache(maxsize=10_000)  # some 3 kB each, its record included
def _figures_again(itself: object, seq: object, body: object, *columns: object) -> DialogueExchange:
    return turn_figures(_decode_exchange(itself, seq, body, *columns))


def encode_metric(metric: Metric) -> Record:
    """Return the record of a metrics row, without an id."""
    members = to_json(Metric, metric)
    return {"name": members["name"], "at": encode_instant(metric.at), "body": to_text(members["values"])}


def decode_metric(found: Record) -> Metric:
    """Return the metrics row of a record."""
    values = json.loads(cast("str", found["body"]))
    return from_json(Metric, {"name": found["name"], "at": decode_instant(found["at"]), "values": values})


def decode_list_item(found: Record) -> SessionListItem:
    """Return one line of a session list."""
    return SessionListItem(
        id=key_of(found["id"]),
        thread_topic=cast("str", found["thread_topic"]),
        status=cast("str", found["status"]),
        created_at=decode_instant(found["created_at"]),
        last_interaction=decode_instant(found["last_interaction"]),
        total_exchanges=cast("int", found["total_exchanges"]),
        topic_status=cast("str", found.get("topic_status") or "open"),
        own_from=max((point.through_index + 1 for point in decode_lineage(found)), default=0),
        begun_by=cast("str | None", found.get("begun_by")),
    )


def _body(members: JsonObject, elsewhere: Iterable[str]) -> bytes:
    for name in elsewhere:
        del members[name]  # fails if a column is no member any more
    return pack(to_text(members))


def _decode(kind: type[T], found: Record, columns: Iterable[str], beside: Mapping[str, object] | None = None) -> T:
    key = key_of(found["id"])
    try:
        members = cast("JsonObject", json.loads(unpack(found["body"])))
        members |= {"id": key, "seq": found["seq"]} | {name: found[name] for name in columns}
        members.update(beside or {})
        for name in ("created_at", "last_interaction", "timestamp"):
            if name in members:
                members[name] = decode_instant(members[name])
        return from_json(kind, members)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise unreadable_record(found) from None
