"""Cards as JSON, on the socket and in the file that the holder locks.

Law: a card is read member by member and known kinds only; what a newer program adds is passed over, so that every
version reads every card.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final, cast

from voice.core.store_holder import ProcessCard

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
