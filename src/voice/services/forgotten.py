"""Which rows were forgotten before.

Law: a row is forgotten when a tombstone bears its id, or holds the keyed hash of what it says; the second is why it
does not come back under another id, by whichever door (ruling H).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from voice.core.context.template import keyed_hash
from voice.core.graph.forgetting import lasting_text
from voice.core.records import Row
from voice.core.text.normalise import clean_text, content_hash, norm_v1
from voice.ports.stores import TombstoneStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """Asks the tombstones of one store."""

    tombstones: TombstoneStore
    key: bytes = field(repr=False)

    async def among(self, rows: Sequence[Row]) -> frozenset[str]:
        """Return the ids of those rows that were forgotten before, under these ids or others."""
        if not rows:
            return frozenset()
        hashes = {row.id: tombstone_hash(self.key, row) for row in rows}
        held = await self.tombstones.tombstoned([keyed for keyed in hashes.values() if keyed])
        gone = await self.tombstones.buried(list(hashes))
        return frozenset(row_id for row_id, keyed in hashes.items() if row_id in gone or keyed in held)


def tombstone_hash(key: bytes, row: Row) -> str | None:
    """Return what a tombstone of `row` holds of it; None when it says nothing, as a redacted row does."""
    text = clean_text(lasting_text(row))
    return keyed_hash(key, content_hash(text)) if norm_v1(text) else None
