"""The service over the real index and an encoder without a model."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from retrieval_doubles import NOW, Rows, retrieve_over
from retrieval_rows import AT, HOME, entity, observation, relation, thought
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.core.records import Entity, Row, RowStatus, Scope, VectorRow
from voice.core.render.retrieval import render_explain, render_retrieve
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.passages import EvidenceRequest, build_evidence
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.values import RetrieveParams, Selection, Window
from voice.services.retrieval.search import Retrieve

ADA, ACME = entity("ada", "Ada", "my sister, an engineer"), entity("acme", "Acme", entity_type="organisation")
WORKS = relation("works", "ada", "works_at", "acme", "since the spring of 2024")
MEMORY: tuple[Row, ...] = (
    ADA,
    ACME,
    WORKS,
    thought("login", "Fixed the authentication bug in login.py; the token expired too early."),
    thought("ferry", "Took the ferry to the island with Ada and ate far too much."),
    observation("login", "Fixed the authentication bug in login.py; the token expired too early."),
    observation("cpp", "Rewrote the parser in C++ because the old one was slow."),
    observation("port", "昨日、港でログインの問題を直した。", at=AT - timedelta(days=40)),
    replace(
        thought("secret", "The authentication password is hidden under the authentication bug list."), is_private=True
    ),
    replace(thought("said", "In short, the authentication bug is fixed."), pipeline="inner_voice"),
    replace(thought("gone", "The authentication bug was never real."), status=RowStatus.REMOVAL),
)


async def memory(*rows: Row, model: str | None = None) -> tuple[Retrieve, Rows]:
    """Return a service over a memory of `rows`, each embedded as its indexed text."""
    embedder = HashedEmbedder(64)
    names = {row.id: row.name for row in rows if isinstance(row, Entity)}
    data = await embedder.embed([indexed_text(row, names) for row in rows])
    store = Rows.of(*rows)
    store.vectors = {
        row.id: VectorRow(row_id=row.id, model=model or embedder.model, dim=embedder.dim, data=vector)
        for row, vector in zip(rows, data, strict=True)
    }
    index = FoldedIndex(store, None, model=embedder.model, dim=embedder.dim)
    return retrieve_over(store, index, embedder), store


def ask(query: str, **wanted: object) -> RetrieveParams:
    return replace(clean_params(RetrieveRequest(query=query), RetrieveDefaults()), **wanted)


def ids(selection: Selection) -> list[str]:
    return [snippet.id for snippet in selection.snippets]


@pytest.mark.requirement("s0:purpose:structured-only", "s0:nongoal:no-llm", "ruling:A1", "s0:behavior:9")
async def test_a_question_finds_the_thought_and_its_distilled_sentence_once() -> None:
    retrieve, _ = await memory(*MEMORY)
    selection = await retrieve(ask("What was the authentication bug in login.py?", mix=0.5, explain=True))
    best = selection.snippets[0]
    assert (best.id, best.also_in) == ("o:login", ("t:login",))
    assert best.score == best.cosine


@pytest.mark.requirement("promise:6", "ruling:A13", "s0:test:privacy-tags", "s3:test:exclusion")
@pytest.mark.parametrize("provider", ["local-vector", "local-hybrid", "local-fts"])
async def test_what_may_not_be_seen_is_nowhere_in_any_form(provider: str) -> None:
    retrieve, _ = await memory(*MEMORY)
    selection = await retrieve(
        ask("authentication bug", provider=provider, top_k=50, floor=0.0, min_floor=0.0, explain=True)
    )
    everything = json.dumps(render_explain(selection))
    assert not any(hidden in everything for hidden in ("t:secret", "t:said", "t:gone", "password"))
    shown = await retrieve(ask("authentication bug", provider=provider, include_private=True, floor=0.0, min_floor=0.0))
    assert "t:secret" in ids(shown)


@pytest.mark.requirement("ruling:C2", "ruling:C19")
async def test_a_question_for_a_relation_finds_its_entity() -> None:
    retrieve, _ = await memory(*MEMORY)
    selection = await retrieve(ask("Who works at Acme since spring 2024?", mix=1.0))
    assert selection.snippets[0].text == "Ada (person): my sister, an engineer; works at → Acme"
    evidence = await retrieve.fetch_evidence(EvidenceRequest(query="Who works at Acme since spring 2024?"))
    first = build_evidence(evidence, (ADA, ACME))[0]
    assert (first.alias, first.row_id, first.entity_names) == ("S1", "r:works", ("Ada", "Acme"))
    assert first.text == "Ada —works at→ Acme: since the spring of 2024"


@pytest.mark.requirement("ruling:G.1", "ruling:G.2a")
@pytest.mark.parametrize(
    ("query", "found"),
    [("C++", "o:cpp"), ("login.py", "o:login"), ("auth-bug login", "o:login"), ("ログインの問題", "o:port")],
)
@pytest.mark.parametrize("provider", ["local-fts", "local-hybrid"])
async def test_words_of_any_script_are_found(query: str, found: str, provider: str) -> None:
    retrieve, _ = await memory(*MEMORY)
    shown = (await retrieve(ask(query, provider=provider, explain=True))).snippets
    assert found in {row_id for snippet in shown for row_id in (snippet.id, *snippet.also_in)}


@pytest.mark.requirement("s3:sql:window", "s4:test:scoping")
async def test_window_and_scope_bind_every_source() -> None:
    retrieve, _ = await memory(*MEMORY, replace(observation("mine", "A bug of mine."), scope=HOME))
    early = await retrieve(ask("bug ログイン", window=Window(end=AT), provider="local-fts"))
    assert ids(early) == ["o:port"]
    assert ids(await retrieve(ask("a bug", scope=HOME, floor=0.0, min_floor=0.0))) == ["o:mine"]
    assert ids(await retrieve(ask("a bug", scope=Scope(session_id="s2"), floor=0.0, min_floor=0.0))) == []


@pytest.mark.requirement("promise:8", "s4:determinism", "ruling:C9")
async def test_two_memories_with_the_same_rows_answer_byte_for_byte_alike() -> None:
    one, _ = await memory(*MEMORY)
    other, _ = await memory(*reversed(MEMORY))
    for provider in ("local-vector", "local-hybrid", "local-fts"):
        asked = ask(
            "the authentication bug on the ferry", provider=provider, now=NOW, floor=0.0, min_floor=0.0, explain=True
        )
        forms = [json.dumps(render_explain(await retrieve(asked))) for retrieve in (one, other, one)]
        assert len(set(forms)) == 1


async def test_a_row_written_after_the_first_search_is_found_by_the_next() -> None:
    retrieve, store = await memory(*MEMORY)
    assert "o:new" not in ids(await retrieve(ask("penguins", provider="local-hybrid")))
    store.add(observation("new", "Saw penguins at the zoo."))
    assert "o:new" in ids(await retrieve(ask("penguins", provider="local-hybrid")))


@pytest.mark.requirement("ruling:C1")
async def test_the_one_relevant_row_is_found_although_it_came_last_of_thousands() -> None:
    filler = [observation(f"{n:05}", f"Number {n} of the inventory was counted and put back.") for n in range(2_000)]
    retrieve, _ = await memory(*filler, observation("last", "The lighthouse keeper retired to Lisbon."))
    for provider in ("local-vector", "local-hybrid", "local-fts"):
        assert ids(await retrieve(ask("lighthouse keeper Lisbon", provider=provider)))[0] == "o:last"


@pytest.mark.requirement("s0:behavior:7", "ruling:C13")
async def test_a_long_thought_is_cut_and_its_span_is_exact() -> None:
    long = "The ferry left the island on time. " * 60
    retrieve, _ = await memory(thought("long", long))
    (form,) = render_retrieve(await retrieve(ask("ferry island")))["snippets"]
    assert form["text"] == long[form["span_start"] : form["span_end"]]
    assert 600 <= len(form["text"]) <= 800
