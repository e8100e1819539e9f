"""Where pins and capsules are kept.

Law: as of every store: one transaction a write, on disk when it returns; a stated order of reading. What may be stored
at all is decided before (`voice.core.recall`), so a store only refuses what contradicts what it holds.

Source: spec retrieval-contract, Tier 1 and 2; DESIGN 10 (pin, capsule); ruling G.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

from voice.core.recall.values import Capsule, Pin


class PinStore(Protocol):
    """Pins: few, unique per target and scope."""

    async def save_pin(self, pin: Pin) -> Pin:
        """Write the pin and return it with its `seq`; one of the same target and scope is replaced, keeping its id."""
        ...

    async def remove_pin(self, pin_id: str) -> bool:
        """Remove the pin; return whether it was there (removing twice is no error)."""
        ...

    async def pins(self, target_ids: Sequence[str] | None = None) -> list[Pin]:
        """Return the pins, of some targets or all, expired ones too, newest first by (created_at, id)."""
        ...


class CapsuleStore(Protocol):
    """Capsules, each with its summary."""

    async def save_capsule(self, capsule: Capsule, *, expected: int) -> Capsule:
        """Write the capsule and return it with its `seq`.

        `expected` is the revision the caller loaded; 0 creates it. `capsule.revision` must be `expected + 1`.

        Raises:
            SessionConflict: the stored revision is another one; nothing was written.
        """
        ...

    async def capsule(self, capsule_id: str) -> Capsule | None:
        """Return the capsule, or None."""
        ...

    async def capsules(self, *, limit: int, status: Literal["open", "closed", "all"] = "all") -> list[Capsule]:
        """Return capsules, newest first by (opened_at, id)."""
        ...
