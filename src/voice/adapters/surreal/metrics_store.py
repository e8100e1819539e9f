"""Metrics rows in SurrealDB; implements `MetricsStore`."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import cast

from voice.adapters.disk.values_json import Metric
from voice.adapters.surreal.connection import Connection, run_repeatable
from voice.adapters.surreal.dialect import META, NOT_RESTORING, block, record
from voice.adapters.surreal.session_codec import encode_metric
from voice.core.text.normalise import clean_text

_RECORD = block(NOT_RESTORING, "UPSERT $id CONTENT $metric RETURN NONE;")
_COUNT = "SELECT count() FROM metrics WHERE name = $name GROUP ALL"


class SurrealMetricsStore:
    """`MetricsStore` over a connection. Metrics take no `seq`: nothing is derived from them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def record(self, name: str, at: datetime, values: Mapping[str, float | int | str | bool]) -> None:
        """Store one metrics row; see `MetricsStore.record`."""
        metric = encode_metric(Metric(name=name, at=at, values=values))
        params = {"meta": META, "id": record("metrics", secrets.token_hex(10)), "metric": metric}
        await run_repeatable(self._connection, "record a metric", _RECORD, params)

    async def count(self, name: str) -> int:
        """Return how many rows of that name are stored; see `MetricsStore.count`."""
        found = await self._connection.run("count metrics", _COUNT, {"name": clean_text(name)})
        groups = cast("list[Mapping[str, int]]", found)
        return groups[0]["count"] if groups else 0
