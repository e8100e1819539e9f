"""The time a query speaks of, and when an event was ("since the move").

Law: the graph's names are read only where the words name a time: "April" may be somebody. An explicit `when` needs
none. Of a question that names no time nothing else is read: what it asks for counts only beside one (`nlq.rows`).

Looks up when an event was that a question counts from: "since the move". Only what the asker may see says when it was;
without an answer the question stays as it was read.

Source: spec nlq 3, 10; rulings A22, E; ruling I3.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from voice.core.nlq.calendar import Calendar, zone
from voice.core.nlq.parse import parse_query, time_asked
from voice.core.nlq.parsed_query import NlqSettings, ParsedQuery
from voice.core.nlq.relative_times import find_event, with_event_time
from voice.core.retrieval.values import RetrieveParams, Window
from voice.services.retrieval.entity_names import Names
from voice.services.retrieval.search import Retrieve


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


_LOOKED_AT = 10


async def dated_by_event(
    parsed: ParsedQuery, retrieve: Retrieve, params: RetrieveParams, *, now: datetime, timezone: str
) -> ParsedQuery:
    """Return the question, in the time since the event that it names where the memory says when that was.

    Args:
        parsed: the question.
        retrieve: searches the memory.
        params: whose rows may be seen, and by which provider they are looked for.
        now: when it is asked.
        timezone: where days begin.

    Raises:
        EmbedderUnavailable, StoreError: as `Retrieve` raises them.
    """
    event = None if parsed.time else find_event(parsed.question)
    if event is None:
        return parsed
    about = replace(
        params,
        query=event.words,
        top_k=_LOOKED_AT,
        floor=0.0,
        min_floor=0.0,
        window=Window(),
        when=None,
        phrases=(),
        rerank=False,
    )
    found = await retrieve(about)
    calendar = Calendar(now=now, zone=zone(timezone))
    return with_event_time(parsed, event, [each.row for each in found.chosen], calendar)
