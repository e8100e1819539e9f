"""The rows whose content was taken away.

Source: spec retrieval-contract, Redaction Handling.
"""

from typing import Protocol

from voice.core.records import Row


class RedactedRows(Protocol):
    """Finds what was redacted: for an audit, which asks rarely and wants all of it."""

    async def redacted(self) -> list[Row]:
        """Return every redacted row of every table, by `created_at` descending, then id."""
        ...
