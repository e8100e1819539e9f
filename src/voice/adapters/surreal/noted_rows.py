"""Thoughts that somebody has to vouch for, in SurrealDB; implements `NotedRows`."""

from collections.abc import Collection
from typing import cast

from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import row_id_of
from voice.core.vouch import Vouch

_NOTED = "SELECT VALUE id FROM thoughts WHERE vouched = $state"


class SurrealNotedRows:
    """Finds them over a connection; each state is looked up in the index of states."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def noted(self, states: Collection[Vouch]) -> list[str]:
        """Return their ids; see `NotedRows.noted`."""
        found: set[str] = set()
        for state in sorted(states):
            read = await self._connection.run("look up what programs noted", _NOTED, {"state": str(state)})
            found.update(map(row_id_of, cast("list[object]", read)))
        return sorted(found)
