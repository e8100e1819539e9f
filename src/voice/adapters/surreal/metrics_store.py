"""Metrics rows in SurrealDB; implements `MetricsStore`."""

from collections.abc import Mapping
from datetime import datetime
from typing import cast

from voice.adapters.disk.values_json import Metric
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.session_codec import encode_metric
from voice.core.text.normalise import clean_text

_RECORD = "CREATE metrics CONTENT $metric RETURN NONE"
_COUNT = "SELECT count() FROM metrics WHERE name = $name GROUP ALL"


class SurrealMetricsStore:
    """`MetricsStore` over a connection. Metrics take no `seq`: nothing is derived from them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def record(self, name: str, at: datetime, values: Mapping[str, float | int | str | bool]) -> None:
        """Store one metrics row; see `MetricsStore.record`."""
        metric = encode_metric(Metric(name=name, at=at, values=values))
        await self._connection.run("record a metric", _RECORD, {"metric": metric})

    async def count(self, name: str) -> int:
        """Return how many rows of that name are stored; see `MetricsStore.count`."""
        found = await self._connection.run("count metrics", _COUNT, {"name": clean_text(name)})
        groups = cast("list[Mapping[str, int]]", found)
        return groups[0]["count"] if groups else 0
