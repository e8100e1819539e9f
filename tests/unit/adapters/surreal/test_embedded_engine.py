"""The engine's bytes: what the client library would send, and the values it would read."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast
from uuid import UUID

import cbor2
import pytest
from cbor2 import CBORTag as Tag
from hypothesis import given
from hypothesis import strategies as st
from surrealdb.cbor import CBORTag
from surrealdb.data.cbor import decode, encode

from voice.adapters.surreal.connection import RecordID
from voice.adapters.surreal.embedded_engine import decode_answer, encode_request
from voice.adapters.surreal.remote import from_library, to_library
from voice.core.errors import StoreDamaged, StoreError

INSTANTS = st.datetimes(timezones=st.just(UTC))
SCALARS = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.builds(RecordID, st.sampled_from(["thoughts", "stamps"]), st.text(min_size=1))
)


def nested(scalars: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Return values with lists and mappings of them."""
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )


def sent(value: object) -> object:
    """Return `value` as the client library reads what we send."""
    return cast("dict[str, list[object]]", decode(encode_request("query", [value])))["params"][0]


@given(nested(SCALARS | INSTANTS))
def test_a_request_is_byte_for_byte_what_the_client_library_sends(value: object) -> None:
    theirs = encode(
        cast("Any", {"id": "", "method": "query", "params": ["RETURN $value", to_library({"value": value})]})
    )
    assert encode_request("query", ["RETURN $value", {"value": value}]) == theirs


@given(nested(SCALARS))  # the engine writes instants in a way of its own, shown below
def test_an_answer_is_read_as_the_client_library_reads_it(value: object) -> None:
    written = encode(cast("Any", {"result": to_library(value)}))
    assert decode_answer(written) == from_library(decode(written)) == {"result": value}


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


def _told(value: object) -> str:
    """Name a value the same way in every process: without its place in memory."""
    return f"{type(value).__name__} {'' if ' at 0x' in repr(value) else repr(value)}"


@pytest.mark.requirement("ruling:B9")
@pytest.mark.parametrize(
    "value",
    [
        *(2**63, 2**64, -(2**63) - 1, -(2**70)),
        *(None, {1, 2}, frozenset({1}), range(3), complex(1, 2), bytearray(b"a"), {1, 2}.__iter__(), object()),
        *(Decimal("1.5"), Fraction(1, 2), UUID(int=1)),
        *(datetime(2020, 1, 1), date(2020, 1, 1), time(1, 2), timedelta(days=1)),  # noqa: DTZ001 - naive on purpose
        *({1: "a"}, {None: 1}, RecordID("thoughts", cast("str", 1)), RecordID("thoughts", cast("str", ["a"]))),
        *("half \ud800", {"half \ud800": 1}, RecordID("thoughts", "half \ud800")),
    ],
    ids=_told,
)
@pytest.mark.parametrize("depth", [0, 3])
def test_a_value_that_no_column_holds_is_not_sent(value: object, depth: int) -> None:
    for _ in range(depth):
        value = {"within": [value]}
    with pytest.raises(StoreError):
        encode_request("query", [value])


def test_the_largest_and_smallest_integers_arrive_as_they_are() -> None:
    assert [sent(number) for number in (2**63 - 1, -(2**63))] == [2**63 - 1, -(2**63)]


@pytest.mark.parametrize("data", [b"", b"\xff", encode({"a": "text"})[:-1], encode(cast("Any", CBORTag(99, "x")))])
def test_an_answer_that_cannot_be_understood_is_damage(data: bytes) -> None:
    with pytest.raises(StoreDamaged):
        decode_answer(data)


OTHER_TAGS: list[tuple[int, object]] = [
    (0, "2020-01-01T00:00:00Z"), (1, 5), (2, b"\1" * 9), (3, b"\1" * 9), (4, [1, 2]), (5, [1, 2]), (28, [1]),
    (30, [1, 2]), (35, "a"), (36, "a"), (37, b"1" * 16), (52, b"1" * 4), (54, b"1" * 16), (100, 1), (256, ["a"]),
    (258, [1]), (260, b"1" * 4), (261, {b"1" * 4: 8}), (1004, "2020-01-01"), (43_000, [1, 2]), (55_799, 3),
]  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        *(Tag(12, parts) for parts in ([1, 2, 3], [0, -1], [0, 10**9], [1.5, 0], [True], [10**12, 0], "x", None)),
        *(Tag(8, parts) for parts in (["a"], ["a", 5], ["a", [1]], ["a", {"b": 1}], [1, "a"], ["a", "b", "c"], "ab")),
        *(Tag(number, inner) for number, inner in OTHER_TAGS),
        *({1: 2}, {b"a": 2}, {("a",): 2}),
    ],
    ids=repr,
)
def test_an_answer_with_a_value_that_no_column_holds_is_damage(value: object) -> None:
    with pytest.raises(StoreDamaged):
        decode_answer(cbor2.dumps({"result": [value]}))
