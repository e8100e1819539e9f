"""Vectors of another model or dimension are never compared: a whole memory that changes its encoder."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from played_turns import FERRY, FIRED, GLAZE, MOVED, ON_DISK, given, memory, tell
from voice.adapters.embedding.hashed import HashedEmbedder
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
