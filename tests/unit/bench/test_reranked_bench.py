"""The arm of the benchmark that a re-ranker orders."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.corpus import Corpus, Question
from bench.reranked import Reranking
from bench.retrieval import index_corpus

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.core.records import Origin, Thought
from voice.core.retrieval.ranking import DEFAULT_PROFILE
from words_reranker import WordsReranker

pytestmark = pytest.mark.requirement("reranker:found")
ASKED = Question(text="What does the kiln need?", category="1", evidence=frozenset({"t:3"}))


def said(key: str, text: str) -> Thought:
    at = datetime(2026, 1, 1, int(key), tzinfo=UTC)
    return Thought(id=f"t:{key}", created_at=at, recorded_at=at, origin=Origin.LOGGED, content=text, kind="message")


CORPUS = Corpus(
    name="small",
    rows=tuple(
        said(str(number), text)
        for number, text in enumerate(["The kiln?", "What, the kiln?", "What does it need?", "Kiln bricks need doing."])
    ),
    questions=(ASKED,),
)


async def test_what_the_re_ranker_prefers_ranks_first_and_each_pair_is_read_once(tmp_path: Path) -> None:
    reranker = WordsReranker()
    reranking = Reranking(reranker=reranker, weight=100.0, cache=tmp_path)
    indexed = await index_corpus(CORPUS, HashedEmbedder(16))
    (first,) = await reranking.scores(indexed, DEFAULT_PROFILE)
    read = len(reranker.read)
    (again,) = await reranking.scores(indexed, DEFAULT_PROFILE)
    assert first == again
    assert first.ndcg == 1.0
    assert (read, len(reranker.read), len(reranking.timings.ms)) == (4, 4, 1)


async def test_only_the_best_are_read_and_without_weight_the_order_is_as_it_was() -> None:
    reranker = WordsReranker()
    indexed = await index_corpus(CORPUS, HashedEmbedder(16))
    (plain,) = await Reranking(reranker=reranker, best=2, weight=0.0).scores(indexed, DEFAULT_PROFILE)
    assert len(reranker.read) == 2
    (raised,) = await Reranking(reranker=reranker, weight=100.0).scores(indexed, DEFAULT_PROFILE)
    assert raised.ndcg >= plain.ndcg
