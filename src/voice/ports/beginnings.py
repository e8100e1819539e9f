"""Finds ids by how they begin."""

from typing import Protocol


class IdBeginnings(Protocol):
    """Ids of what is named one by one: rows, candidates, pins, merges and conflicts."""

    async def ids_from(self, start: str, *, limit: int) -> list[str]:
        """Return up to `limit` ids that begin with `start`, rising.

        `start` is a kind with its colon, and what follows; nothing else begins an id. Ids of rows that went for good
        are among them: they can still be named.
        """
        ...
