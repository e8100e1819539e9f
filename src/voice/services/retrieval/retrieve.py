"""`retrieve` as callers know it, the time in words; and the memory as it was at an earlier moment.

Law: the query of S0's tool is searched, not interpreted, but for the time it names: that narrows what is found, and is
said. An explicit `when` overrides it, and one that cannot be understood is an error (ruling E). The graph's names are
read only where the words name a time: "April" may be somebody. Of an event that a question counts from ("since the
move") only what the asker may see says when it was; without an answer the question stays as it was read.

As the memory *knew* it then: a row is there if it was recorded by then and not yet superseded, in the words it had
then. What became true later but was known already is there, and what was true then but learnt later is not. Each layer
around a port only reads. What was forgotten, redacted or hidden since is not brought back (rulings F, H), and a
statement's end that a later correction told stays told.

Source: spec inner_voice.retrieve, Parameters; spec nlq 3, 10; rulings A22, C16, E, F, I3; STYLE 14.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from voice.core.errors import InvalidParams
from voice.core.graph.corrections import as_it_stood
from voice.core.graph.entities.merge_history import MergeHistory
from voice.core.graph.removal.lifecycle import was_held
from voice.core.graph.row_display import NEVER, HalfLives, confidence_of, named_by
from voice.core.nlq.calendar import Calendar, zone
from voice.core.nlq.intent import query_topic
from voice.core.nlq.parse import parse_query, time_asked
from voice.core.nlq.parsed_query import (
    NlqSettings,
    ParsedQuery,
    clamp_limit,
    search_windows,
    time_notices,
    unparsed_time_notice,
)
from voice.core.nlq.relative_times import find_event, with_event_time
from voice.core.records import Entity, Observation, Relation, Row, RowStatus, Table, Thought, require_utc, table_of
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.selection_rules import telling_floors
from voice.core.retrieval.values import Found, RetrieveParams, Selection, Window
from voice.ports.retrieval_provider import ProviderAnswer, ProviderQuery, RetrievalProvider, RetrievalProviders
from voice.ports.row_queries import HistoryStore, MergeLog
from voice.ports.stores import GraphStore, MemoryStore
from voice.services.retrieval.row_lookups import ContentHashes, Names
from voice.services.retrieval.search import KG_TABLES, Retrieve

_AnyRow = TypeVar("_AnyRow", Observation, Relation)


async def retrieve_as_of(retrieve: Retrieve, history: HistoryStore, merges: MergeLog, moment: datetime) -> Retrieve:
    """Return what retrieves from the memory as it was at `moment`."""
    not_held = frozenset(await history.not_held_at(moment))
    then = MergeHistory(await merges.merges(), moment)
    return replace(
        retrieve,
        store=MemoryAsOf(retrieve.store, history, moment, then),
        graph=GraphAsOf(retrieve.graph, history, moment, then),
        providers=_ProvidersAsOf(retrieve.providers, retrieve.store, not_held | then.ended, then.absorbed),
        hashes=ContentHashes(),  # an id and revision may have said something else then
    )


class MemoryAsOf:
    """A `MemoryStore` whose rows are fetched as they were; the rest is the store's own."""

    def __init__(self, inner: MemoryStore, history: HistoryStore, moment: datetime, merges: MergeHistory) -> None:
        self._inner = inner
        self._history = history
        self._moment = moment
        self._merges = merges
        self.write = inner.write
        self.changes = inner.changes
        self.head = inner.head
        self.status = inner.status

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that were held, by id; an entity that was described anew since, as it was described."""
        rows = await self._inner.fetch(ids)
        held = {row_id: self._as_then(row) for row_id, row in rows.items() if was_held(row, self._moment)}
        later = [row_id for row_id, row in rows.items() if isinstance(row, Entity) and row_id not in held]
        past = await self._history.replaced_by(later) if later else []
        before = [
            replace(as_it_stood(row), id=row.superseded_by or row.id)  # as others name it
            for row in past
            if isinstance(row, Entity) and was_held(row, self._moment) and row.id not in self._merges.absorbed
        ]
        return {**held, **{row.id: row for row in before}}

    def _as_then(self, row: Row) -> Row:
        stood = as_it_stood(row)
        if isinstance(stood, Observation):  # a merge moves both kinds; one call for both has no type
            return self._merges.row(stood)
        return self._merges.row(stood) if isinstance(stood, Relation) else stood


class GraphAsOf:
    """A `GraphStore` whose edges and statements are those of an earlier moment; names are today's."""

    def __init__(self, inner: GraphStore, history: HistoryStore, moment: datetime, merges: MergeHistory) -> None:
        self._inner = inner
        self._history = history
        self._moment = moment
        self._merges = merges
        self.names = inner.names
        self.derived_from = inner.derived_from

    async def relations_of(self, entity_ids: Sequence[str], *, leaving: bool = False) -> list[Relation]:
        """Return the relations that touched any of the entities, by id; only those that left one, if asked."""
        ids = self._merges.around(entity_ids)  # a merge since has renamed them
        past = [row for row in await self._history.past_of(ids) if isinstance(row, Relation)]
        held = self._held([*await self._inner.relations_of(ids, leaving=leaving), *past], entity_ids)
        return [row for row in held if not leaving or row.source_id in entity_ids]  # the ends as they were then

    async def observations_of(self, entity_ids: Sequence[str]) -> list[Observation]:
        """Return the observations that named any of the entities, by id."""
        ids = self._merges.around(entity_ids)
        past = [row for row in await self._history.past_of(ids) if isinstance(row, Observation)]
        return self._held([*await self._inner.observations_of(ids), *past], entity_ids)

    def _held(self, rows: Sequence[_AnyRow], entity_ids: Sequence[str]) -> list[_AnyRow]:
        there = (row for row in rows if was_held(row, self._moment) and row.id not in self._merges.ended)
        held = [self._merges.row(as_it_stood(row)) for row in there]
        named = [row for row in held if not set(entity_ids).isdisjoint(named_by(row))]
        return sorted(named, key=lambda row: row.id)


