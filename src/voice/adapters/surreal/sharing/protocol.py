"""The protocol between a guest and its holder: frames of bounded length, and cards.

    length of the body (4) | kind (1) | number (4) | body

Law: a frame that is too long or of an unknown kind ends the connection, because the start of the next frame is then
unknown. The head and the first two kinds never change: every version reads every other's card, member by member, and
skips what a newer program adds. Cards are JSON, on the socket and in the file that the holder locks.

Source: docs/holder.md, "On the socket".
"""

import asyncio
import json
import struct
from asyncio import IncompleteReadError, StreamReader
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Final, cast

from voice.core.store_holder import ProcessCard

HEAD: Final = struct.Struct(">IBI")  # big-endian and unpadded: 9 bytes
MAX_BODY: Final = 256 * 1024 * 1024
MAX_TALK: Final = 64 * 1024
"""The longest body of a frame other than a statement or its answer."""
_DEADLINE: Final = struct.Struct(">d")  # of the monotonic clock, which all processes of a machine share
_MAX_NUMBER: Final = 0xFFFF_FFFF


class Kind(IntEnum):
    """The kind of a frame."""

    CARD = 1
    """Guest and holder: my card (JSON)."""
    REFUSED = 2
    """Holder: I refuse you now; the body is a sentence."""
    ASK = 3
    """Guest: carry this statement out, and do not start it after the deadline before it."""
    ANSWER = 4
    """Holder: the engine's answer to the statement with that number."""
    FAILED = 5
    """Holder: the engine failed, with these words."""
    MISREAD = 6
    """Holder: the engine could not read it."""
    NOT_DONE = 7
    """Holder: it did not start and never will."""
    ALIVE = 8
    """Holder: I am alive and busy."""
    TURN = 9
    """Guest: I ask for a turn to write."""
    GRANTED = 10
    """Holder: it is your turn; the number is 1 if no other process had one since your last."""
    DONE = 11
    """Guest: I give my turn back."""
    STEP_DOWN = 12
    """Guest of a newer program: close the store, I take over."""
    BYE = 13
    """Holder: I close the store; the number is that of the last statement that I carried out for you. A body says that
    a newer program takes over, so that others wait for it."""
    WHO = 14
    """Guest: who are the other guests?"""
    GUESTS = 15
    """Holder: their cards (JSON)."""
    TOO_LONG = 16
    """Holder: it was carried out, and its answer is longer than a frame may be."""


_LONG: Final = frozenset({Kind.ASK, Kind.ANSWER})  # the others are bounded by MAX_TALK


class MalformedFrame(Exception):
    """The bytes received are not a frame."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message."""

    kind: Kind
    number: int = 0
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Head:
    """The part of a frame before its body."""

    kind: Kind
    number: int
    length: int


def encode_frame(frame: Frame) -> bytes:
    """Return the bytes of a frame. Raises MalformedFrame: it is longer than a frame may be."""
    if len(frame.body) > max_body_length(frame.kind):
        raise MalformedFrame
    return HEAD.pack(len(frame.body), frame.kind, frame.number & _MAX_NUMBER) + frame.body


def parse_head(data: bytes) -> Head:
    """Return the head in `data`. Raises MalformedFrame: its kind is unknown, or its body too long."""
    length, kind, number = HEAD.unpack(data)
    if kind not in Kind.__members__.values() or length > max_body_length(Kind(kind)):
        raise MalformedFrame
    return Head(Kind(kind), number, length)


def max_body_length(kind: Kind) -> int:
    """Return the longest body of a frame of that kind."""
    return MAX_BODY if kind in _LONG else MAX_TALK


async def read_head(reader: StreamReader, *, rest_s: float | None = None) -> Head | None:
    """Return the next head, or None if the other side closed between two frames; the rest of one may take `rest_s`.
    Raises MalformedFrame: the bytes are not a head, or it is not complete in time; ConnectionError: the connection was
    lost."""
    first = await reader.read(1)  # by itself: an end before it is in order, one after it is not
    if not first:
        return None
    try:
        return parse_head(first + await asyncio.wait_for(reader.readexactly(HEAD.size - 1), rest_s))
    except (IncompleteReadError, TimeoutError):
        raise MalformedFrame from None


async def read_body(reader: StreamReader, head: Head) -> Frame:
    """Return the frame that began with `head`. Raises MalformedFrame: the other side closed inside it; ConnectionError:
    the connection was lost."""
    try:
        return Frame(head.kind, head.number, await reader.readexactly(head.length))
    except IncompleteReadError:
        raise MalformedFrame from None


def request_frame(number: int, request: bytes, *, not_after: float) -> Frame:
    """Return the frame of a statement that must not start after a monotonic time of this machine."""
    return Frame(Kind.ASK, number, _DEADLINE.pack(not_after) + request)


def parse_request(frame: Frame) -> tuple[float, bytes]:
    """Return the deadline and the request in the frame of a statement. Raises MalformedFrame: it has no deadline."""
    if len(frame.body) < _DEADLINE.size:
        raise MalformedFrame
    return _DEADLINE.unpack_from(frame.body)[0], frame.body[_DEADLINE.size :]


_TYPES: Final = {
    **dict.fromkeys(("protocol", "format", "pid"), int),
    **dict.fromkeys(("version", "namespace", "database", "command"), str),
}


class NoCard(Exception):
    """The bytes read are not a card."""


def encode_card(card: ProcessCard) -> bytes:
    """Return a card as JSON."""
    return json.dumps(_card_members(card)).encode()


def decode_card(data: bytes) -> ProcessCard:
    """Return the card in `data`. Raises NoCard: it is not a card."""
    return _card(_load_json(data))


def encode_cards(cards: Iterable[ProcessCard]) -> bytes:
    """Return cards as JSON."""
    return json.dumps([_card_members(card) for card in cards]).encode()


def decode_cards(data: bytes) -> tuple[ProcessCard, ...]:
    """Return the cards in `data`. Raises NoCard: it is not a list of cards."""
    found = _load_json(data)
    if not isinstance(found, list):
        raise NoCard
    return tuple(_card(each) for each in cast("Sequence[object]", found))


def _card_members(card: ProcessCard) -> dict[str, object]:
    return {**asdict(card), "since": card.since.isoformat()}


def _load_json(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):  # nested too deeply
        raise NoCard from None


def _card(found: object) -> ProcessCard:
    if not isinstance(found, dict):
        raise NoCard
    members = cast("dict[str, object]", found)
    # `type`, because True is an int as well.
    if any(type(members.get(name)) is not kind for name, kind in _TYPES.items()):
        raise NoCard
    plain = {name: members[name] for name in _TYPES}
    return ProcessCard(**plain, since=_instant(members.get("since")))  # pyright: ignore[reportArgumentType]


def _instant(found: object) -> datetime:
    try:
        since = datetime.fromisoformat(cast("str", found))
    except (TypeError, ValueError):
        raise NoCard from None
    if since.utcoffset() is None:
        raise NoCard
    return since
