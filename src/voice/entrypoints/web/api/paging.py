"""Places in lists, as callers hand them back.

Law: a cursor is opaque: it is made here and read here, and says nothing that anybody should build on. What it holds is
a place in an order that does not move when rows come or go elsewhere.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from voice.core.errors import InvalidParams

_T = TypeVar("_T")
Place = tuple[str | int, ...]
_PLACES = range(-(2**63), 2**63)
"""The numbers that a store can hold, and so every number that was ever handed out."""


@dataclass(frozen=True, slots=True)
class Part(Generic[_T]):
    """Some items of a list, and where it goes on; None: nowhere."""

    items: Sequence[_T]
    next: str | None


def cursor_of(place: Place) -> str:
    """Return a place as it is handed out."""
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def place_of(cursor: str, *kinds: type) -> Place:
    """Return the place that a cursor holds.

    Args:
        cursor: what was handed out.
        kinds: of what kind each part of the place is.

    Raises:
        InvalidParams: it is none of this list.
    """
    try:
        found: object = json.loads(urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
    except (Error, ValueError, RecursionError):
        found = None
    parts = cast("list[object]", found) if isinstance(found, list) else []
    if tuple(map(type, parts)) != kinds or any(isinstance(part, int) and part not in _PLACES for part in parts):
        raise InvalidParams("that cursor is none of this list; use the `next` of the page before as it is")
    return cast("Place", tuple(parts))


def part_of(items: Sequence[_T], key: Callable[[_T], Place], *, after: Place | None, limit: int) -> Part[_T]:
    """Return the items behind a place, of a list that is ordered by `key`.

    Args:
        items: the whole list.
        key: what it is ordered by, ascending; no two items have the same.
        after: the place behind which to begin; None is the beginning.
        limit: how many at most.
    """
    behind = [item for item in items if after is None or key(item) > after]
    shown = behind[:limit]
    return Part(shown, cursor_of(key(shown[-1])) if len(behind) > limit else None)
