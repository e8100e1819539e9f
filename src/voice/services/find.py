"""`retrieve` as callers know it: parameters as given, the time in words.

Law: the query of S0's tool is searched, not interpreted; only an explicit `when` narrows the time, and one that cannot
be understood is an error (ruling E).

Source: spec inner_voice.retrieve, Parameters; rulings A22, C16, E.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime

from voice.core.errors import InvalidParams
from voice.core.graph.ageing import NEVER, HalfLives, confidence_of
from voice.core.nlq.limits import limit_meant
from voice.core.nlq.parse import parse_query
from voice.core.nlq.values import NlqSettings
from voice.core.records import Thought, require_utc
from voice.core.retrieval.floor import telling_floors
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.values import RetrieveParams, Selection, Window
from voice.ports.history import HistoryStore
from voice.ports.merge_log import MergeLog
from voice.ports.system import Clock
from voice.services.as_of import retrieve_as_of
from voice.services.retrieve import KG_TABLES, Retrieve


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """Retrieves snippets for what a caller asked."""

    retrieve: Retrieve
    history: HistoryStore
    merges: MergeLog
    clock: Clock
    defaults: RetrieveDefaults
    nlq: NlqSettings
    timezone: str
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
        found = await retrieve(self._in_time(request, params), until_ms=until)
        told = await self._aged(found, retrieve, request.as_of or request.now or self.clock.now())
        return told if request.floor is None else telling_floors(told, asked=params.floor)

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

    def _in_time(self, request: RetrieveRequest, params: RetrieveParams) -> RetrieveParams:
        """Return the parameters with the window that `when` means."""
        if request.when is None:
            return params
        return replace(params, window=self.window(request.when, query=params.query, now=request.now))

    def window(self, when: str, *, query: str = "rows", now: datetime | None = None) -> Window:
        """Return the time that a phrase means.

        Args:
            when: in words.
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
        limit = limit_meant(request.limit, self.nlq, warnings.append)
        candidates = max(params.max_candidates_per_source, limit)
        return replace(params, top_k=limit, max_candidates_per_source=candidates, warnings=tuple(warnings))
