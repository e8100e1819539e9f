"""Finding rows for a query: S0's tool, and the evidence of a turn.

Law: no LLM is ever called here and nothing is written (ruling A1). What may not be seen is excluded by the index before
it ranks and asked again of the rows themselves. A failing embedder fails the call; ranking by words alone is the
caller's explicit choice (ruling C17).

    the provider's search, per table → fetch rows and the graph around them → choose

Source: spec inner_voice.retrieve, Behavior; DESIGN 5; rulings A1, A2, A15, A18, C1, C2, C17, C20, G.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice.core.errors import ScopeRequired
from voice.core.records import Scope, Table
from voice.core.retrieval.candidates import (
    Candidates,
    Neighbourhood,
    build_candidates,
    lift_relations,
    lift_successors,
)
from voice.core.retrieval.evidence import EvidenceRequest
from voice.core.retrieval.select import SearchFacts, effective_provider, select, select_evidence
from voice.core.retrieval.values import Found, RetrieveParams, RowFilter, Selection
from voice.core.retrieval.visibility import admits
from voice.ports.retrieval_provider import ProviderQuery, RetrievalProviders
from voice.ports.stores import GraphStore, MemoryStore
from voice.ports.system import Clock
from voice.services.surroundings import fetch_surroundings

KG_TABLES = frozenset({Table.ENTITIES, Table.OBSERVATIONS, Table.RELATIONS})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What one search brought, before anything is chosen."""

    candidates: Candidates
    facts: SearchFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Retrieves from one memory."""

    store: MemoryStore
    graph: GraphStore
    providers: RetrievalProviders
    clock: Clock

    async def __call__(self, params: RetrieveParams) -> Selection:
        """Return S0's snippets with their diagnostics.

        Relations are searched, too: one that is found stands in its source entity's text and lifts that entity
        (ruling C2), since S0 knows no relation as a source.

        Args:
            params: cleaned (`voice.core.retrieval.params.clean_params`).

        Raises:
            EmbedderUnavailable: the embedder failed; nothing else is tried.
            ScopeRequired: no scope was named and the memory holds scoped rows (ruling A18).
            StoreError: the store or the index failed.
        """
        started = self.clock.monotonic_ms()
        found = await self._find(params, lift=True)
        return self._timed(select(params, found.candidates.found, found.facts), started)

    async def fetch_evidence(self, request: EvidenceRequest) -> Selection:
        """Return KG rows for a prompt, best rank first, relations as rows of their own (rulings A2, C20).

        Raises:
            EmbedderUnavailable, ScopeRequired, StoreError: as above.
        """
        started = self.clock.monotonic_ms()
        params = request.params()
        found = await self._find(params, lift=False)
        return self._timed(select_evidence(params, found.candidates.found, found.facts), started)

    def _timed(self, selection: Selection, started: float) -> Selection:
        elapsed = max(0, round(self.clock.monotonic_ms() - started))
        return replace(selection, diagnostics=replace(selection.diagnostics, latency_ms=elapsed))

    async def _find(self, params: RetrieveParams, *, lift: bool) -> _Found:
        await self._require_scope(params.scope)
        provider = self.providers.named(effective_provider(params))
        answer = await provider.search(self._query(params))
        candidates = await self._candidates(answer.found, params, lift=lift)
        facts = SearchFacts(
            provider=answer.embedding.provider,
            model=answer.embedding.model,
            dim=answer.embedding.dim,
            excluded_other_model=answer.embedding.excluded_other_model,
            dropped=candidates.dropped,
        )
        return _Found(candidates=candidates, facts=facts)

    def _query(self, params: RetrieveParams) -> ProviderQuery:
        return ProviderQuery(
            text=params.query,
            filter=_filter(params),
            limit=_candidate_limit(params),
            now=params.now or self.clock.now(),
            speaker=params.speaker,
        )

    async def _require_scope(self, scope: Scope) -> None:
        if scope.is_empty and (await self.store.head()).has_scoped_rows:
            raise ScopeRequired(
                "this memory holds rows of several scopes; name a session, repository, agent or user, or ask for all"
            )

    async def _candidates(self, found: Sequence[Found], params: RetrieveParams, *, lift: bool) -> Candidates:
        row_filter = _filter(params)
        rows = await self.store.fetch([one.hit.row_id for one in found])
        if params.superseded:
            found = lift_successors(found, rows)
            rows = {**rows, **await self.store.fetch([one.hit.row_id for one in found if one.hit.row_id not in rows])}
        if lift:
            found = lift_relations(found, {row_id: row for row_id, row in rows.items() if admits(row_filter, row)})
        entity_ids = {one.hit.row_id for one in found if one.hit.table is Table.ENTITIES}
        rows = {**await fetch_surroundings(self.store, self.graph, entity_ids, rows), **rows}
        return build_candidates(found, rows, Neighbourhood.visible(rows.values(), row_filter), row_filter)


def _filter(params: RetrieveParams) -> RowFilter:
    kg = KG_TABLES if params.mix > 0.0 else frozenset[Table]()
    thoughts = frozenset({Table.THOUGHTS}) if params.mix < 1.0 else frozenset[Table]()
    return RowFilter(
        tables=kg | thoughts,
        scope=params.scope,
        window=params.window,
        include_private=params.include_private,
        include_tags=params.include_tags,
        exclude_tags=params.exclude_tags,
        include_superseded=params.superseded,
    )


def _candidate_limit(params: RetrieveParams) -> int:
    """Return how many rows of a table are asked for: S0's bound, or the most where a quoted phrase leaves most out."""
    if params.phrases:
        return params.max_candidates_per_source
    return min(3 * params.top_k, params.max_candidates_per_source)
