"""What stands in the members of a snippet, checked against what was stored and computed again from nothing.

What a question of time, order and number finds are S0's snippets (ruling A16).
What `limit` lets in beyond S0's fifty is valid against what every door publishes.
S3's `limit` and `order` as parameters of retrieval.
"""

import importlib
import json
import pkgutil
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from blake3 import blake3
from jsonschema import Draft202012Validator
from mcp import Client

import voice.core
from cli_runner import SCHEMAS, SETTINGS, run_command
from mcp_talk import remembering
from mcp_talk import told as told_by_tool
from played_turns import FIRED, GLAZE, KILN, MOVED, ask, grounded, later, memory, tell
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Services
from voice.core.errors import InvalidParams
from voice.core.records import Observation, Origin, Thought
from voice.core.render.retrieval import SnippetForm, render_retrieve
from voice.core.render.turn_json import nlq_json
from voice.core.retrieval.indexed_text import indexed_text
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.values import Snippet
from voice.core.text.instants import render_instant
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.server import make_server
from voice.services.graph.editor import Backing
from voice.services.memory.ingest_values import NewThought
from web_door import door
from web_door import told as told_over_http

LONG = "  ".join(f"On day {n} the ferry to Armona left the old pier a little late." for n in range(60))
"""Longer than a snippet may be, without a line break, with runs of spaces that a span must keep."""


async def snippets(services: Services, query: str, **wanted: object) -> list[SnippetForm]:
    request = RetrieveRequest(query=query, floor=0.0, **wanted)  # pyright: ignore[reportArgumentType]
    return render_retrieve(await services.find(request))["snippets"]


async def full_text(services: Services, row_id: str) -> str:
    row = (await services.store.fetch([row_id]))[row_id]
    return row.content if isinstance(row, Thought) else cast("Observation", row).text


