"""`retrieve` as callers know it: parameters as given, the time in words.

Law: the query of S0's tool is searched, not interpreted, but for the time it names: that narrows what is found, and is
said. An explicit `when` overrides it, and one that cannot be understood is an error (ruling E).

The time a query speaks of, and when an event was ("since the move"). The graph's names are read only where the words
name a time: "April" may be somebody. An explicit `when` needs none. Of a question that names no time nothing else is
read: what it asks for counts only beside one (`nlq.rows`).

Looks up when an event was that a question counts from: "since the move". Only what the asker may see says when it was;
without an answer the question stays as it was read.

Source: spec inner_voice.retrieve, Parameters; rulings A22, C16, E; spec nlq 3, 10; rulings A22, E; ruling I3.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from voice.core.errors import InvalidParams
from voice.core.graph.confidence_decay import NEVER, HalfLives, confidence_of
from voice.core.messages import asking as messages
from voice.core.nlq.calendar import Calendar, zone
from voice.core.nlq.intent import query_topic
from voice.core.nlq.parse import parse_query, phrases, time_asked
from voice.core.nlq.parsed_query import (
    NlqSettings,
    ParsedQuery,
    clamp_limit,
    search_windows,
    time_notices,
    unparsed_time_notice,
)
from voice.core.nlq.relative_times import find_event, with_event_time
from voice.core.records import Thought, require_utc
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.phrases import unheld
from voice.core.retrieval.selection_rules import telling_floors
from voice.core.retrieval.values import RetrieveParams, Selection, Window
from voice.ports.row_history import HistoryStore, MergeLog
from voice.ports.system import Clock
from voice.services.retrieval.as_of import retrieve_as_of
from voice.services.retrieval.entity_names import Names
from voice.services.retrieval.search import KG_TABLES, Retrieve


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTime:
    """Reads the time in a query."""

    names: Names
    nlq: NlqSettings
    timezone: str

    async def __call__(self, query: str, *, now: datetime, when: str | None, include_private: bool) -> ParsedQuery:
        """Return the query, understood.

        Args:
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
        params: whose rows may be seen, and by which provider they are looked for.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveByWords:
    """Retrieves snippets for what a caller asked."""

    retrieve: Retrieve
    history: HistoryStore
    merges: MergeLog
    clock: Clock
    defaults: RetrieveDefaults
    time_of: QueryTime
    half_lives: HalfLives = field(default_factory=lambda: NEVER)
    """What ages."""

    async def __call__(self, request: RetrieveRequest) -> Selection:
        """Return S0's snippets with their diagnostics.

        Raises:
            InvalidParams: the query is empty, a number is not one, or `when` cannot be understood.
            EmbedderUnavailable, ScopeRequired, StoreError: as `Retrieve` raises them.
        """
        params = self._limited(request, clean_params(request, self.defaults))
        params = replace(params, scope=await self.retrieve.scoping(request.scope, request.surroundings))
        until = self.clock.monotonic_ms() + self.nlq.timeout_ms
        retrieve = self.retrieve
        if request.as_of is not None:
            retrieve = await retrieve_as_of(retrieve, self.history, self.merges, require_utc(request.as_of, "as_of"))
        found = await self._found(retrieve, request, params, until)
        found = await self._with_missing_phrases(found, retrieve, params, until)
        told = await self._aged(found, retrieve, request.as_of or request.now or self.clock.now())
        return told if request.floor is None else telling_floors(told, asked=params.floor)

    @property
    def nlq(self) -> NlqSettings:
        """How questions are read and bounded."""
        return self.time_of.nlq

    @property
    def timezone(self) -> str:
        """The zone in which days begin."""
        return self.time_of.timezone

    async def _aged(self, found: Selection, retrieve: Retrieve, now: datetime) -> Selection:
        """Return the selection with how sure each row still is, where anything ages; the choice is as it was."""
        if not self.half_lives:
            return found
        rows = await retrieve.store.fetch([each.id for each in found.snippets if each.table in KG_TABLES])
        sure = {
            row_id: confidence_of(row, self.half_lives, now)
            for row_id, row in rows.items()
            if not isinstance(row, Thought)
        }
        return replace(found, snippets=tuple(replace(each, confidence=sure.get(each.id)) for each in found.snippets))

    async def _found(
        self, retrieve: Retrieve, request: RetrieveRequest, params: RetrieveParams, until: float
    ) -> Selection:
        """Return what was found in the time that is meant, with what is said of it."""
        if request.window != Window():
            return await retrieve(params, until_ms=until)
        now, private = request.now or self.clock.now(), request.include_private
        parsed = await self.time_of(params.query, now=now, when=request.when, include_private=private)
        parsed = await dated_by_event(parsed, retrieve, params, now=now, timezone=self.timezone)
        asked = request.when or (parsed.time.text if parsed.time else None)
        timed = replace(params, query=query_topic(parsed), when=asked)
        said: list[str] = [*time_notices(parsed)]
        found: Selection | None = None
        for note, window in search_windows(parsed):
            if found is not None and (found.snippets or found.diagnostics.partial):
                break
            said += [note] if note else []
            found = await retrieve(replace(timed, window=window), until_ms=until)
        assert found is not None, "there is a first window"
        facts = found.diagnostics
        told = replace(facts, when_unparsed=unparsed_time_notice(parsed), warnings=(*facts.warnings, *said))
        return replace(found, diagnostics=told)

    async def _with_missing_phrases(
        self, found: Selection, retrieve: Retrieve, params: RetrieveParams, until: float
    ) -> Selection:
        """Return the selection, with a warning for each quoted phrase of the query that no row contains.

        A quoted phrase ranks here and does not filter, so one that no snippet contains is searched for by itself.
        """
        missing = unheld(found.chosen, phrases(params.query))
        if missing:
            window = found.diagnostics.window
            alone = replace(params, query=" ".join(missing), window=window, phrases=missing, rerank=False)
            looked = await retrieve(alone, until_ms=until)
            missing = () if looked.diagnostics.partial else looked.unheld
        warnings = (*found.diagnostics.warnings, *map(messages.no_passage_contains, missing))
        return replace(found, diagnostics=replace(found.diagnostics, warnings=warnings))

    def window(self, when: str, *, query: str = "rows", now: datetime | None = None) -> Window:
        """Return the time that a phrase means.

        Args:
            query: what is looked for; its language is that of the phrase where that one does not show its own.
            now: what the words count from; None is the clock's.

        Raises:
            InvalidParams: it cannot be understood (ruling E).
        """
        at = now or self.clock.now()
        parsed = parse_query(query, now=at, timezone=self.timezone, settings=self.nlq, entities=(), when=when)
        assert parsed.window is not None, "an explicit time that is not understood is an error"
        return parsed.window

    def _limited(self, request: RetrieveRequest, params: RetrieveParams) -> RetrieveParams:
        """Return the parameters with S3's `limit`, which is S0's `top_k` with other bounds (ruling A24)."""
        if request.limit is None:
            return params
        if request.top_k is not None:
            raise InvalidParams("top_k and limit both say how many; give one of them")
        warnings = list(params.warnings)
        limit = clamp_limit(request.limit, self.nlq, warnings.append)
        candidates = max(params.max_candidates_per_source, limit)
        return replace(params, top_k=limit, max_candidates_per_source=candidates, warnings=tuple(warnings))
