"""Whether anything in a memory belongs to a scope.

Law: one answer for every read and every list: a row, a capsule or a pin that is scoped makes the memory a scoped one,
of which nothing is read without a scope (ruling A18). A session does not: it says only what rows say, and where one of
those is scoped the memory is.

Source: spec retrieval-contract, Scoping; ruling A18.
"""

from voice.ports.recall_stores import CapsuleFilter, CapsuleStore, PinStore
from voice.ports.stores import MemoryStore


async def holds_scoped(store: MemoryStore, capsules: CapsuleStore, pins: PinStore) -> bool:
    """Return whether a row, a capsule or a pin belongs to a scope.

    Raises:
        StoreError: it cannot be read.
    """
    if (await store.head()).has_scoped_rows:
        return True
    if await capsules.capsules(limit=1, where=CapsuleFilter(is_scoped=True)):
        return True
    return any(not pin.scope.is_empty for pin in await pins.pins())
