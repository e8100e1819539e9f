"""Thoughts that somebody has to vouch for, by what was decided of them."""

from collections.abc import Collection
from typing import Protocol

from voice.core.vouch import Vouch


class NotedRows(Protocol):
    """Finds the thoughts that programs noted."""

    async def noted(self, states: Collection[Vouch]) -> list[str]:
        """Return the ids of the thoughts of which one of `states` was decided, whatever else became of them, by id.

        Raises:
            StoreError: they cannot be read.
        """
        ...
