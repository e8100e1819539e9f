"""What stands in the members of a snippet, checked against what was stored and computed again from nothing."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from blake3 import blake3

from played_turns import FIRED, GLAZE, KILN, MOVED, know, memory
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Services
from voice.core.records import Observation, Thought
from voice.core.render.retrieval import render_retrieve
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.searchable_text import indexed_text

LONG = "  ".join(f"On day {n} the ferry to Armona left the old pier a little late." for n in range(60))
"""Longer than a snippet may be, without a line break, with runs of spaces that a span must keep."""


async def snippets(services: Services, query: str, **wanted: object) -> list[dict[str, Any]]:
    request = RetrieveRequest(query=query, floor=0.0, **wanted)  # pyright: ignore[reportArgumentType]
    return render_retrieve(await services.find(request))["snippets"]


async def full_text(services: Services, row_id: str) -> str:
    row = (await services.store.fetch([row_id]))[row_id]
    return row.content if isinstance(row, Thought) else cast("Observation", row).text


@pytest.mark.requirement("s0:output:text", "s0:behavior:7", "ruling:C13", "s0:test:text-cap")
async def test_the_text_is_the_row_cut_at_a_sentence_and_the_span_says_where(tmp_path: Path) -> None:
    async with memory(tmp_path, told=(LONG, MOVED)) as services:
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
    async with memory(tmp_path, told=(*KILN, LONG)) as services:
        await know(services, "Kiln", "tool", "an electric kiln for bowls. " * 40)
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

    async with memory(tmp_path, embedder=embedder, told=KILN) as services:
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
    async with memory(tmp_path, told=(LONG, other_end, FIRED.upper())) as services:
        found = await snippets(services, "the ferry to Armona left the old pier", mix=0.0)
        texts = [await full_text(services, each["id"]) for each in found]
    assert len(found) == 3
    for each, text in zip(found, texts, strict=True):
        assert each["content_hash"] == blake3(" ".join(text.lower().split()).encode()).hexdigest()
    long = [each for each in found if each["text"].startswith("On day 0")]
    assert long[0]["text"] == long[1]["text"]
    assert long[0]["content_hash"] != long[1]["content_hash"]
