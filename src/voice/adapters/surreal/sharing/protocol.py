"""What travels between a guest and its holder: frames of a bounded length, and cards.

    length of the body (4) | kind (1) | number (4) | body

Law: a frame is read whole or not at all, and nothing is read that is longer than the limit or of an unknown kind: who
sends such a thing is cut off, because where the next frame begins is anybody's guess. The head and the two first kinds
never change: every version reads another one's card.

Cards as JSON, on the socket and in the file that the holder locks. A card is read member by member and known kinds
only; what a newer program adds is passed over, so that every version reads every card.

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

HEAD: Final = struct.Struct(">IBI")
MAX_BODY: Final = 256 * 1024 * 1024
MAX_TALK: Final = 64 * 1024
"""The longest body of every kind but statements and their answers."""
_DEADLINE: Final = struct.Struct(">d")
_MAX_NUMBER: Final = 0xFFFF_FFFF


class Kind(IntEnum):
    """What a frame says."""

    CARD = 1
    """Guest and holder: who I am (JSON)."""
    REFUSED = 2
    """Holder: not you, not now; the body is a sentence."""
    ASK = 3
    """Guest: carry this statement out, and do not begin it after the deadline that stands before it."""
    ANSWER = 4
    """Holder: the engine's answer to the statement of that number."""
    FAILED = 5
    """Holder: the engine failed; its words."""
    MISREAD = 6
    """Holder: the engine could not read it."""
    NOT_DONE = 7
    """Holder: it was not begun, and never will be."""
    ALIVE = 8
    """Holder: I am at it."""
    TURN = 9
    """Guest: I want to write and ask for my turn."""
    GRANTED = 10
    """Holder: it is your turn; the number is 1 where nobody else had one since your last."""
    DONE = 11
    """Guest: I give my turn back."""
    STEP_DOWN = 12
    """Guest, of a newer program: close the store, I take over."""
    BYE = 13
    """Holder: I close the store; the number is that of the last statement I carried out for you. A body says that a
    newer program takes over, which is let pass."""
    WHO = 14
    """Guest: who else is here?"""
    GUESTS = 15
    """Holder: these are (JSON)."""
    TOO_LONG = 16
    """Holder: it was carried out, and its answer is longer than a frame may be."""


_LONG: Final = frozenset({Kind.ASK, Kind.ANSWER})


class MalformedFrame(Exception):
    """What came is no frame."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message."""

    kind: Kind
    number: int = 0
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Head:
    """What a frame says of itself before its body."""

    kind: Kind
    number: int
    length: int


def encode_frame(frame: Frame) -> bytes:
    """Return the bytes of a frame.

    Raises:
        MalformedFrame: it is longer than a frame may be.
    """
    if len(frame.body) > max_body_length(frame.kind):
        raise MalformedFrame
    return HEAD.pack(len(frame.body), frame.kind, frame.number & _MAX_NUMBER) + frame.body


def parse_head(data: bytes) -> Head:
    """Return the head in those bytes.

    Raises:
        MalformedFrame: it is of no known kind, or announces too long a body.
    """
    length, kind, number = HEAD.unpack(data)
    if kind not in Kind.__members__.values() or length > max_body_length(Kind(kind)):
        raise MalformedFrame
    return Head(Kind(kind), number, length)


def max_body_length(kind: Kind) -> int:
    """Return how long the body of a frame of that kind may be."""
    return MAX_BODY if kind in _LONG else MAX_TALK


async def read_head(reader: StreamReader, *, rest_s: float | None = None) -> Head | None:
    """Return the next head, or None where the other side closed between two frames.

    Args:
        rest_s: how long a head that began may take to be whole; None is for ever.

    Raises:
        MalformedFrame: what came is none, or not whole in time.
        ConnectionError: the other side went away.
    """
    first = await reader.read(1)
    if not first:
        return None
    try:
        return parse_head(first + await asyncio.wait_for(reader.readexactly(HEAD.size - 1), rest_s))
    except (IncompleteReadError, TimeoutError):
        raise MalformedFrame from None


async def read_body(reader: StreamReader, head: Head) -> Frame:
    """Return the frame that began with `head`.

    Raises:
        MalformedFrame: the other side closed in the middle of it.
        ConnectionError: the other side went away.
    """
    try:
        return Frame(head.kind, head.number, await reader.readexactly(head.length))
    except IncompleteReadError:
        raise MalformedFrame from None


def request_frame(number: int, request: bytes, *, not_after: float) -> Frame:
    """Return the frame that asks for a statement, not to be begun after a monotonic instant of this machine."""
    return Frame(Kind.ASK, number, _DEADLINE.pack(not_after) + request)


def parse_request(frame: Frame) -> tuple[float, bytes]:
    """Return the deadline and the request in a frame that asks for a statement.

    Raises:
        MalformedFrame: there is no deadline in it.
    """
    if len(frame.body) < _DEADLINE.size:
        raise MalformedFrame
    return _DEADLINE.unpack_from(frame.body)[0], frame.body[_DEADLINE.size :]


_NUMBERS: Final = ("protocol", "format", "pid")
_TEXTS: Final = ("version", "namespace", "database", "command")


class NoCard(Exception):
    """What was read is no card."""


def encode_card(card: ProcessCard) -> bytes:
    """Return a card as JSON."""
    return json.dumps(_plain(card)).encode()


def decode_card(data: bytes) -> ProcessCard:
    """Return the card in those bytes.

    Raises:
        NoCard: there is none.
    """
    return _card(_loaded(data))


def encode_cards(cards: Iterable[ProcessCard]) -> bytes:
    """Return cards as JSON."""
    return json.dumps([_plain(card) for card in cards]).encode()


def decode_cards(data: bytes) -> tuple[ProcessCard, ...]:
    """Return the cards in those bytes.

    Raises:
        NoCard: they are none.
    """
    found = _loaded(data)
    if not isinstance(found, list):
        raise NoCard
    return tuple(_card(each) for each in cast("Sequence[object]", found))


def _plain(card: ProcessCard) -> dict[str, object]:
    return {**asdict(card), "since": card.since.isoformat()}


def _loaded(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise NoCard from None


def _card(found: object) -> ProcessCard:
    if not isinstance(found, dict):
        raise NoCard
    members = cast("dict[str, object]", found)
    numbers = [members.get(name) for name in _NUMBERS]
    texts = [members.get(name) for name in _TEXTS]
    if not all(type(each) is int for each in numbers) or not all(type(each) is str for each in texts):
        raise NoCard
    protocol, made, pid = cast("list[int]", numbers)
    version, namespace, database, command = cast("list[str]", texts)
    return ProcessCard(
        protocol=protocol,
        version=version,
        format=made,
        namespace=namespace,
        database=database,
        pid=pid,
        since=_instant(members.get("since")),
        command=command,
    )


def _instant(found: object) -> datetime:
    try:
        since = datetime.fromisoformat(cast("str", found))
    except (TypeError, ValueError):
        raise NoCard from None
    if since.utcoffset() is None:
        raise NoCard
    return since
