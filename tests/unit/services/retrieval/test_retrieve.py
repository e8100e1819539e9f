"""Finding rows for a query: what is asked of the index, and what becomes of its answer."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from retrieval_doubles import NOW, BelievingIndex, OneVector, Rows, retrieve_over
from retrieval_rows import AT, HOME, LATER_STATES, entity, observation, relation, thought
from voice.core.errors import EmbedderUnavailable, RerankerUnavailable, ScopeRequired
from voice.core.records import Row, RowStatus, Scope, Table, table_of
from voice.core.retrieval.passages import EvidenceRequest
from voice.core.retrieval.ranking import fusion_profile
from voice.core.retrieval.selection import UNREAD
from voice.core.retrieval.values import Hit, RetrieveParams, Selection, Window
from voice.services.retrieval.reranking import Rerank
from voice.services.retrieval.search import Retrieve
from words_reranker import WordsReranker

PLAIN = RetrieveParams(query="auth bug")
ADA, ACME = entity("ada", "Ada", "my sister"), entity("acme", "Acme", entity_type="organisation")
WORKS = relation("1", "ada", "works_at", "acme", "since 2024")


def hit(row_id: str, cosine: float | None = 0.5, lexical: float = 0.1, *, at: datetime = AT) -> Hit:
    created = round(at.timestamp() * 1_000_000)
    return Hit(row_id=row_id, table=table_of(row_id), cosine=cosine, lexical=lexical, created_us=created)


def service(*rows: Row, index: BelievingIndex | None = None, embedder: OneVector | None = None) -> Retrieve:
    believing = index or BelievingIndex(hits=tuple(hit(row.id) for row in rows))
    return retrieve_over(Rows.of(*rows), believing, embedder or OneVector())


def ids(selection: Selection) -> list[str]:
    return [snippet.id for snippet in selection.snippets]


@pytest.mark.requirement("s0:behavior:2", "s0:output:provider", "s0:output:latency_ms")
async def test_the_query_is_embedded_once_and_the_embedder_is_named() -> None:
    embedder = OneVector()
    selection = await service(thought("1"), embedder=embedder)(PLAIN)
    assert embedder.texts == ["auth bug"]
    diagnostics = selection.diagnostics
    assert (diagnostics.provider, diagnostics.model, diagnostics.dim) == ("local", "tiny", 2)
    assert diagnostics.latency_ms == 7


async def test_the_index_is_brought_up_to_date_before_it_is_searched() -> None:
    index = BelievingIndex(hits=())
    await service(index=index)(PLAIN)
    assert index.calls == ["refresh", "search"]


@pytest.mark.requirement("s0:behavior:3", "ruling:A15", "s0:performance:candidate-cap")
@pytest.mark.parametrize(("top_k", "bound", "limit"), [(1, 150, 3), (10, 150, 30), (50, 150, 150), (50, 60, 60)])
async def test_thrice_the_places_are_scored_up_to_the_bound(top_k: int, bound: int, limit: int) -> None:
    index = BelievingIndex(hits=())
    await service(index=index)(RetrieveParams(query="q", top_k=top_k, max_candidates_per_source=bound))
    assert index.queries[0].limit == limit


@pytest.mark.requirement("s0:param:include_private", "s0:test:privacy-tags", "ruling:C10", "s3:flow:a")
async def test_every_condition_reaches_the_index() -> None:
    index = BelievingIndex(hits=())
    window = Window(start=AT)
    await service(index=index)(
        RetrieveParams(
            query="q", include_private=True, include_tags=("a",), exclude_tags=("b",), scope=HOME, window=window
        )
    )
    asked = index.queries[0].filter
    assert (asked.include_private, asked.include_tags, asked.exclude_tags) == (True, ("a",), ("b",))
    assert (asked.scope, asked.window, asked.tables) == (HOME, window, frozenset(Table))


@pytest.mark.requirement("ruling:C6", "ruling:C2")
@pytest.mark.parametrize(
    ("mix", "tables"), [(0.0, {Table.THOUGHTS}), (1.0, {Table.ENTITIES, Table.OBSERVATIONS, Table.RELATIONS})]
)
async def test_a_source_that_may_not_show_is_not_searched(mix: float, tables: set[Table]) -> None:
    index = BelievingIndex(hits=())
    await service(index=index)(RetrieveParams(query="q", mix=mix))
    assert index.queries[0].filter.tables == tables


@pytest.mark.requirement("ruling:C20")
async def test_each_provider_searches_with_its_own_arms() -> None:
    index = BelievingIndex(hits=())
    for provider in ("local-vector", "local-fts", "local-hybrid"):
        await service(index=index)(RetrieveParams(query="q", provider=provider, speaker="Bo"))
    vector, words, hybrid = index.queries
    profile = fusion_profile("tiny")
    assert (vector.weights, vector.vector is None, vector.neighbour_weight) == ((1.0, 0.0), False, 0.0)
    assert (words.weights, words.vector is None, words.speaker_weight) == ((0.0, 1.0), True, 0.0)
    assert (hybrid.weights, hybrid.speaker, hybrid.speaker_weight) == (profile.weights, "Bo", profile.speaker)


@pytest.mark.requirement("promise:6", "s0:test:privacy-tags")
async def test_a_stale_index_cannot_show_a_private_row() -> None:
    secret = replace(thought("1"), is_private=True)
    hidden = await service(secret)(PLAIN)
    assert (hidden.snippets, hidden.dropped) == ((), ())
    assert hidden.diagnostics.reason == "no_candidates"
    assert ids(await service(secret)(replace(PLAIN, include_private=True))) == ["t:1"]


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize("status", LATER_STATES)
async def test_a_stale_index_cannot_show_a_row_that_was_taken_out(status: RowStatus) -> None:
    assert ids(await service(replace(thought("1"), status=status), thought("2"))(PLAIN)) == ["t:2"]


async def test_a_stale_index_cannot_show_a_row_that_is_gone() -> None:
    index = BelievingIndex(hits=(hit("t:gone"), hit("t:1")))
    assert ids(await service(thought("1"), index=index)(PLAIN)) == ["t:1"]


@pytest.mark.requirement("s3:sql:window", "s3:time:half-open")
async def test_a_stale_index_cannot_show_a_row_outside_the_window_or_scope_or_tags() -> None:
    here = replace(thought("here", at=AT), scope=HOME, tags=("work",))
    others = (
        replace(here, id="t:early", created_at=AT - timedelta(days=9)),
        replace(here, id="t:far", scope=Scope(session_id="s2", repo_id="/home")),
        replace(here, id="t:untagged", tags=()),
        replace(here, id="t:draft", tags=("work", "draft")),
    )
    params = replace(
        PLAIN, window=Window(start=AT), scope=HOME, include_tags=("work",), exclude_tags=("draft",), mix=0.0
    )
    assert ids(await service(here, *others)(params)) == ["t:here"]


@pytest.mark.requirement("s3:test:exclusion", "ruling:A13", "s0:acceptance:schema")
async def test_what_the_inner_voice_wrote_is_no_source_and_the_account_says_so() -> None:
    selection = await service(replace(thought("1"), is_summary=True), thought("2"))(replace(PLAIN, explain=True))
    assert ids(selection) == ["t:2"]
    assert [(one.id, one.reason) for one in selection.dropped] == [("t:1", "synthesis")]


@pytest.mark.requirement(
    "s0:embedder-failure", "s0:test:embedder-failure", "s0:error:embedder_unavailable", "ruling:C17"
)
async def test_a_failing_embedder_fails_the_call_and_nothing_else_is_tried() -> None:
    index = BelievingIndex(hits=(hit("t:1"),))
    with pytest.raises(EmbedderUnavailable):
        await service(thought("1"), index=index, embedder=OneVector(down=True))(PLAIN)
    assert "search" not in index.calls


@pytest.mark.requirement("promise:5", "s0:embedder-failure")
async def test_a_vector_of_another_size_is_never_compared() -> None:
    with pytest.raises(EmbedderUnavailable, match="SURR_EMBED_DIM"):
        await service(thought("1"), embedder=OneVector(size=12))(PLAIN)


@pytest.mark.requirement("ruling:C17", "s0:constraint:no-fallback")
async def test_words_alone_need_no_embedder_and_say_so() -> None:
    params = replace(PLAIN, lexical_only=True, now=NOW)
    selection = await service(thought("1", at=NOW), embedder=OneVector(down=True))(params)
    diagnostics = selection.diagnostics
    assert ids(selection) == ["t:1"]
    assert (diagnostics.provider, diagnostics.model, diagnostics.dim) == ("none", "none", 0)
    assert diagnostics.retrieval_provider == "local-fts"
    assert diagnostics.warnings


@pytest.mark.requirement("s4:provider:local-fts", "ruling:A24")
async def test_words_alone_rank_by_recency_too_from_the_instant_given_or_the_clock() -> None:
    rows = (thought("old", at=NOW - timedelta(days=30)), thought("new", at=NOW))
    index = BelievingIndex(hits=tuple(hit(row.id, None, 0.5, at=row.created_at) for row in rows))
    params = RetrieveParams(query="q", provider="local-fts")
    by_clock = await service(*rows, index=index)(params)
    assert [(snippet.id, snippet.score) for snippet in by_clock.snippets] == [("t:new", 0.65), ("t:old", 0.5)]
    later = await service(*rows, index=index)(replace(params, now=NOW + timedelta(days=30)))
    assert [snippet.score for snippet in later.snippets] == [0.5, 0.425]


@pytest.mark.requirement("ruling:A18")
async def test_a_memory_with_scoped_rows_is_not_read_without_a_scope() -> None:
    store = Rows.of(replace(thought("1"), scope=HOME), has_scoped_rows=True)
    scoped = retrieve_over(store, BelievingIndex(hits=(hit("t:1"),)), OneVector())
    with pytest.raises(ScopeRequired):
        await scoped(replace(PLAIN, scope=Scope()))
    assert ids(await scoped(replace(PLAIN, scope=Scope.ALL))) == ["t:1"]
    assert ids(await scoped(replace(PLAIN, scope=Scope(session_id="s1")))) == ["t:1"]
    assert ids(await service(thought("1"))(replace(PLAIN, scope=Scope()))) == ["t:1"]


@pytest.mark.requirement("ruling:C2")
async def test_a_found_relation_shows_inside_its_entity_and_never_by_itself() -> None:
    index = BelievingIndex(hits=(hit("r:1", 0.8),))
    (snippet,) = (await service(ADA, ACME, WORKS, index=index)(PLAIN)).snippets
    assert (snippet.id, snippet.score, snippet.source_type) == ("e:ada", 0.8, "kg_entity")
    assert snippet.text == "Ada (person): my sister; works at → Acme"


@pytest.mark.requirement("promise:6", "ruling:C2")
async def test_a_private_relation_lifts_nothing() -> None:
    index = BelievingIndex(hits=(hit("r:1", 0.8),))
    hidden = await service(ADA, ACME, replace(WORKS, is_private=True), index=index)(PLAIN)
    assert (hidden.snippets, hidden.dropped) == ((), ())


@pytest.mark.requirement("ruling:C19")
async def test_an_edge_that_leads_to_an_entity_is_not_part_of_its_text() -> None:
    named = replace(ACME, description="a firm")
    (snippet,) = (await service(ADA, named, WORKS, index=BelievingIndex(hits=(hit("e:acme"),)))(PLAIN)).snippets
    assert snippet.text == "Acme (organisation): a firm"


@pytest.mark.requirement("s0:test:dim-filter", "s3:dimension:reported")
async def test_rows_of_another_model_are_counted() -> None:
    index = BelievingIndex(hits=(), excluded_other_model=4)
    assert (await service(index=index)(PLAIN)).diagnostics.excluded_other_model == 4
    words = await service(index=index)(replace(PLAIN, lexical_only=True))
    assert words.diagnostics.excluded_other_model == 0


@pytest.mark.requirement("ruling:A2", "ruling:C20", "promise:4")
async def test_evidence_is_graph_rows_best_rank_first_with_relations_as_rows() -> None:
    rows = (thought("1"), observation("1"), ADA, ACME, WORKS)
    index = BelievingIndex(hits=(hit("t:1"), hit("o:1", 0.9, 0.0), hit("e:acme", 0.9), hit("r:1", 0.3, 0.9)))
    asked = EvidenceRequest(query="where does Ada work", superseded=True)
    selection = await service(*rows, index=index).fetch_evidence(asked)
    assert [one.row.id for one in selection.chosen] == ["r:1", "o:1"]
    assert selection.chosen[0].text == "Ada —works at→ Acme: since 2024"
    assert [(one.id, one.reason) for one in selection.dropped] == [("e:acme", "bare_name")]
    assert index.queries[0].limit == 90
    assert selection.diagnostics.latency_ms == 7


@pytest.mark.requirement("ruling:F.6")
async def test_a_note_that_was_corrected_leads_to_the_note_that_holds_today() -> None:
    first = replace(thought("1", "Cone six."), status=RowStatus.SUPERSEDED, superseded_by="t:2")
    between = replace(thought("2", "Cone eight."), status=RowStatus.SUPERSEDED, superseded_by="t:3")
    hidden = replace(thought("4", "Cone four."), status=RowStatus.SUPERSEDED, superseded_by="t:5")
    rows = (first, between, thought("3", "Cone ten."), hidden, replace(thought("5", "Cone two."), is_private=True))
    index = BelievingIndex(hits=(hit("t:1", 0.9), hit("t:4", 0.7)))
    asked = replace(PLAIN, mix=0.0, superseded=True)
    assert set(ids(await service(*rows, index=index)(asked))) == {"t:1", "t:2", "t:3", "t:4"}
    assert "t:3" not in ids(await service(*rows, index=index)(replace(asked, superseded=False)))


@pytest.mark.requirement("reranker:found")
@pytest.mark.parametrize(("top_k", "limit"), [(1, 30), (20, 60)])
async def test_as_many_are_scored_as_a_re_ranker_reads(top_k: int, limit: int) -> None:
    index = BelievingIndex(hits=())
    reranking = replace(service(index=index), rerank=Rerank(made=WordsReranker))
    await reranking(replace(PLAIN, top_k=top_k, rerank=True))
    assert index.queries[0].limit == limit


@pytest.mark.requirement("reranker:found", "ruling:E.10")
async def test_where_time_is_up_nothing_is_read_and_the_answer_says_that_it_is_partial() -> None:
    reranker = WordsReranker()
    reranking = replace(service(thought("1"), thought("2")), rerank=Rerank(made=lambda: reranker))
    late = await reranking(replace(PLAIN, rerank=True), until_ms=0.0)
    assert (reranker.read, late.diagnostics.partial, late.diagnostics.reranked) == ([], True, None)
    assert UNREAD in late.diagnostics.warnings
    in_time = await reranking(replace(PLAIN, rerank=True))
    assert (len(reranker.read), in_time.diagnostics.partial) == (2, False)


@pytest.mark.requirement("reranker:found")
async def test_without_a_re_ranker_nothing_is_searched_for() -> None:
    index = BelievingIndex(hits=())
    with pytest.raises(RerankerUnavailable):
        await service(index=index)(replace(PLAIN, rerank=True))
    assert index.queries == []
    await service(index=index)(PLAIN)
    assert len(index.queries) == 1
