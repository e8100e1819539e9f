"""In-memory twins of the stores, shipped and held to the same contracts.

from voice.adapters.memory import transient_stores

stores = transient_stores()
await stores.memory.write(WriteBatch(rows=(thought,)))
"""

from voice.adapters.memory.stores import TransientStores, transient_stores

__all__ = ["TransientStores", "transient_stores"]
