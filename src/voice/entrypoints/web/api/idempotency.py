"""Replay the first answer under an Idempotency-Key.

Law: a request that is repeated under its `Idempotency-Key` gets its first answer, word for word; another request under
the key is refused (422), and the same one while the first is under way is told so (409). Only answers that did
something are kept: what failed did nothing, and is tried again. They are kept for a day at most, the newest of them,
for as long as the server runs; a question's answer (`voice.services.turn.idempotency`) and a thought
(`voice.services.memory.remember`) are found again for good, in the store.

Source: draft-ietf-httpapi-idempotency-key-header.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

KEPT_S = 86_400.0
MOST_KEPT = 1_000
MOST_BYTES = 16 * 2**20
MAX_KEY_CHARS = 200
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
    parts = (method.encode(), path.encode("utf-8", "surrogatepass"), query.encode("utf-8", "surrogatepass"), body)
    digest = blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def key_status(held: StoredResponse | None, fingerprint: str, now: float) -> KeyStatus:
    """Return how a request stands to what is held under its key."""
    if held is None or (held.body is not None and now - held.at >= KEPT_S):
        return "fresh"
    if held.fingerprint != fingerprint:
        return "other"
    return "under_way" if held.body is None else "kept"


class IdempotencyStore:
    """What was answered under which key."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, StoredResponse] = OrderedDict()
        self._bytes = 0

    def held(self, key: str) -> StoredResponse | None:
        """Return what is held under a key."""
        return self._held.get(key)

    def begin(self, key: str, fingerprint: str, now: float) -> None:
        """Hold a key for a request that is under way."""
        self.drop(key)
        self._held[key] = StoredResponse(fingerprint=fingerprint, at=now)

    def keep(self, key: str, status: int, body: bytes, now: float) -> None:
        """Keep an answer, and let go of the oldest ones beyond the bounds; never of what is under way."""
        begun = self._held.pop(key)
        self._held[key] = StoredResponse(fingerprint=begun.fingerprint, at=now, status=status, body=body)
        self._bytes += len(body)
        old = [name for name, kept in self._held.items() if kept.body is not None]
        for name in old:
            if len(self._held) <= MOST_KEPT and self._bytes <= MOST_BYTES:
                return
            self.drop(name)

    def drop(self, key: str) -> None:
        """Let go of a key."""
        held = self._held.pop(key, None)
        self._bytes -= len(held.body or b"") if held else 0
