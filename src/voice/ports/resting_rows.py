"""Rows that rest on thoughts, and rows that name entities, whatever their place in life.

Law: nothing is left out because it is marked, superseded or redacted: what may leave is decided by whoever asks
(`voice.core.graph.removal.dependents`).

Source: ruling F.
"""

from collections.abc import Sequence
from typing import Protocol

from voice.core.records import Observation, Relation, Row


class RestingRows(Protocol):
    """Reads what removal takes along."""

    async def resting_on(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the KG rows whose provenance names any of the thoughts, and the thoughts that sum any up, by id."""
        ...

    async def naming(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the observations and relations that name any of the entities, by id."""
        ...
