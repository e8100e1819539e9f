"""What travels between guest and holder is bounded, and what is none of it is refused."""

import asyncio
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.adapters.surreal.sharing.protocol import (
    HEAD,
    MAX_BODY,
    MAX_TALK,
    Frame,
    Kind,
    MalformedFrame,
    NoCard,
    decode_card,
    decode_cards,
    encode_card,
    encode_cards,
    encode_frame,
    parse_head,
    parse_request,
    read_body,
    read_head,
    request_frame,
)
from voice.core.store_holder import ProcessCard

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("holder:bounded")
CARD = ProcessCard(
    protocol=1,
    version="0.1.0",
    format=14,
    namespace="voice",
    database="memory",
    pid=7,
    since=datetime(2026, 3, 5, tzinfo=UTC),
    command="voice serve",
)


async def read(data: bytes) -> Frame | None:
    """Return the frame in what came over a connection that then closed."""
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    head = await read_head(reader)
    return None if head is None else await read_body(reader, head)


@given(st.sampled_from(Kind), st.integers(0, 2**32 - 1), st.binary(max_size=200))
def test_a_frame_is_read_as_it_was_written(kind: Kind, number: int, body: bytes) -> None:
    assert asyncio.run(read(encode_frame(Frame(kind, number, body)))) == Frame(kind, number, body)


async def test_an_end_between_two_frames_is_an_end_and_one_inside_is_malformed() -> None:
    whole = encode_frame(Frame(Kind.ANSWER, 3, b"body"))
    assert await read(b"") is None
    for length in range(1, len(whole)):
        with pytest.raises(MalformedFrame):
            await read(whole[:length])


@pytest.mark.parametrize(
    "head",
    [
        HEAD.pack(0, 0, 0),
        HEAD.pack(0, 200, 0),
        HEAD.pack(MAX_TALK + 1, Kind.CARD, 0),
        HEAD.pack(MAX_BODY + 1, Kind.ASK, 0),
    ],
)
def test_a_head_of_no_kind_or_too_long_is_malformed(head: bytes) -> None:
    with pytest.raises(MalformedFrame):
        parse_head(head)


def test_nothing_longer_is_sent_than_would_be_read() -> None:
    with pytest.raises(MalformedFrame):
        encode_frame(Frame(Kind.CARD, 0, b"x" * (MAX_TALK + 1)))


def test_a_statement_carries_its_deadline() -> None:
    assert parse_request(request_frame(5, b"request", not_after=12.5)) == (12.5, b"request")
    with pytest.raises(MalformedFrame):
        parse_request(Frame(Kind.ASK, 5, b"short"))


def test_a_card_is_read_as_it_was_written_and_what_a_newer_program_adds_is_passed_over() -> None:
    assert decode_card(encode_card(CARD)) == CARD
    assert decode_cards(encode_cards([CARD, CARD])) == (CARD, CARD)
    assert decode_card(json.dumps({**json.loads(encode_card(CARD)), "moods": ["calm"]}).encode()) == CARD


@pytest.mark.parametrize("change", TABLES["a_card_with_a_member_of_another_kind_is_none"])
def test_a_card_with_a_member_of_another_kind_is_none(change: dict[str, object]) -> None:
    with pytest.raises(NoCard):
        decode_card(json.dumps({**json.loads(encode_card(CARD)), **change}).encode())


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000])
def test_what_is_no_card_is_refused(data: bytes) -> None:
    with pytest.raises(NoCard):
        decode_card(data)


def test_a_list_of_cards_is_a_list() -> None:
    with pytest.raises(NoCard):
        decode_cards(b"{}")
