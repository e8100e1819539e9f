"""Requests to the embedded engine and its answers, as the bytes it speaks (CBOR, with tags of its own).

Law: only what the store's columns hold is sent and understood: texts, bytes, truths, floats, integers of 64 bits, aware
instants, record ids keyed by a text, and lists and mappings of these. These go byte for byte as the client library
sends them and are decoded to the same values, by a compiled codec: the library's own is pure Python and cost half of
every read. Anything else is refused before it is sent, and damage where it is read, never a guess: the compiled codec
alone would send a large integer as another number and a naive instant as UTC. Absent is left out, never sent as None
(ruling B9).

Source: docs/store.md, "What it costs"; tests/unit/adapters/surreal/test_wire.py holds it against the library's codec.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, cast

import cbor2

from voice.adapters.surreal.record_id import RecordID
from voice.core.errors import StoreDamaged, StoreError

_NONE: Final = 6
_RECORD: Final = 8
_INSTANT: Final = 12
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_PLAIN: Final = (str, bytes, bool, float)
_NANOS: Final = 1_000_000_000
_OF_THE_CODEC: Final = (
    *range(6),
    *(25, 28, 29, 30, 35, 36, 37, 52, 54, 100, 256, 258, 260, 261, 1004, 43_000, 55_799),
)
"""Tags that the compiled codec would turn into values of its own: sets, decimals, addresses, shared references."""


def encode_request(method: str, params: Sequence[object]) -> bytes:
    """Return a request of the engine's own protocol; `params` are what its `method` takes, in order.

    Raises:
        StoreError: a value is of a kind that no column of ours has, or a text is not valid Unicode.
    """
    _require_sendable(params)
    request = {"id": "", "method": method, "params": list(params)}
    try:
        return cbor2.dumps(request, encoders=_ENCODERS)
    except UnicodeEncodeError:
        raise StoreError("the store holds valid Unicode only; a text has half a character in it") from None


def decode_answer(data: bytes) -> object:
    """Return the answer in those bytes.

    Raises:
        StoreDamaged: they are none, or hold a value of a kind that no column of ours has.
    """
    try:
        return cast(
            "object", cbor2.loads(data, semantic_decoders=_DECODERS, tag_hook=_unknown, object_hook=_keyed_by_text)
        )
    except cbor2.CBORDecodeError:
        raise _unreadable() from None


def _require_sendable(params: Sequence[object]) -> None:
    """Check every value, however deep: the codec's own hooks do not see the kinds it knows.

    Raises:
        StoreError: the store has no column for one.
    """
    waiting: list[Iterable[object]] = [params]
    while waiting:
        for value in waiting.pop():
            if isinstance(value, _PLAIN):
                continue
            if isinstance(value, list | tuple):
                waiting.append(cast("Sequence[object]", value))
            elif isinstance(value, dict):
                members = cast("dict[object, object]", value)
                if not all(isinstance(key, str) for key in members):
                    raise _no_column_for("a mapping keyed by anything but texts")
                waiting.append(members.values())
            else:
                _require_scalar(value)


def _require_scalar(value: object) -> None:
    if isinstance(value, int):
        if not _MIN_INT <= value <= _MAX_INT:
            raise _no_column_for("an integer of more than 64 bits")
    elif isinstance(value, datetime):
        if value.utcoffset() is None:
            raise _no_column_for("an instant without an offset from UTC")
    elif isinstance(value, RecordID):
        if not isinstance(value.id, str):  # pyright: ignore[reportUnnecessaryIsInstance] - a type is a promise only
            raise _no_column_for("a record keyed by anything but a text")
    else:
        raise _no_column_for(f"a {type(value).__name__}")


def _no_column_for(what: str) -> StoreError:
    return StoreError(f"the store has no column for {what}")


def _encode_record(encoder: cbor2.CBOREncoder, found: object) -> None:
    record = cast("RecordID", found)
    encoder.encode_semantic(_RECORD, [record.table_name, record.id])


def _none(*_: object) -> None:
    return None


def _record(value: object, *_: object) -> RecordID:
    table, key = _parts(value)
    if type(table) is not str or type(key) is not str:
        raise _unreadable()
    return RecordID(table, key)


def _parts(value: object) -> list[object]:
    if type(value) is not list:
        raise _unreadable()
    return cast("list[object]", value)


def _instant(value: object, *_: object) -> datetime:
    parts = _parts(value)
    seconds, nanoseconds = [*parts, 0, 0][: max(len(parts), 2)]  # zeros at the end are not sent
    if type(seconds) is not int or type(nanoseconds) is not int or not 0 <= nanoseconds < _NANOS:
        raise _unreadable()
    return _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)


def _keyed_by_text(found: Mapping[object, object], *_: object) -> Mapping[object, object]:
    if not all(type(key) is str for key in found):
        raise _unreadable()
    return found


def _foreign(*_: object) -> object:
    raise _unreadable()


def _unreadable() -> StoreDamaged:
    return StoreDamaged("the store's answer cannot be read; run `voice maintain verify`")


def _unknown(tag: cbor2.CBORTag, *_: object) -> object:
    raise StoreDamaged(f"the store's answer holds a value of an unknown kind ({tag.tag}); run `voice maintain verify`")


_ENCODERS: Final[Mapping[type, cbor2.EncoderHook]] = {RecordID: _encode_record}
_DECODERS: Final[Mapping[int, cbor2.SemanticDecoderCallback]] = {
    **dict.fromkeys(_OF_THE_CODEC, _foreign),
    _NONE: _none,
    _RECORD: _record,
    _INSTANT: _instant,
}
