"""Requests to the embedded engine and its answers, as the bytes it speaks (CBOR, with tags of its own).

Law: byte for byte what the client library sends, decoded to the same values, by a compiled codec: the library's own is
pure Python and cost half of every read. Instants come back as plain aware UTC datetimes, record ids as `RecordID`. Only
what the store's columns hold is understood; an answer with anything else in it is damage, not a guess. Absent is left
out, never sent as None (ruling B9).

Source: docs/store.md, "What it costs"; tests/unit/adapters/surreal/test_wire.py holds it against the library's codec.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, cast

import cbor2
from surrealdb import RecordID

from voice.core.errors import StoreDamaged, StoreError

_NONE: Final = 6
_RECORD: Final = 8
_INSTANT: Final = 12
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def encode_request(method: str, params: Sequence[object]) -> bytes:
    """Return a request of the engine's own protocol; `params` are what its `method` takes, in order.

    Raises:
        StoreError: a value is of a kind that no column of ours has.
    """
    request = {"id": "", "method": method, "params": list(params)}
    return cbor2.dumps(request, encoders=_ENCODERS, default=_refuse, timezone=UTC)


def decode_answer(data: bytes) -> object:
    """Return the answer in those bytes.

    Raises:
        StoreDamaged: they are none, or hold a value of a kind that no column of ours has.
    """
    try:
        return cast("object", cbor2.loads(data, semantic_decoders=_DECODERS, tag_hook=_unknown))
    except cbor2.CBORDecodeError:
        raise StoreDamaged("the store's answer cannot be read; run `voice maintain verify`") from None


def _encode_record(encoder: cbor2.CBOREncoder, found: object) -> None:
    record = cast("RecordID", found)
    encoder.encode_semantic(_RECORD, [record.table_name, record.id])


def _refuse(_: cbor2.CBOREncoder, value: object) -> None:
    raise StoreError(f"the store has no column for a {type(value).__name__}")


def _none(*_: object) -> None:
    return None


def _record(value: object, *_: object) -> RecordID:
    found = RecordID.__new__(RecordID)  # what the engine sends is not checked again: a read makes two ids per row
    found.table_name, found.id = cast("tuple[str, str]", value)
    return found


def _instant(value: object, *_: object) -> datetime:
    seconds, nanoseconds = [*cast("Sequence[int]", value), 0, 0][:2]  # zeros at the end are not sent
    return _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)


def _unknown(tag: cbor2.CBORTag, *_: object) -> object:
    raise StoreDamaged(f"the store's answer holds a value of an unknown kind ({tag.tag}); run `voice maintain verify`")


_ENCODERS: Final[Mapping[type, cbor2.EncoderHook]] = {RecordID: _encode_record}
_DECODERS: Final[Mapping[int, cbor2.SemanticDecoderCallback]] = {_NONE: _none, _RECORD: _record, _INSTANT: _instant}