@dataclass(frozen=True, slots=True)
class _ProvidersAsOf:
    """Providers that find what was held."""

    inner: RetrievalProviders
    store: MemoryStore
    not_held: frozenset[str]
    absorbed: frozenset[str]

    def names(self) -> tuple[str, ...]:
        return self.inner.names()

    def named(self, name: str) -> RetrievalProvider:
        return _ProviderAsOf(self.inner.named(name), self.store, self.not_held, self.absorbed)


@dataclass(frozen=True, slots=True)
class _ProviderAsOf:
    """A provider for which what was not held is not there, and what was superseded since is."""

    inner: RetrievalProvider
    store: MemoryStore
    not_held: frozenset[str]
    absorbed: frozenset[str]

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def is_deterministic(self) -> bool:
        return self.inner.is_deterministic

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return what was found; the past value of an entity under the id that other rows name it by."""
        then = replace(query.filter, include_superseded=True)  # superseded since, so live then
        answer = await self.inner.search(replace(query, filter=then, exclude_ids=query.exclude_ids | self.not_held))
        nodes = {one.hit.row_id for one in answer.found if one.hit.table is Table.ENTITIES}
        rows = await self.store.fetch(sorted(nodes - self.absorbed))
        return replace(answer, found=tuple(_under_its_id(one, rows) for one in answer.found))


def _under_its_id(one: Found, rows: Mapping[str, Row]) -> Found:
    row = rows.get(one.hit.row_id)
    if row is None or row.status is not RowStatus.SUPERSEDED or row.superseded_by is None:
        return one
    assert table_of(row.superseded_by) is Table.ENTITIES, "an entity is replaced by an entity"
    return replace(one, hit=replace(one.hit, row_id=row.superseded_by))


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTime:
    """Reads the time in a query."""

    names: Names
    nlq: NlqSettings
    timezone: str

    async def __call__(self, query: str, *, now: datetime, when: str | None, include_private: bool) -> ParsedQuery:
        """Return the query, understood; `when` overrides its time. Raises InvalidParams: that is not understood."""
        read = partial(parse_query, query, now=now, timezone=self.timezone, settings=self.nlq, when=when)
        if when is not None:  # names cannot be taken for times
            return read()
        parsed = time_asked(query, now=now, timezone=self.timezone, settings=self.nlq)
        if parsed.time is None:  # no time, so no names needed
            return parsed
        return read(entities=(await self.names.visible(include_private=include_private)).index)


_MOST_ROWS_OF_EVENT = 10  # rows read for the date of an event


async def dated_by_event(
    parsed: ParsedQuery, retrieve: Retrieve, params: RetrieveParams, *, now: datetime, timezone: str
) -> ParsedQuery:
    """Return the question, in the time since the event that it names where the memory says when that was; `params` say
    whose rows may be seen, and by which provider they are looked for."""
    event = None if parsed.time else find_event(parsed.question)
    if event is None:
        return parsed
    about = replace(
        params,
        query=event.words,
        top_k=_MOST_ROWS_OF_EVENT,
        floor=0.0,  # whatever tells the date
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
    defaults: RetrieveDefaults
    time_of: QueryTime
    half_lives: HalfLives = field(default_factory=lambda: NEVER)

    async def __call__(self, request: RetrieveRequest) -> Selection:
        """Return S0's snippets with their diagnostics. Raises InvalidParams: the query is empty, a number is not one,
        or `when` cannot be understood; otherwise as `Retrieve` does."""
        params = self._limited(request, clean_params(request, self.defaults))
        params = replace(params, scope=await self.retrieve.scoping(request.scope, request.surroundings))
        until = (
            self.retrieve.clock.monotonic_ms() + self.time_of.nlq.timeout_ms
        )  # one deadline for all searches of the call
        retrieve = self.retrieve
        if request.as_of is not None:
            retrieve = await retrieve_as_of(retrieve, self.history, self.merges, require_utc(request.as_of, "as_of"))
        found = await self._found(retrieve, request, params, until)
        found = await retrieve.with_missing_phrases(found, params, until_ms=until)
        found = await self._aged(found, retrieve, request.as_of or request.now or self.retrieve.clock.now())
        return found if request.floor is None else telling_floors(found, asked=params.floor)

    async def _aged(self, found: Selection, retrieve: Retrieve, now: datetime) -> Selection:
        """Return the selection with how sure each row still is, where anything ages; the choice is as it was."""
        if not self.half_lives:
            return found
        rows = await retrieve.store.fetch([each.id for each in found.snippets if each.table in KG_TABLES])
        confidence = {
            row_id: confidence_of(row, self.half_lives, now)
            for row_id, row in rows.items()
            if not isinstance(row, Thought)
        }
        return replace(
            found, snippets=tuple(replace(each, confidence=confidence.get(each.id)) for each in found.snippets)
        )

    async def _found(
        self, retrieve: Retrieve, request: RetrieveRequest, params: RetrieveParams, until: float
    ) -> Selection:
        if request.window != Window():
            return await retrieve(params, until_ms=until)
        now, private = request.now or self.retrieve.clock.now(), request.include_private
        parsed = await self.time_of(params.query, now=now, when=request.when, include_private=private)
        parsed = await dated_by_event(parsed, retrieve, params, now=now, timezone=self.time_of.timezone)
        asked = request.when or (parsed.time.text if parsed.time else None)
        timed = replace(params, query=query_topic(parsed), when=asked)
        notices: list[str] = [*time_notices(parsed)]
        found: Selection | None = None
        for note, window in search_windows(parsed):  # wider and wider, till something is found
            if found is not None and (found.snippets or found.diagnostics.partial):
                break
            notices += [note] if note else []
            found = await retrieve(replace(timed, window=window), until_ms=until)
        assert found is not None, "there is a first window"
        warnings = (*found.diagnostics.warnings, *dict.fromkeys(notices))
        unparsed = unparsed_time_notice(parsed)
        return replace(found, diagnostics=replace(found.diagnostics, when_unparsed=unparsed, warnings=warnings))

    def window(self, when: str, *, query: str = "rows") -> Window:
        """Return the time that a phrase means, in the language of `query` if it shows none. Raises InvalidParams."""
        now, how = self.retrieve.clock.now(), self.time_of
        parsed = parse_query(query, now=now, timezone=how.timezone, settings=how.nlq, entities=(), when=when)
        assert parsed.window is not None, "an explicit time that is not understood is an error"
        return parsed.window

    def _limited(self, request: RetrieveRequest, params: RetrieveParams) -> RetrieveParams:
        """Return the parameters with S3's `limit`, which is S0's `top_k` with other bounds (ruling A24)."""
        if request.limit is None:
            return params
        if request.top_k is not None:
            raise InvalidParams("top_k and limit both say how many; give only one")
        warnings = list(params.warnings)
        limit = clamp_limit(request.limit, self.time_of.nlq, warnings.append)
        candidates = max(params.max_candidates_per_source, limit)  # as many as wanted, at least
        return replace(params, top_k=limit, max_candidates_per_source=candidates, warnings=tuple(warnings))
