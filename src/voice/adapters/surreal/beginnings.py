"""Ids by their beginnings in SurrealDB; implements `IdBeginnings`.

Law: what begins with a text is a range of keys, so it costs what is found, not what is there.
"""

from collections.abc import Mapping
from typing import Final, cast

from voice.adapters.surreal.candidate_codec import CANDIDATE_TABLES
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import is_key, key_of
from voice.core.records import TABLE_OF_PREFIX

_IDS: Final = "SELECT VALUE id FROM (SELECT id FROM type::record($table, $from..$to) ORDER BY id LIMIT $limit)"
_TABLES_OF: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(TABLE_OF_PREFIX, ("stamps",)),
    "c": CANDIDATE_TABLES,
    "m": ("kg_merges",),
    "p": ("pins",),
    "d": ("kg_conflicts",),
}
_LAST: Final = "\U0010ffff"
"""Sorts behind every character of a key."""


class SurrealIdBeginnings:
    """`IdBeginnings` over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def ids_from(self, start: str, *, limit: int) -> list[str]:
        """Return ids that begin with `start`; see `IdBeginnings.ids_from`."""
        found: list[str] = []
        for table in _TABLES_OF.get(start.partition(":")[0], ()) if ":" in start and is_key(start) else ():
            params = {"table": table, "from": start, "to": start + _LAST, "limit": max(limit, 0)}
            result = await self._connection.run("look up ids", _IDS, params)
            found.extend(map(key_of, cast("list[object]", result)))
        return sorted(found)[: max(limit, 0)]
