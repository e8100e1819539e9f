"""What is known of each row besides its words and its vector, one column each.

Law: a question reads only the columns it asks about, each from one end to the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import Entry
from voice.adapters.index.ragged import Mask

Keys = NDArray[np.uint64]
SCOPE_DIMENSIONS = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facts:
    """Columns over the rows of a segment."""

    flags: NDArray[np.uint8]
    created_us: NDArray[np.int64]
    seq: NDArray[np.int64]
    scope: Keys
    """One row per dimension of a scope."""
    speaker: Keys
    name: Keys
    owner: Keys
    """Whose line of moments the row stands on: its table and scope; 0 for a row that nothing may find."""
    length: NDArray[np.uint32]
    """Terms with repetitions; 0 where words cannot find the row."""
    key: Keys
    says: Keys
    """What the row says; 0 where it is not known beforehand."""
    trust: NDArray[np.uint8]
    """How far the row can be trusted."""

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Self:
        """Return the facts of `entries`, in their order."""
        scope = np.array([entry.scope for entry in entries], dtype=np.uint64).reshape(-1, SCOPE_DIMENSIONS)
        return cls(
            flags=np.array([entry.flags for entry in entries], dtype=np.uint8),
            created_us=np.array([entry.created_us for entry in entries], dtype=np.int64),
            seq=np.array([entry.seq for entry in entries], dtype=np.int64),
            scope=np.ascontiguousarray(scope.T),
            speaker=np.array([entry.speaker for entry in entries], dtype=np.uint64),
            name=np.array([entry.name for entry in entries], dtype=np.uint64),
            owner=np.array([entry.owner for entry in entries], dtype=np.uint64),
            length=np.array([sum(entry.terms.values()) for entry in entries], dtype=np.uint32),
            key=np.array([entry.key for entry in entries], dtype=np.uint64),
            says=np.array([entry.says for entry in entries], dtype=np.uint64),
            trust=np.array([entry.trust for entry in entries], dtype=np.uint8),
        )

    @classmethod
    def joined(cls, parts: Sequence["Facts"], kept: Sequence[Mask]) -> Self:
        """Return the facts of the rows that are kept, part after part."""
        pairs = list(zip(parts, kept, strict=True))
        return cls(
            **{
                field.name: np.concatenate([getattr(part, field.name)[..., mask] for part, mask in pairs], axis=-1)
                for field in fields(cls)
            }
        )
