"""Recall: pins, the current summary, then candidates.

Law: nothing is written and no model is asked (ruling A1); the clock is looked at only when no `now` was given, so the
same `now` over the same memory gives the same bytes (promise 8). This module fetches; every decision is a pure function
of what was fetched (`voice.core.recall`).

    scope → pins and what they point to → the current summary → search → the rows behind what was found → compose

Source: spec retrieval-contract; rulings A1, A15, A17, A18, A22, C20, G.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from voice.core.messages import asking as messages
from voice.core.nlq.intent import query_topic
from voice.core.nlq.parse import phrases
from voice.core.nlq.parsed_query import ParsedQuery, search_windows, time_notices, unparsed_time_notice
from voice.core.recall.candidates import (
    add_rerank_gains,
    best_to_read,
    found_rows,
    found_summaries,
    is_already_shown,
    lift,
    row_filter_of,
    text_to_read,
    weighed_summaries,
)
from voice.core.recall.capsules import owner_of_summary
from voice.core.recall.compose import FoundCandidates, compose
from voice.core.recall.params import RecallRequest, clean_recall, fit_rendered
from voice.core.recall.pins import PinTargets, PinTier, active_pins, eligible_pins, pin_filter
from voice.core.recall.values import CandidateResult, RecallParams, RecallResult
from voice.core.records import Entity, Row, Table, table_of
from voice.core.retrieval.candidates import Neighbourhood
from voice.core.retrieval.searchable_text import missing_phrases
from voice.core.retrieval.selection import OUT_OF_TIME, uncompared_warning
from voice.core.retrieval.values import Reranked, RowFilter, Window
from voice.core.text.normalise import norm_v1
from voice.ports.recall_stores import CapsuleFilter, CapsuleStore, PinStore
from voice.ports.retrieval_provider import ProviderAnswer, ProviderQuery, RetrievalProvider, RetrievalProviders
from voice.ports.row_queries import RedactedRows
from voice.ports.stores import GraphStore, MemoryStore
from voice.ports.system import Clock
from voice.services.recall.capsules import CurrentSummary
from voice.services.retrieval.reranking import ReadRow, Rerank
from voice.services.retrieval.retrieve import QueryTime
from voice.services.retrieval.row_lookups import Scoping, fetch_surroundings, fetch_with_source_thoughts

POOL = 64
"""Rows of each table that are looked at at least: several of them may come to one thought."""
SUMMARIES = 500
"""Written summaries that are weighed, of the newest capsules in scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Recalls from one memory."""

    store: MemoryStore
    graph: GraphStore
    pins: PinStore
    capsules: CapsuleStore
    redacted: RedactedRows
    scoping: Scoping
    current: CurrentSummary
    providers: RetrievalProviders
    clock: Clock
    time_of: QueryTime
    rerank: Rerank = Rerank()
    quarantine_instructions: bool = True
    """Whether candidates that read like instructions to a model are kept out (ruling D22)."""

    async def __call__(self, request: RecallRequest) -> RecallResult:
        """Return the three tiers and how they came about. Raises InvalidParams: `when`, `order` or `provider` is not
        valid; ScopeRequired: a scope must be named (ruling A18); EmbedderUnavailable; ConfigurationError: private rows
        would go to a remote re-ranker without consent; RerankerUnavailable: one was asked for, and there is none or it
        failed."""
        if request.rerank:
            self.rerank.required()  # before anything is read
        params, parsed = await self._params(request)
        provider = self.providers.named(params.provider)
        pins = await self._pins(params)
        summary = await self.current(params)
        shown_ids = frozenset(pin.target.id for pin in pins.shown)
        notes: list[str] = [*time_notices(parsed)]
        searched = FoundCandidates()
        for note, window in search_windows(parsed):  # wider and wider, till something is found
            params = replace(params, window=window)
            searched, more = await self._search(params, provider, shown_ids)
            notes += [*([note] if note else []), *more]
            if searched.candidates or searched.is_partial:
                break
        if not searched.is_partial:  # a search cut short misses phrases that are there
            shown = [*(pin.target for pin in pins.shown), *([summary] if summary else ())]
            missing = missing_phrases((each.content for each in shown), phrases(request.query))
            notes += await self._missing_phrases(missing, searched, params, provider)
        budget = params.token_budget
        unbounded = params if request.measure is None else replace(params, token_budget=None)
        result = compose(unbounded, pins, summary, searched, tuple(dict.fromkeys(notes)))
        result = replace(result, provenance=replace(result.provenance, query=parsed.question))
        if request.measure is None or budget is None:
            return result
        return fit_rendered(result, budget=budget, measure=request.measure)

    async def _params(self, request: RecallRequest) -> tuple[RecallParams, ParsedQuery]:
        now = request.now or self.clock.now()
        scope = await self.scoping(request.scope, request.surroundings)
        params = replace(
            clean_recall(request, now=now, scope=scope, window=Window()), quarantine=self.quarantine_instructions
        )
        private = request.include_private
        parsed = await self.time_of(params.query, now=params.now, when=request.when, include_private=private)
        asked = request.when or (parsed.time.text if parsed.time else None)
        timed = replace(params, query=query_topic(parsed), when=asked, when_unparsed=unparsed_time_notice(parsed))
        return timed, parsed

    async def _pins(self, params: RecallParams) -> PinTier:
        pins = eligible_pins(await self.pins.pins(active_at=params.now), params)
        targets = list(dict.fromkeys(pin.target_id for pin in pins))
        rows = await fetch_with_source_thoughts(
            self.store, [each for each in targets if owner_of_summary(each) is None]
        )
        owners = [owner for target in targets if (owner := owner_of_summary(target)) is not None]
        summaries = {f"m:{owner}": await self.current.of(owner, params) for owner in owners}
        around = await self._around(rows, pin_filter(params))
        return active_pins(
            pins,
            PinTargets(
                rows=rows,
                around=around,
                summaries={key: found.shown for key, found in summaries.items() if found.shown is not None},
                known_summaries=frozenset(key for key, found in summaries.items() if found.exists),
            ),
            params,
        )

    async def _search(
        self, params: RecallParams, provider: RetrievalProvider, shown_ids: frozenset[str]
    ) -> tuple[FoundCandidates, tuple[str, ...]]:
        redacted = await self.redacted.redacted() if params.include_redacted else []
        if not norm_v1(params.query):
            return FoundCandidates(redacted=redacted), ("the query is empty, so nothing was searched for",)
        answer = await provider.search(
            ProviderQuery(
                text=params.query,
                filter=row_filter_of(params),
                limit=max(POOL, params.max_candidates),  # several rows may lift one thought
                now=params.now,
                exclude_ids=await self._rows_shown(shown_ids),  # a thought is not told twice
                within_s=self.time_of.nlq.timeout_ms / 1000,
            )
        )
        rows = await self._found(answer, params, shown_ids)
        summaries, notes = await self._summaries(params)
        candidates, reranked = await self._rerank((*rows, *summaries), params)
        searched = FoundCandidates(
            candidates=candidates,
            reranked=reranked,
            unseen=_unseen(answer, rows),
            redacted=redacted,
            is_partial=answer.is_partial,
        )
        uncompared = uncompared_warning(answer.embedding.excluded_other_model, sum(answer.admitted.values()))
        varies = None if provider.is_deterministic else f"results of {provider.name} may change from call to call"
        late = OUT_OF_TIME if answer.is_partial else None  # cut short by the deadline
        return searched, (*notes, *filter(None, (uncompared, varies, late)))

    async def _missing_phrases(
        self, wanted: Sequence[str], searched: FoundCandidates, params: RecallParams, provider: RetrievalProvider
    ) -> Iterator[str]:
        """Return what to say of the quoted phrases that no candidate contains, nor a row found by their words alone."""
        missing = missing_phrases((each.entity.content for each in searched.candidates), wanted)
        if missing:
            alone = replace(params, query=" ".join(missing), rerank=False)  # its words alone, in any order of merit
            by_phrases, _ = await self._search(alone, provider, frozenset())
            texts = (each.entity.content for each in by_phrases.candidates)
            missing = () if by_phrases.is_partial else missing_phrases(texts, missing)  # cut short: no claim
        return map(messages.no_passage_contains, missing)

    async def _rows_shown(self, shown: frozenset[str]) -> frozenset[str]:
        """Return the rows that are shown, and those that only say again what a shown thought says."""
        thoughts = sorted(
            row_id for row_id in shown if owner_of_summary(row_id) is None and table_of(row_id) is Table.THOUGHTS
        )
        derived = await self.graph.derived_from(thoughts) if thoughts else []
        return shown | {row.id for row in derived if is_already_shown(row, shown)}

    async def _found(
        self, answer: ProviderAnswer, params: RecallParams, shown: frozenset[str]
    ) -> tuple[CandidateResult, ...]:
        row_filter = row_filter_of(params)
        rows = await fetch_with_source_thoughts(self.store, [one.hit.row_id for one in answer.found])
        lifted = lift(answer.found, rows, row_filter, shown)
        standing = {one.row_id: rows[one.row_id] for one in lifted}
        return found_rows(lifted, standing, await self._around(standing, row_filter), params)

    async def _rerank(
        self, found: Sequence[CandidateResult], params: RecallParams
    ) -> tuple[Sequence[CandidateResult], Reranked | None]:
        """Return the candidates with the scores that a re-ranker gives them, where that is asked for."""
        if not params.rerank:
            return found, None
        best = best_to_read(found)
        rows = await self.store.fetch([one.found_by or one.entity.id for one in best])
        to_read: list[ReadRow] = []
        for one in best:
            row = rows.get(one.found_by or one.entity.id)
            is_private = one.entity.is_private or (row is not None and row.is_private)  # either goes to the re-ranker
            to_read.append(ReadRow(row_id=one.entity.id, text=text_to_read(one, row), is_private=is_private))
        logits, reranked = await self.rerank(params.query, to_read)
        return add_rerank_gains(found, logits), reranked

    async def _around(self, rows: Mapping[str, Row], row_filter: RowFilter) -> Neighbourhood:
        entities = {row_id for row_id, row in rows.items() if isinstance(row, Entity)}
        around = await fetch_surroundings(self.store, self.graph, entities, rows)
        return Neighbourhood.visible([*rows.values(), *around.values()], row_filter)

    async def _summaries(self, params: RecallParams) -> tuple[tuple[CandidateResult, ...], tuple[str, ...]]:
        """Return the written summaries that hold a word of the query and still stand, and what is to be said of it."""
        where = CapsuleFilter(scope=params.scope, has_summary=True)
        capsules = await self.capsules.capsules(limit=SUMMARIES + 1, where=where)  # one more: were any left out?
        written = [capsule.summary for capsule in capsules[:SUMMARIES] if capsule.summary is not None]
        weighed, unread = weighed_summaries(written, params)
        refs = {row_id for each in weighed for row_id in each.summary.evidence_refs}
        found = found_summaries(weighed, await fetch_with_source_thoughts(self.store, refs), params)
        is_whole = not unread and len(capsules) <= SUMMARIES
        return found, () if is_whole else ("summaries of older capsules were not searched",)


def _unseen(answer: ProviderAnswer, candidates: Collection[CandidateResult]) -> int:
    """Return how many thoughts matched that neither were returned nor are candidates by a sentence of theirs."""
    found = {one.hit.row_id for one in answer.found}
    shown = {one.entity.id for one in candidates}
    thoughts = sum(table_of(row_id) is Table.THOUGHTS for row_id in found | shown)
    return max(0, answer.matched.get(Table.THOUGHTS, 0) - thoughts)  # a sentence may lift an unmatched thought
