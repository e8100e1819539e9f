"""Vectors of another model or dimension are never compared: a whole memory that changes its encoder."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from played_turns import FERRY, FIRED, GLAZE, KILN, MOVED, ON_DISK, ask, given, grounded, memory, tell
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.embedding.litellm_embeddings import LiteLlmEmbedder
from voice.adapters.system.clock_and_ids import CountingIds
from voice.bootstrap import Services
from voice.core.render.retrieval import render_explain
from voice.core.retrieval.params import RetrieveRequest
from voice.ports.llm import LlmClient
from voice.ports.search_index import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A memory on disk that can be opened with one encoder after another; ids never start again."""

    path: Path
    ids: CountingIds = field(default_factory=CountingIds)

    def opened(self, embedder: Embedder, llm: LlmClient | None = None) -> AbstractAsyncContextManager[Services]:
        return memory(self.path, llm, settings=given(store=ON_DISK), embedder=embedder, ids=self.ids)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(path=tmp_path)


def encoder(model: str = "one", dim: int = 64) -> HashedEmbedder:
    made = HashedEmbedder(dim)
    made.model = model
    return made


OTHERS = [encoder("two", 64), encoder("one", 96), encoder("two", 96)]
NAMES = ["another model of the same size", "the same name in another size", "another model and size"]


async def found(services: Services, query: str, **wanted: object) -> dict[str, Any]:
    return render_explain(await services.find(replace(RetrieveRequest(query=query, floor=0.0), **wanted)))


async def stamps(services: Services) -> set[tuple[str, int]]:
    changes = await services.store.changes(0, 100)
    return {(change.vector.model, change.vector.dim) for change in changes if change.vector is not None}


@pytest.mark.requirement(
    "promise:5", "s0:constraint:dim-safety", "s2:dimension:dim", "s2:dimension:provider", "s2:guarantee:2", "s3:rule:3",
    "s0:test:dim-filter",
)  # fmt: skip
@pytest.mark.parametrize("other", OTHERS, ids=NAMES)
async def test_rows_of_another_encoder_have_no_cosine_and_are_counted(home: Home, other: HashedEmbedder) -> None:
    async with home.opened(encoder()) as services:
        await tell(services, MOVED, FIRED)
        assert [each["text"] for each in (await found(services, MOVED))["snippets"]] == [MOVED, FIRED]
    async with home.opened(other) as services:
        words = await found(services, MOVED)
        await tell(services, GLAZE, FERRY)
        mixed = await found(services, MOVED, top_k=50)
        by_words = await found(services, MOVED, provider="local-hybrid")
    assert (words["snippets"][0]["text"], words["diagnostics"]["excluded_other_model"]) == (MOVED, 4)
    assert {each["cosine"] for each in words["snippets"]} == {None}
    assert {each["text"] for each in mixed["snippets"]} == {GLAZE, FERRY}
    assert mixed["diagnostics"]["excluded_other_model"] == 4
    moved = next(each for each in by_words["snippets"] if each["text"] == MOVED)
    assert (moved["cosine"], moved["lexical"] > 0) == (None, True)
    async with home.opened(encoder()) as services:
        again = await found(services, MOVED)
    assert [each["text"] for each in again["snippets"]] == [MOVED, FIRED]
    assert again["diagnostics"]["excluded_other_model"] == 4


@pytest.mark.requirement("s0:constraint:dim-safety", "s2:guarantee:2")
async def test_a_row_out_of_reach_changes_no_score_of_another(home: Home) -> None:
    async with home.opened(encoder("old")) as services:
        await tell(services, MOVED, FIRED)
    async with home.opened(encoder("new")) as services:
        await tell(services, GLAZE)
        (among,) = (await found(services, GLAZE))["snippets"]
    async with Home(path=home.path / "alone").opened(encoder("new")) as services:
        await tell(services, GLAZE)
        (alone,) = (await found(services, GLAZE))["snippets"]
    assert (among["text"], among["score"]) == (alone["text"], alone["score"])


@pytest.mark.requirement("s2:dimension:stamp", "ruling:B4")
async def test_every_vector_says_its_model_and_dimension(home: Home) -> None:
    async with home.opened(encoder("one", 64)) as services:
        await tell(services, *KILN)
        assert await stamps(services) == {("one", 64)}
    async with home.opened(encoder("two", 97)) as services:
        await tell(services, "Jonas sold the old wheel.")
        changes = await services.store.changes(0, 100)
    vectors = [change.vector for change in changes if change.vector is not None]
    assert len(vectors) == len(changes)
    assert {(each.model, each.dim) for each in vectors} == {("one", 64), ("two", 97)}
    assert all(len(np.frombuffer(each.data, dtype="<f4")) == each.dim for each in vectors)


@pytest.mark.requirement("s2:guarantee:2", "promise:5")
async def test_a_turn_compares_only_what_can_be_compared(home: Home) -> None:
    async with home.opened(encoder("old")) as services:
        await tell(services, *KILN)
    async with home.opened(encoder("new"), grounded()) as services:
        turn = await ask(services)
    assert turn.selection is not None
    assert turn.selection.diagnostics.excluded_other_model > 0
    assert {candidate.cosine for candidate in turn.selection.chosen} <= {None}


@pytest.mark.requirement("s2:dimension:provider")
async def test_one_models_name_at_two_providers_is_two_models() -> None:
    here, there = (LiteLlmEmbedder(model=f"{vendor}/embed-3", dim=8) for vendor in ("openai", "voyage"))
    assert here.model != there.model
    assert (here.provider, there.provider) == ("openai", "voyage")