@pytest.mark.requirement("s0:output:text", "s0:behavior:7", "ruling:C13", "s0:test:text-cap")
async def test_the_text_is_the_row_cut_at_a_sentence_and_the_span_says_where(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await tell(services, LONG, MOVED)
        found = await snippets(services, "the ferry to Armona left the pier", mix=0.0)
        by_text = {each["text"]: await full_text(services, each["id"]) for each in found}
    cut, whole = found
    assert by_text[cut["text"]] == LONG
    assert 600 <= len(cut["text"]) <= 800
    assert cut["text"] == LONG[cut["span_start"] : cut["span_end"]]
    assert cut["text"].endswith("late.")
    assert (whole["text"], whole["span_start"], whole["span_end"]) == (MOVED, 0, len(MOVED))


@pytest.mark.requirement("s0:output:span_start", "s0:output:span_end", "ruling:C13", "ruling:C19")
async def test_spans_of_every_kind_of_row_are_offsets_into_its_full_text(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await tell(services, *KILN, LONG)
        await services.graph_editor.add_entity(
            "Kiln", entity_type="tool", description="an electric kiln for bowls. " * 40, aliases=(), backing=Backing()
        )
        found = await snippets(services, "the electric kiln for the bowls", top_k=50)
    assert {each["source_type"] for each in found} == {"thought", "kg_observation", "kg_entity"}
    for each in found:
        assert (each["span_start"], each["span_end"]) == (0, len(each["text"]))


@pytest.mark.requirement("s0:output:score", "ruling:C20", "s0:behavior:8")
@pytest.mark.parametrize("provider", ["local-vector", "local-hybrid"])
async def test_the_score_is_the_cosine_of_the_two_vectors(tmp_path: Path, provider: str) -> None:
    embedder = HashedEmbedder(128)
    query = "blue glaze for the bowls"

    async def vector(text: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        return np.frombuffer((await embedder.embed([text]))[0], dtype="<f4").astype(np.float64)

    async with memory(tmp_path, embedder=embedder) as services:
        await tell(services, *KILN)
        found = await snippets(services, query, provider=provider, top_k=50)
        rows = await services.store.fetch([each["id"] for each in found])
    asked = await vector(query)
    cosines = {row_id: float(asked @ await vector(indexed_text(row, {}))) for row_id, row in rows.items()}
    assert len(found) > 2
    for each in found:
        assert each["score"] == pytest.approx(cosines[each["id"]], abs=2e-6)
    scores = [each["score"] for each in found]
    assert provider == "local-hybrid" or scores == sorted(scores, reverse=True)
    assert found[0]["text"] == GLAZE


@pytest.mark.requirement("s0:output:content_hash", "ruling:A10", "ruling:A11")
async def test_the_hash_is_of_the_whole_text_and_not_of_what_is_shown(tmp_path: Path) -> None:
    other_end = f"{LONG}  And then the service was closed for good."
    async with memory(tmp_path) as services:
        await tell(services, LONG, other_end, FIRED.upper())
        found = await snippets(services, "the ferry to Armona left the old pier", mix=0.0)
        texts = [await full_text(services, each["id"]) for each in found]
    assert len(found) == 3
    for each, text in zip(found, texts, strict=True):
        assert each["content_hash"] == blake3(" ".join(text.lower().split()).encode()).hexdigest()
    long = [each for each in found if each["text"].startswith("On day 0")]
    assert long[0]["text"] == long[1]["text"]
    assert long[0]["content_hash"] != long[1]["content_hash"]


S3 = {"id", "created_at", "score"}
"""The members of a source in spec nlq 10."""


@pytest.mark.requirement("ruling:A16", "ruling:A22", "s3:api:when", "s3:api:limit", "s3:api:order")
async def test_when_limit_and_order_bring_s0s_snippets_with_s3s_members_inside(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        for days, text in enumerate(KILN):
            await tell(services, text, created_at=later(days=-days))
        found = await services.find(
            RetrieveRequest(query="kiln", floor=0.0, when="the last 3 days", limit=60, order="created_at_asc")
        )
    answer = render_retrieve(found)
    schema = json.loads((SCHEMAS / "retrieve.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(answer)  # pyright: ignore[reportUnknownMemberType] - stubs leave it open
    assert answer["snippets"]
    assert all(each.keys() == SnippetForm.__required_keys__ >= S3 for each in answer["snippets"])
    assert all(type(each) is Snippet for each in found.snippets)
    dates = [each["created_at"] or "" for each in answer["snippets"]]
    assert dates == sorted(dates)
    assert dates[0] >= "2026-03-17"


@pytest.mark.requirement("ruling:A16", "s3:api:response")
async def test_the_sources_of_a_short_answer_are_among_the_snippets_of_its_turn(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN)
        turn = await ask(services, shape="nlq")
    assert turn.selection is not None
    assert all(type(each) is Snippet for each in turn.selection.snippets)
    known = {each.id: render_instant(each.created_at) for each in turn.selection.snippets}
    sources = cast("list[dict[str, object]]", nlq_json(turn.exchange)["sources"])
    assert sources
    assert all(source.keys() == S3 and known[str(source["id"])] == source["created_at"] for source in sources)


@pytest.mark.requirement("ruling:A16")
def test_there_is_one_snippet_type_in_the_program() -> None:
    wanted = {"text", "score", "content_hash", "span_start", "span_end"}
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(voice.core.__path__, "voice.core.")
    ]
    types = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    alike = [each for each in types if is_dataclass(each) and {one.name for one in fields(each)} >= wanted]
    assert alike == [Snippet]


ASKED = {"query": "kiln", "limit": 100, "floor": 0, "mix": 0}
NOTES = [
    NewThought(content=f"The kiln was fired for load number {at} of the year.", origin=Origin.HUMAN) for at in range(70)
]


async def _fill(memory: Voice) -> None:
    await memory.services.ingest.remember(NOTES)


def _returned(found: object) -> int:
    answer = cast("dict[str, dict[str, int]]", found)
    assert answer["diagnostics"]["k_ret"] == len(answer["snippets"])
    return answer["diagnostics"]["k_ret"]


@pytest.mark.requirement("mcp:limit-over-fifty", "mcp:exact", "ruling:A22")
async def test_over_mcp(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        await _fill(memory)
        found = told_by_tool(await client.call_tool("inner_voice_retrieve", ASKED), "inner_voice_retrieve")
    assert _returned(found) == len(KILN) + len(NOTES)


@pytest.mark.requirement("mcp:limit-over-fifty", "http:operations")
async def test_over_http(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await _fill(at.memory)
        found = await told_over_http(at, "POST", "/retrieve", json=ASKED)
        explained = await told_over_http(at, "POST", "/retrieve", json={**ASKED, "explain": True})
    assert _returned(found) == len(NOTES)
    assert _returned(explained) == len(NOTES)


@pytest.mark.requirement("mcp:limit-over-fifty")
@pytest.mark.parametrize("form", ["retrieve", "retrieve-explain"])
def test_as_json_of_the_command(tmp_path: Path, form: str) -> None:
    home = tmp_path / "memory"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    lines = "".join(json.dumps({"type": "thought", "content": note.content}) + "\n" for note in NOTES)
    kept = run_command("import", "-", "--format", "jsonl", home=home, stdin=lines.encode())
    assert kept.code == 0, kept
    explain = ["--explain"] if form == "retrieve-explain" else []
    asked = ["retrieve", "kiln", "--limit", "100", "--floor", "0", "--mix", "0", "--json", *explain]
    found = json.loads(run_command(*asked, home=home).out)
    schema = json.loads((SCHEMAS / f"{form}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(found)  # pyright: ignore[reportUnknownMemberType] - stubs leave it open
    assert _returned(found) == len(NOTES)


@pytest.mark.requirement("s3:sql:limit", "s3:api:limit", "s3:sql:order", "s3:api:order", "ruling:A22", "ruling:A24")
async def test_a_retrieval_takes_a_limit_and_an_order(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        for days, text in enumerate(KILN):
            await tell(services, text, created_at=later(days=-days))
        request = RetrieveRequest(query="kiln", floor=0.0, limit=60, order="created_at_asc")
        wide = await services.find(request)
        few = await services.find(RetrieveRequest(query="kiln", floor=0.0, limit=2))
        most = await services.find(RetrieveRequest(query="kiln", floor=0.0, limit=1000))
        with pytest.raises(InvalidParams, match="top_k and limit"):
            await services.find(RetrieveRequest(query="kiln", limit=2, top_k=3))
    dates = [snippet.created_at for snippet in wide.snippets]
    assert dates == sorted(dates)
    assert (wide.diagnostics.k_req, few.diagnostics.k_req, len(few.snippets)) == (60, 2, 2)
    assert most.diagnostics.k_req == 100
    assert "limit 1000" in most.diagnostics.warnings[0]
