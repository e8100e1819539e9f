"""Ids by their beginnings in memory; implements `IdBeginnings`."""

from voice.adapters.memory.state import Tables


class TransientIdBeginnings:
    """`IdBeginnings` over the shared tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def ids_from(self, start: str, *, limit: int) -> list[str]:
        """Return ids that begin with `start`; see `IdBeginnings.ids_from`."""
        now = self._tables.now
        there = {*now.rows, *now.tombstones, *now.candidates, *now.merges, *now.conflicts, *now.pins}
        return sorted(each for each in there if ":" in start and each.startswith(start))[: max(limit, 0)]
