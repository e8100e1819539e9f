"""Rows together with the thoughts they say again.

Law: whoever decides whether a row may be told has both (`voice.core.recall.telling`); so both are read here, in two
steps at most.

Source: rulings A13, H.
"""

from collections.abc import Iterable

from voice.core.recall.telling import missing_behind
from voice.core.records import Row
from voice.ports.stores import MemoryStore


async def fetch_with_thoughts(store: MemoryStore, ids: Iterable[str]) -> dict[str, Row]:
    """Return the rows with these ids and the thoughts behind them, by id; unknown ones are absent.

    Raises:
        StoreError: they cannot be read.
    """
    wanted = sorted(set(ids))
    rows = await store.fetch(wanted) if wanted else {}
    missing = missing_behind(rows)
    return {**rows, **await store.fetch(missing)} if missing else rows
