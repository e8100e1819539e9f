"""What time a query speaks of, for `retrieve` and `recall`.

Law: the graph's names are read only where the words name a time: "April" may be somebody. An explicit `when` needs
none. Of a question that names no time nothing else is read: what it asks for counts only beside one (`nlq.rows`).

Source: spec nlq 3, 10; rulings A22, E.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from voice.core.nlq.parse import parse_query, time_asked
from voice.core.nlq.values import NlqSettings, ParsedQuery
from voice.services.names import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTime:
    """Reads the time in a query."""

    names: Names
    nlq: NlqSettings
    timezone: str

    async def __call__(self, query: str, *, now: datetime, when: str | None, include_private: bool) -> ParsedQuery:
        """Return the query, understood.

        Args:
            query: what is looked for.
            now: what times count from.
            when: a time that overrides the query's.
            include_private: whether private names are known.

        Raises:
            InvalidParams: `when` cannot be understood.
            StoreError: the names cannot be read.
        """
        read = partial(parse_query, query, now=now, timezone=self.timezone, settings=self.nlq, when=when)
        if when is not None:
            return read()
        parsed = time_asked(query, now=now, timezone=self.timezone, settings=self.nlq)
        if parsed.time is None:
            return parsed
        known = await self.names.known()
        return read(entities=(known if include_private else known.public).index)
