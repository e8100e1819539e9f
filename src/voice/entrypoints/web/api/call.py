"""A checked request, its reply, the first answers under Idempotency-Keys, and the cursors of lists.

Law: between the rim, which reads HTTP, and the operations, which call one service each, there is nothing but these.

A cursor is opaque: it is made and read here. It holds a place in an order that does not move when rows come or go
elsewhere.

A request that is repeated under its `Idempotency-Key` gets its first answer, word for word; another request under the
key is refused (422), and the same one while the first is under way is told so (409). Only answers that did something
are kept: what failed did nothing, and is tried again. The newest are kept, for a day at most and for as long as the
server runs; a question's answer (`voice.services.turn.idempotency`) and a thought (`voice.services.memory.remember`)
are found again for good, in the store.
Source: draft-ietf-httpapi-idempotency-key-header.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal, TypeVar, cast

from voice.bootstrap import Services
from voice.core.errors import InvalidParams
from voice.core.records import Scope
from voice.core.session.turn_events import Event
from voice.core.settings.values import Settings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.api.request_models import Body, Dimensions, Query
from voice.requests import Request

KEPT_S = 86_400.0  # a day
MOST_KEPT = 1_000  # answers at once
MOST_BYTES = 16 * 2**20  # of all answers together
MAX_KEY_CHARS = 200  # of a key
KEY_HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotency-Replayed"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResponse:
    """An answer under a key; None: it is not there yet."""

    fingerprint: str
    at: float
    status: int = 0
    body: bytes | None = field(default=None, repr=False)


KeyStatus = Literal["fresh", "under_way", "other", "kept"]


def fingerprint_of(method: str, path: str, query: str, body: bytes) -> str:
    """Return what tells a request from another one."""
    return digest_of((*(part.encode("utf-8", "surrogatepass") for part in (method, path, query)), body))


def digest_of(parts: Iterable[bytes]) -> str:
    """Return what tells several texts from any others."""
    digest = blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)  # lengths part them: ("ab", "c") is not ("a", "bc")
    return digest.hexdigest()


def key_status(stored: StoredResponse | None, fingerprint: str, now: float) -> KeyStatus:
    """Return how a request stands to what is held under its key."""
    if stored is None or (stored.body is not None and now - stored.at >= KEPT_S):  # what is under way ends by itself
        return "fresh"
    if stored.fingerprint != fingerprint:
        return "other"
    return "under_way" if stored.body is None else "kept"


class IdempotencyStore:
    """What was answered under which key."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, StoredResponse] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> StoredResponse | None:
        """Return what is held under a key."""
        return self._by_key.get(key)

    def begin(self, key: str, fingerprint: str, now: float) -> None:
        """Hold a key for a request that is under way."""
        self.drop(key)
        self._by_key[key] = StoredResponse(fingerprint=fingerprint, at=now)  # so that the same one meanwhile is told

    def keep(self, key: str, status: int, body: bytes, now: float) -> None:
        """Keep an answer, and let go of the oldest ones beyond the bounds; never of what is under way."""
        begun = self._by_key.pop(key)
        self._by_key[key] = StoredResponse(fingerprint=begun.fingerprint, at=now, status=status, body=body)
        self._bytes += len(body)
        answered = [name for name, kept in self._by_key.items() if kept.body is not None]
        for name in answered:  # the oldest first
            if len(self._by_key) <= MOST_KEPT and self._bytes <= MOST_BYTES:
                return
            self.drop(name)

    def drop(self, key: str) -> None:
        """Let go of a key."""
        stored = self._by_key.pop(key, None)
        self._bytes -= len(stored.body or b"") if stored else 0  # what is under way has no body yet


_Input = TypeVar("_Input", bound=Body | Query)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, checked."""

    memory: Voice
    path: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Query | None = None
    body: Body | None = None
    idempotency_key: str | None = None
    program: str | None = None
    """What sent it, as its `User-Agent` begins; None where it says nothing."""

    @property
    def services(self) -> Services:
        """Return what can be done with the memory."""
        return self.memory.services

    @property
    def settings(self) -> Settings:
        """Return the settings in force."""
        return self.memory.settings

    def input(self, kind: type[_Input]) -> _Input:
        """Return the body or the query, which the operation has as `kind`."""
        for found in (self.body, self.query):
            if isinstance(found, kind):
                return found
        raise AssertionError("the table of operations names another kind")  # a fault of ours, not of a request

    def arguments(self, request: Request) -> dict[str, object]:
        """Return what the body or the query says of a request, by the names that its service has."""
        values = {each.inner: getattr(self.body or self.query, each.name) for each in request.at("http")}
        scope: Dimensions | None = values.get("scope")
        return {**values, "scope": Scope() if scope is None else scope.to_scope()}  # not named: an empty one


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is answered: JSON values."""

    document: object
    status: int = 200
    is_replayed: bool = False
    """It is the first answer under its key, given again."""
    warnings: tuple[str, ...] = ()
    """What is to be known beside a document that has no place for it."""


Handler = Callable[[Call], Awaitable[Reply]]
Streamer = Callable[[Call], AsyncGenerator[Event]]


_T = TypeVar("_T")
Place = tuple[str | int, ...]
_STORABLE = range(-(2**63), 2**63)  # what a store can hold, and so every number that was ever handed out


def cursor_of(place: Place) -> str:
    """Return a place as it is handed out."""
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")  # without "=", which addresses escape


def place_of(cursor: str, *kinds: type) -> Place:
    """Return the place that a cursor holds, its parts of these kinds. Raises InvalidParams: it is none of this list."""
    try:
        found: object = json.loads(urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
    except (Error, ValueError, RecursionError):
        found = None
    parts = cast("list[object]", found) if isinstance(found, list) else []
    # True is an int: the very type counts.
    if tuple(map(type, parts)) != kinds or any(isinstance(part, int) and part not in _STORABLE for part in parts):
        raise InvalidParams("this cursor does not belong to this list; use the `next` of the previous page unchanged")
    return cast("Place", tuple(parts))


def part_of(
    items: Sequence[_T], key: Callable[[_T], Place], *, after: Place | None, limit: int
) -> tuple[Sequence[_T], str | None]:
    """Return at most `limit` items of a list that ascends by its unique `key`, and the cursor of the next; None: none.

    Args:
        after: the place that they are behind; None: they are the first.
    """
    behind = [item for item in items if after is None or key(item) > after]  # by the place: rows come and go
    shown = behind[:limit]
    return shown, cursor_of(key(shown[-1])) if len(behind) > limit else None  # none behind: this was the end
