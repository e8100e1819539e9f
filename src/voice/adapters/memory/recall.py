"""Pins and capsules in memory; implements `PinStore` and `CapsuleStore`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.memory.state import Tables
from voice.core.errors import InvalidParams, SessionConflict
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Thought
from voice.ports.recall_stores import ALL_CAPSULES, CapsuleFilter, check_capsule, check_pin


class TransientPinStore:
    """`PinStore` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def save_pin(self, pin: Pin) -> Pin:
        """Write the pin, in place of one of the same target and scope; see `PinStore.save_pin`."""
        check_pin(pin)
        stored = from_json(Pin, to_json(Pin, pin))
        with self._tables.transaction() as draft:
            same = [each.id for each in draft.pins.values() if _place(each) == _place(stored)]
            if not same and stored.id in draft.pins:
                raise InvalidParams(f"{stored.id} is a pin of something else already")
            kept = replace(stored, id=same[0] if same else stored.id, seq=draft.next_seq())
            draft.pins[kept.id] = kept
        return kept

    async def remove_pin(self, pin_id: str) -> bool:
        """Remove the pin and return whether it was there; see `PinStore.remove_pin`."""
        if pin_id not in self._tables.now.pins:
            return False
        with self._tables.transaction() as draft:
            del draft.pins[pin_id]
            draft.next_seq()
        return True

    async def pins(self, target_ids: Sequence[str] | None = None, *, active_at: datetime | None = None) -> list[Pin]:
        """Return pins, newest first; see `PinStore.pins`."""
        found = [
            pin
            for pin in self._tables.now.pins.values()
            if (target_ids is None or pin.target_id in target_ids) and (active_at is None or pin.is_active(active_at))
        ]
        found.sort(key=lambda pin: pin.id)
        found.sort(key=lambda pin: pin.created_at, reverse=True)
        return found


class TransientCapsuleStore:
    """`CapsuleStore` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def save_capsule(self, capsule: Capsule, *, expected: int) -> Capsule:
        """Write the capsule if its stored revision is the expected one; see `CapsuleStore.save_capsule`."""
        check_capsule(capsule, expected)
        stored = from_json(Capsule, to_json(Capsule, capsule))
        with self._tables.transaction() as draft:
            held = draft.capsules.get(stored.id)
            if (held.revision if held else 0) != expected:
                raise SessionConflict(f"{capsule.id} was changed by somebody else meanwhile; load it again")
            kept = replace(stored, seq=draft.next_seq())
            draft.capsules[kept.id] = kept
        return kept

    async def capsule(self, capsule_id: str) -> Capsule | None:
        """Return the capsule, or None; see `CapsuleStore.capsule`."""
        return self._tables.now.capsules.get(capsule_id)

    async def capsules(self, *, limit: int, where: CapsuleFilter = ALL_CAPSULES) -> list[Capsule]:
        """Return capsules, newest first; see `CapsuleStore.capsules`."""
        found = [each for each in self._tables.now.capsules.values() if where.admits(each)]
        found.sort(key=lambda capsule: capsule.id)
        found.sort(key=lambda capsule: capsule.opened_at, reverse=True)
        return found[: max(limit, 0)]

    async def thoughts(self, capsule: Capsule, *, limit: int) -> list[Thought]:
        """Return the thoughts of a capsule, newest first; see `CapsuleStore.thoughts`."""
        found = self._inside(capsule)
        found.sort(key=lambda thought: thought.id)
        found.sort(key=lambda thought: thought.created_at, reverse=True)
        return found[: max(limit, 0)]

    async def private_thoughts(self, capsule: Capsule) -> int:
        """Count the private thoughts of a capsule; see `CapsuleStore.private_thoughts`."""
        return sum(thought.is_private for thought in self._inside(capsule))

    def _inside(self, capsule: Capsule) -> list[Thought]:
        rows = self._tables.now.rows.values()
        return [
            row for row in rows if isinstance(row, Thought) and (row.thread, row.scope) == (capsule.id, capsule.scope)
        ]


def _place(pin: Pin) -> tuple[object, ...]:
    return pin.target_id, pin.scope
