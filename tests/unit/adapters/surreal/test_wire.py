"""The engine's bytes: what the client library would send, and the values it would read."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from surrealdb import RecordID
from surrealdb.cbor import CBORTag
from surrealdb.data.cbor import decode, encode

from voice.adapters.surreal.wire import decode_answer, encode_request
from voice.core.errors import StoreDamaged, StoreError

INSTANTS = st.datetimes(timezones=st.just(UTC))
VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | INSTANTS
    | st.builds(RecordID, st.sampled_from(["thoughts", "stamps"]), st.text(min_size=1)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def sent(value: object) -> object:
    """Return `value` as the client library reads what we send."""
    return cast("dict[str, list[object]]", decode(encode_request("query", [value])))["params"][0]


@given(VALUES)
def test_a_request_is_byte_for_byte_what_the_client_library_sends(value: object) -> None:
    theirs = encode(cast("Any", {"id": "", "method": "query", "params": ["RETURN $value", {"value": value}]}))
    assert encode_request("query", ["RETURN $value", {"value": value}]) == theirs


@given(VALUES)
def test_an_answer_is_read_as_the_client_library_reads_it(value: object) -> None:
    written = encode(cast("Any", {"result": value}))
    assert decode_answer(written) == decode(written)


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))  # noqa: DTZ001 - UTC is put on below
def test_an_instant_of_the_engine_is_a_plain_aware_datetime(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC)
    seconds, rest = divmod(aware - datetime(1970, 1, 1, tzinfo=UTC), timedelta(seconds=1))
    found = decode_answer(encode(cast("Any", CBORTag(12, [seconds, rest.microseconds * 1000]))))
    assert found == aware
    assert type(found) is datetime


@pytest.mark.parametrize(("parts", "moment"), [([], 0), ([60], 60)])
def test_zeros_that_the_engine_does_not_send_are_zeros(parts: list[int], moment: int) -> None:
    assert decode_answer(encode(cast("Any", CBORTag(12, parts)))) == datetime.fromtimestamp(moment, UTC)


def test_an_instant_is_sent_in_utc() -> None:
    there = datetime(2025, 3, 1, 12, tzinfo=timezone(timedelta(hours=5)))
    assert sent(there) == there


def test_what_is_not_there_is_none() -> None:
    assert decode_answer(encode(cast("Any", [None]))) == [None]


@pytest.mark.parametrize("value", [{1, 2}.__iter__(), object()])
def test_a_value_that_no_column_holds_is_not_sent(value: object) -> None:
    with pytest.raises(StoreError):
        encode_request("query", [value])


@pytest.mark.parametrize("data", [b"", b"\xff", encode({"a": "text"})[:-1], encode(cast("Any", CBORTag(99, "x")))])
def test_an_answer_that_cannot_be_understood_is_damage(data: bytes) -> None:
    with pytest.raises(StoreDamaged):
        decode_answer(data)
