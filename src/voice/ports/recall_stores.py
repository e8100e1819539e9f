"""Stores of pins and capsules.

Law: as of every store: one transaction a write, on disk when it returns; a stated order of reading. What may be stored
at all is decided before (`voice.core.recall`), so a store only refuses what contradicts what it holds.

Source: spec retrieval-contract, Tier 1 and 2; DESIGN 10 (pin, capsule); ruling G.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from voice.core.errors import InvalidParams
from voice.core.recall.values import Capsule, Pin, summary_id
from voice.core.records import Scope, Thought, require_utc
from voice.ports.stores import check_id


class PinStore(Protocol):
    """Pins: few, unique per target and scope."""

    async def save_pin(self, pin: Pin) -> Pin:
        """Write the pin and return it with its `seq`; one of the same target and scope is replaced, keeping its id.
        Raises InvalidParams: it cannot be stored (`check_pin`), or its id is that of a pin of another target or scope.
        """
        ...

    async def remove_pin(self, pin_id: str) -> bool:
        """Remove the pin; return whether it was there (removing twice is no error)."""
        ...

    async def pins(self, target_ids: Sequence[str] | None = None, *, active_at: datetime | None = None) -> list[Pin]:
        """Return the pins (of these targets, active at that instant) by `created_at` descending, then id."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CapsuleFilter:
    """Which capsules are wanted; the default wants all."""

    status: Literal["open", "closed", "all"] = "all"
    scope: Scope = Scope.ALL
    """Only those that a read with this scope may see."""
    is_scoped: bool = False
    has_summary: bool = False
    id_prefix: str = ""


ALL_CAPSULES = CapsuleFilter()  # frozen, so it can be a default


class CapsuleStore(Protocol):
    """Capsules, each with its summary."""

    async def save_capsule(self, capsule: Capsule, *, expected: int) -> Capsule:
        """Write the capsule over the revision `expected` that the caller loaded, 0 if new; return it with its `seq`.
        Raises InvalidParams: it does not hang together (`check_capsule`); SessionConflict: another revision is stored.
        """
        ...

    async def capsule(self, capsule_id: str) -> Capsule | None:
        """Return the capsule, or None."""
        ...

    async def capsules(self, *, limit: int, where: CapsuleFilter = ALL_CAPSULES) -> list[Capsule]:
        """Return the first `limit` of the wanted capsules by `opened_at` descending, then id."""
        ...

    async def thoughts(self, capsule: Capsule, *, limit: int) -> list[Thought]:
        """Return the thoughts in the capsule, of any status, by `created_at` descending, then id: those whose `thread`
        is the capsule's id and whose scope is the capsule's own."""
        ...

    async def private_thoughts(self, capsule: Capsule) -> int:
        """Return how many of the thoughts that are in the capsule are private, of any status."""
        ...


def check_pin(pin: Pin) -> None:
    """Check what `PinStore.save_pin` is given. Raises InvalidParams: a bad id, or the scope is everything."""
    check_id(pin.id)
    check_id(pin.target_id)
    _check_scope(pin.scope)


def check_capsule(capsule: Capsule, expected: int) -> None:
    """Check what `CapsuleStore.save_capsule` is given. Raises InvalidParams: `capsule.revision` is not `expected + 1`,
    the id cannot be stored, an instant is naive (ruling B10), its scope is everything, or its summary is not its own.
    """
    check_id(capsule.id)
    _check_scope(capsule.scope)
    if capsule.revision != expected + 1:  # so a new one has revision 1
        raise InvalidParams("a capsule is saved with the revision that follows the loaded one")
    summary = capsule.summary
    for moment in (capsule.opened_at, capsule.closed_at, summary.created_at if summary else None):
        if moment is not None:
            require_utc(moment, "a capsule's time")
    if summary is None:
        return
    if (summary.id, summary.capsule_id, summary.scope) != (summary_id(capsule.id), capsule.id, capsule.scope):
        raise InvalidParams("a capsule's summary must bear its id and its scope")


def _check_scope(scope: Scope) -> None:
    if scope.everything:
        raise InvalidParams("what is kept belongs to one scope; everything is for reading only")
