"""Search the index, fetch rows and their neighbours, and select: no model is called.

Law: no LLM is ever called here and nothing is written (ruling A1). What may not be seen is excluded by the index before
it ranks and asked again of the rows themselves. A failing embedder fails the call; ranking by words alone is the
caller's explicit choice (ruling C17).

    the provider's search, per table → fetch rows and the graph around them → choose
                                                  ↑ the best first, until the choice is final

Source: spec inner_voice.retrieve, Behavior; DESIGN 5; rulings A1, A2, A15, A18, C1, C2, C17, C20, G.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from voice.core.messages import asking as messages
from voice.core.nlq.parse import phrases
from voice.core.records import Table, table_of
from voice.core.render.retrieval import (
    MISSING_EVENT,
    WINDOW_EVENT,
    missing_vectors,
    retrieval_figures,
    retrieved_rows,
    window_figures,
)
from voice.core.retrieval.candidates import (
    Candidates,
    Neighbourhood,
    admits,
    build_candidates,
    lift_relations,
    lift_successors,
    may_be_seen,
)
from voice.core.retrieval.early_termination import first_looks, may_stop_early, next_looks
from voice.core.retrieval.passages import EvidenceRequest
from voice.core.retrieval.searchable_text import holding, unheld
from voice.core.retrieval.selection import (
    BEST,
    UNREAD,
    SearchFacts,
    best_of,
    choose,
    cut_short,
    effective_provider,
    placed_text,
    select,
    select_evidence,
    with_gains,
)
from voice.core.retrieval.values import (
    LOCAL_FTS,
    LOCAL_PROVIDERS,
    Candidate,
    Found,
    Hit,
    RetrieveParams,
    RowFilter,
    Selection,
    Window,
)
from voice.ports.retrieval_provider import ProviderQuery, RetrievalProviders
from voice.ports.stores import GraphStore, MemoryStore
from voice.ports.system import NO_TELEMETRY, SILENT_LOG, Clock, EventLog, Span, Telemetry
from voice.services.retrieval.reranking import ReadRow, Rerank
from voice.services.retrieval.row_lookups import ContentHashes, FetchedRows, Scoping
from voice.services.runtime.measurements import RETRIEVAL_SPAN, retrieval_attributes, retrieval_labels

MOST_HELD: Final = 500
"""Rows of a table that are told by a word that they hold."""
KG_TABLES = frozenset({Table.ENTITIES, Table.OBSERVATIONS, Table.RELATIONS})


@dataclass(frozen=True, slots=True, kw_only=True)
class _SearchResult:
    """The candidates before the choice."""

    params: RetrieveParams
    """What decides it: as asked, or by words alone where no vector could be compared."""
    candidates: tuple[Candidate, ...]
    facts: SearchFacts
    is_partial: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Retrieves from one memory."""

    store: MemoryStore
    graph: GraphStore
    providers: RetrievalProviders
    scoping: Scoping
    clock: Clock
    log: EventLog = SILENT_LOG
    telemetry: Telemetry = NO_TELEMETRY
    rerank: Rerank = Rerank()
    hashes: ContentHashes = field(default_factory=ContentHashes, repr=False)

    async def __call__(self, params: RetrieveParams, *, until_ms: float | None = None) -> Selection:
        """Return S0's snippets with their diagnostics, for cleaned parameters
        (`voice.core.retrieval.params.clean_params`). A relation that is found lifts its source entity, in whose text it
        stands (ruling C2): S0 knows no relation as a source. When the clock's stopwatch shows `until_ms`, nobody is
        waited for, and no more rows are looked at if they could change the choice: what was ranked so far is returned,
        flagged `partial` (ruling E). Raises ConfigurationError: private rows would go to a
        remote re-ranker without consent; EmbedderUnavailable: nothing else is tried; RerankerUnavailable: one was asked
        for, and there is none or it failed; ScopeRequired (ruling A18); StoreError."""
        return await self._selected("retrieve", params, until_ms)

    async def with_missing_phrases(
        self, found: Selection, params: RetrieveParams, *, until_ms: float | None = None
    ) -> Selection:
        """Return the selection, with a warning for each quoted phrase of the query that no row contains.

        A quoted phrase ranks here and does not filter, so one that no snippet contains is searched for by itself.
        """
        missing = unheld(found.chosen, phrases(params.query))
        if missing:
            window = found.diagnostics.window
            alone = replace(params, query=" ".join(missing), window=window, phrases=missing, rerank=False)
            looked = await self(alone, until_ms=until_ms)
            missing = () if looked.diagnostics.partial else looked.unheld  # cut short: no claim
        warnings = (*found.diagnostics.warnings, *map(messages.no_passage_contains, missing))
        return replace(found, diagnostics=replace(found.diagnostics, warnings=warnings))

    async def fetch_evidence(self, request: EvidenceRequest, *, until_ms: float | None = None) -> Selection:
        """Return KG rows for a prompt, best rank first, relations as rows of their own (rulings A2, C20)."""
        return await self._selected("evidence", request.params(), until_ms)

    async def fetch_named(self, row_ids: Sequence[str], request: EvidenceRequest) -> tuple[Candidate, ...]:
        """Return those of the rows, each once, that the request could have found, in their order, without asking how
        they rank: its scope, window, privacy, tags and quoted phrases count. Raises ScopeRequired, StoreError: as
        above."""
        await self.scoping(request.scope)  # refuses where a scope must be named
        params = request.params()
        hits = (Hit(row_id=each, table=table_of(each), cosine=None, lexical=0.0) for each in dict.fromkeys(row_ids))
        named = [Found(hit=hit, score=0.0, rank_score=0.0) for hit in hits]
        candidates = await self._candidates(params, named, FetchedRows(store=self.store, graph=self.graph))
        return holding(candidates.found, params.phrases)[0]

    async def fetch_holding(self, text: str, request: EvidenceRequest) -> tuple[Candidate, ...] | None:
        """Return every row that the request could have found and that holds a word of `text`, doubles too; None where
        there are more than can be told (`MOST_HELD`). Raises ScopeRequired, StoreError: as above."""
        await self.scoping(request.scope)
        params = replace(request.params(), query=text, max_candidates_per_source=MOST_HELD, top_k=MOST_HELD)
        answer = await self.providers.named(LOCAL_FTS).search(self._query(params, None))
        if max(answer.matched.values(), default=0) > MOST_HELD:
            return None
        return await self.fetch_named([one.hit.row_id for one in answer.found], request)

    async def count_holding(self, texts: Sequence[str], request: EvidenceRequest) -> dict[str, int]:
        """Return how many rows, at any time, that the request may see hold a word of each text. Raises as above."""
        if not texts:
            return {}
        await self.scoping(request.scope)
        provider, counts = self.providers.named(LOCAL_FTS), dict[str, int]()
        for text in texts:
            params = replace(request.params(), query=text, max_candidates_per_source=1, top_k=1, window=Window())
            counts[text] = sum((await provider.search(self._query(params, None))).matched.values())
        return counts

    async def _selected(
        self, purpose: Literal["retrieve", "evidence"], params: RetrieveParams, until_ms: float | None
    ) -> Selection:
        with self.telemetry.span(RETRIEVAL_SPAN, retrieval_labels(purpose)) as span:
            started = self.clock.monotonic_ms()
            if params.rerank:
                self.rerank.required()  # before any search
            found = await self._find(params, until_ms, lift=purpose == "retrieve")  # evidence has relations of its own
            result = await self._reranked(found, until_ms)
            choose_rows = select if purpose == "retrieve" else select_evidence
            chosen = choose_rows(result.params, result.candidates, result.facts)
            elapsed = max(0, round(self.clock.monotonic_ms() - started))
            chosen = replace(chosen, diagnostics=replace(chosen.diagnostics, latency_ms=elapsed))
            chosen = cut_short(chosen) if result.is_partial else chosen
            self._log_figures(purpose, span, params, chosen)
            return chosen

    def _log_figures(self, event: str, span: Span, params: RetrieveParams, selection: Selection) -> None:
        """Leave the figures of a retrieval in the log and on its span (ruling D19)."""
        figures = retrieval_figures(selection, floor=params.floor)
        span.note(retrieval_attributes(figures))
        if missing := missing_vectors(selection):
            self.log.warning(MISSING_EVENT, missing)
        self.log.info(event, figures)
        self.log.debug(event, retrieved_rows(selection))
        if window := window_figures(params, selection):
            self.log.debug(WINDOW_EVENT, window)

    def _is_late(self, until_ms: float | None) -> bool:
        return until_ms is not None and self.clock.monotonic_ms() >= until_ms

    async def _find(self, params: RetrieveParams, until_ms: float | None, *, lift: bool) -> _SearchResult:
        """Return the candidates that decide the choice, with what the search reports."""
        await self.scoping(params.scope)
        provider = self.providers.named(effective_provider(params))
        answer = await provider.search(self._query(params, until_ms))
        params = replace(params, lexical_only=params.lexical_only or answer.by_words)  # no vectors compared: by words
        fetched = FetchedRows(store=self.store, graph=self.graph)
        found = await self._liftable(answer.found, params, fetched, lift=lift)
        candidates, is_partial = await self._looked_at(params, found, fetched, until_ms)
        facts = SearchFacts(
            provider=answer.embedding.provider,
            model=answer.embedding.model,
            dim=answer.embedding.dim,
            excluded_other_model=answer.embedding.excluded_other_model,
            dropped=candidates.dropped,
            found=Counter(one.hit.table for one in found),
            admitted=answer.admitted,
            matched=answer.matched,
            candidate_limit=_candidate_limit(params),
            is_complete=not may_stop_early(params),
        )
        is_partial = is_partial or answer.is_partial
        return _SearchResult(params=params, candidates=candidates.found, facts=facts, is_partial=is_partial)

    async def _reranked(self, result: _SearchResult, until_ms: float | None) -> _SearchResult:
        """Return the result with the ranks that a re-ranker gives it, where that is asked for."""
        if not result.params.rerank:
            return result
        if self._is_late(until_ms):
            params = replace(result.params, warnings=(*result.params.warnings, UNREAD))
            return replace(result, params=params, is_partial=True)
        rows = [
            ReadRow(row_id=each.row.id, text=placed_text(each.row, each.text), is_private=each.is_private)
            for each in best_of(result.params, result.candidates)
        ]
        logits, reranked = await self.rerank(result.params.query, rows)
        candidates = with_gains(result.candidates, logits)
        return replace(result, candidates=candidates, facts=replace(result.facts, reranked=reranked))

    def _query(self, params: RetrieveParams, until_ms: float | None) -> ProviderQuery:
        return ProviderQuery(
            text=params.query,
            filter=_filter(params),
            limit=_candidate_limit(params),
            now=params.now or self.clock.now(),
            speaker=params.speaker,
            within_s=None if until_ms is None else max(0.0, until_ms - self.clock.monotonic_ms()) / 1000,
        )

    async def _liftable(
        self, found: Sequence[Found], params: RetrieveParams, fetched: FetchedRows, *, lift: bool
    ) -> Sequence[Found]:
        """Return what was found as it is to be chosen from.

        A provider of somebody else's is asked for its rows before anything it found is even counted (promise 6).
        """
        row_filter = _filter(params)
        if effective_provider(params) not in LOCAL_PROVIDERS:
            await fetched.fetch(one.hit.row_id for one in found)
            rows = fetched.rows
            found = [one for one in found if one.hit.row_id in rows and may_be_seen(row_filter, rows[one.hit.row_id])]
        if params.superseded:
            await fetched.fetch_successors(one.hit.row_id for one in found)
            found = lift_successors(found, fetched.rows)
        if lift:
            await fetched.fetch(one.hit.row_id for one in found if one.hit.table is Table.RELATIONS)
            admitted = {row_id: row for row_id, row in fetched.rows.items() if admits(row_filter, row)}
            found = lift_relations(found, admitted)
        return found

    async def _looked_at(
        self, params: RetrieveParams, found: Sequence[Found], fetched: FetchedRows, until_ms: float | None
    ) -> tuple[Candidates, bool]:
        """Return enough candidates or all, and whether time was up before the choice was final."""
        is_early = may_stop_early(params)
        if is_early or self._is_late(until_ms):
            candidates, is_partial = await self._enough_candidates(params, found, fetched, until_ms)
            if is_early or is_partial:
                return candidates, is_partial
        return await self._candidates(params, found, fetched), False

    async def _enough_candidates(
        self, params: RetrieveParams, found: Sequence[Found], fetched: FetchedRows, until_ms: float | None
    ) -> tuple[Candidates, bool]:
        """Return candidates among which the choice is the same as among all, or that time was up before they were."""
        looks = first_looks(params, found)
        seen: dict[str, Found] = {}
        while True:
            seen.update((one.hit.row_id, one) for one in looks)  # by id: a look may name a row again
            candidates = await self._candidates(params, seen.values(), fetched)
            unseen = [one for one in found if one.hit.row_id not in seen]
            looks = next_looks(params, choose(params, candidates.found), unseen)  # rows that may change the choice
            if not looks or self._is_late(until_ms):
                return candidates, bool(looks)

    async def _candidates(self, params: RetrieveParams, found: Collection[Found], fetched: FetchedRows) -> Candidates:
        await fetched.fetch_texts([one.hit.row_id for one in found])
        row_filter = _filter(params)
        neighbourhood = Neighbourhood.visible(fetched.rows.values(), row_filter)
        return build_candidates(found, fetched.rows, neighbourhood, row_filter, self.hashes)


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
    wanted = max(3 * params.top_k, BEST) if params.rerank else 3 * params.top_k
    return min(wanted, params.max_candidates_per_source)
