"""`retrieve` and `recall` let a re-ranker order what was found where that is asked for."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

from mcp_talk import ON, PARTS, remembering
from voice.core.errors import ConfigurationError
from voice.entrypoints.library import Voice
from words_reranker import WordsReranker

pytestmark = pytest.mark.requirement("reranker:found")
QUERY = "Where is the boat?"
NEAR = "The boat is where the boat is."
ANSWER = "It lies in Porto, near the boat yard."


@dataclass
class KnowsPorto(WordsReranker):
    """Scores high what says Porto, and low what does not."""

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.read += passages
        return [9.0 if "Porto" in each else -11.0 for each in passages]


@asynccontextmanager
async def boats(home: Path, reranker: WordsReranker | None) -> AsyncGenerator[Voice]:
    async with remembering(home, ON, parts=replace(PARTS, reranker=reranker)) as memory:
        await memory.remember(NEAR)
        await memory.remember(ANSWER)
        yield memory


def texts(found: object) -> list[str]:
    form = cast("dict[str, list[dict[str, object]]]", found)
    if "snippets" in form:
        return [str(one["text"]) for one in form["snippets"]]
    return [str(cast("dict[str, object]", one["entity"])["content"]) for one in form["candidates"]]


async def test_what_answers_comes_first_and_every_score_is_the_cosine_it_was(tmp_path: Path) -> None:
    async with boats(tmp_path, KnowsPorto()) as memory:
        plain = await memory.explain(QUERY, floor=0.0, provider="local-hybrid")
        reranked = await memory.explain(QUERY, floor=0.0, rerank=True)
    assert (texts(plain)[0], texts(reranked)[0]) == (NEAR, ANSWER)
    scores = {one["id"]: one["score"] for one in plain["snippets"]}
    assert {one["id"]: one["score"] for one in reranked["snippets"]} == scores
    assert "reranked" not in plain["diagnostics"]
    assert reranked["diagnostics"].get("reranked") == {"name": "words", "version": "1", "rows": len(scores)}


@pytest.mark.parametrize("asked", [Voice.retrieve, Voice.recall])
async def test_a_remote_one_sees_no_private_row_without_consent(
    tmp_path: Path, asked: Callable[..., Awaitable[object]]
) -> None:
    reranker = KnowsPorto(remote=True)
    async with boats(tmp_path, reranker) as memory:
        await memory.remember("The boat is sold.", is_private=True)
        with pytest.raises(ConfigurationError, match="SURR_ALLOW_PRIVATE_REMOTE=1"):
            await asked(memory, QUERY, rerank=True, include_private=True)
        assert reranker.read == []
        await asked(memory, QUERY, rerank=True)
    assert reranker.read
    assert not any("sold" in each for each in reranker.read)
