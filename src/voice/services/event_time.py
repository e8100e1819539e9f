"""Looks up when an event was that a question counts from: "since the move".

Law: only what the asker may see says when it was; without an answer the question stays as it was read.

Source: ruling I3.
"""

from dataclasses import replace
from datetime import datetime

from voice.core.nlq.calendar import Calendar, zone
from voice.core.nlq.events import dated_by, event_in
from voice.core.nlq.values import ParsedQuery
from voice.core.retrieval.values import RetrieveParams, Window
from voice.services.retrieve import Retrieve

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
    event = None if parsed.time else event_in(parsed.question)
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
    return dated_by(parsed, event, [each.row for each in found.chosen], calendar)
