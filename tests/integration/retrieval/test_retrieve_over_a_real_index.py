"""The service over the real index and an encoder without a model."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from retrieval_doubles import NOW, Rows, retrieve_over
from retrieval_rows import AT, entity, observation, relation, thought
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.core.records import Entity, Row, RowStatus, VectorRow
from voice.core.render.retrieval import render_explain
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.values import RetrieveParams, Selection
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


async def memory(*rows: Row) -> Retrieve:
    """Return a service over a memory of `rows`, each embedded as its indexed text."""
    embedder = HashedEmbedder(64)
    names = {row.id: row.name for row in rows if isinstance(row, Entity)}
    data = await embedder.embed([indexed_text(row, names) for row in rows])
    store = Rows.of(*rows)
    store.vectors = {
        row.id: VectorRow(row_id=row.id, model=embedder.model, dim=embedder.dim, data=vector)
        for row, vector in zip(rows, data, strict=True)
    }
    index = FoldedIndex(store, None, model=embedder.model, dim=embedder.dim)
    return retrieve_over(store, index, embedder)


def ask(query: str, **wanted: object) -> RetrieveParams:
    return replace(clean_params(RetrieveRequest(query=query), RetrieveDefaults()), **wanted)


def ids(selection: Selection) -> list[str]:
    return [snippet.id for snippet in selection.snippets]


@pytest.mark.requirement("s0:purpose:structured-only", "s0:nongoal:no-llm", "ruling:A1", "s0:behavior:9")
async def test_a_question_finds_the_thought_and_its_distilled_sentence_once() -> None:
    retrieve = await memory(*MEMORY)
    selection = await retrieve(ask("What was the authentication bug in login.py?", mix=0.5, explain=True))
    best = selection.snippets[0]
    assert (best.id, best.also_in) == ("o:login", ("t:login",))
    assert best.score == best.cosine


@pytest.mark.requirement("promise:6", "ruling:A13", "s0:test:privacy-tags", "s3:test:exclusion")
@pytest.mark.parametrize("provider", ["local-vector", "local-hybrid", "local-fts"])
async def test_what_may_not_be_seen_is_nowhere_in_any_form(provider: str) -> None:
    retrieve = await memory(*MEMORY)
    selection = await retrieve(
        ask("authentication bug", provider=provider, top_k=50, floor=0.0, min_floor=0.0, explain=True)
    )
    everything = json.dumps(render_explain(selection))
    assert not any(hidden in everything for hidden in ("t:secret", "t:said", "t:gone", "password"))
    shown = await retrieve(ask("authentication bug", provider=provider, include_private=True, floor=0.0, min_floor=0.0))
    assert "t:secret" in ids(shown)


@pytest.mark.requirement("promise:8", "s4:determinism", "ruling:C9")
async def test_two_memories_with_the_same_rows_answer_byte_for_byte_alike() -> None:
    one = await memory(*MEMORY)
    other = await memory(*reversed(MEMORY))
    for provider in ("local-vector", "local-hybrid", "local-fts"):
        asked = ask(
            "the authentication bug on the ferry", provider=provider, now=NOW, floor=0.0, min_floor=0.0, explain=True
        )
        forms = [json.dumps(render_explain(await retrieve(asked))) for retrieve in (one, other, one)]
        assert len(set(forms)) == 1
