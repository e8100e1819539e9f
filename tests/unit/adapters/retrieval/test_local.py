"""What an encoder gives back is checked before it is searched with: the fault is its own, not the asker's.

A question that a turn looks up more than once is encoded once.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from change_feed import ALL_TABLES, DIM, MODEL, ChangeFeed, packed, thought
from retrieval_doubles import OneVector
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.adapters.retrieval.local import LocalHybrid, LocalVector
from voice.adapters.retrieval.registry import RecentVectors
from voice.core.errors import EmbedderUnavailable
from voice.ports.retrieval_provider import ProviderQuery


class Sends(OneVector):
    """Sends one vector, whatever it is asked."""

    def __init__(self, vector: bytes) -> None:
        super().__init__(model=MODEL, dim=DIM)
        self._vector = vector

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vector for _ in texts]


@pytest.mark.requirement("promise:5")
@pytest.mark.parametrize("kind", [LocalHybrid, LocalVector])
@pytest.mark.parametrize("number", [0.0, float("nan"), float("inf"), float("-inf")])
async def test_a_vector_without_direction_is_the_encoders_fault(
    kind: type[LocalHybrid | LocalVector], number: float
) -> None:
    feed = ChangeFeed()
    await feed.put(thought("a", "a note"))
    index = FoldedIndex(feed, None, model=MODEL, dim=DIM)
    provider = kind(index=index, embedder=Sends(packed(number, 0, 0, 0)))
    query = ProviderQuery(text="note", filter=ALL_TABLES, limit=3, now=datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(EmbedderUnavailable, match="without direction"):
        await provider.search(query)


class Counted(HashedEmbedder):
    """Notes what it was asked, and fails on demand."""

    def __init__(self, *, fails: int = 0) -> None:
        super().__init__(dim=16)
        self.asked: list[Sequence[str]] = []
        self.fails = fails

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.asked.append(texts)
        if len(self.asked) <= self.fails:
            raise EmbedderUnavailable("down")
        return await super().embed(texts)


class Silent(Counted):
    """Sends back nothing."""

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.asked.append(texts)
        return []


@pytest.mark.requirement("ruling:C17")
async def test_the_same_question_is_encoded_once_and_gets_the_same_vector() -> None:
    encoder = Counted()
    recent = RecentVectors(encoder)
    first = [await recent.embed([text]) for text in ("Where is the boat?", "Who is Irma?", "Where is the boat?")]
    assert first[0] == first[2] == await HashedEmbedder(dim=16).embed(["Where is the boat?"])
    assert encoder.asked == [["Where is the boat?"], ["Who is Irma?"]]


@pytest.mark.requirement("ruling:C17")
async def test_what_was_asked_long_ago_is_encoded_again_and_what_was_asked_lately_is_not() -> None:
    encoder = Counted()
    recent = RecentVectors(encoder)
    questions = [f"question {number}" for number in range(16)]
    for text in [*questions, "question 0", "one more"]:
        await recent.embed([text])
    encoder.asked.clear()
    await recent.embed(["question 0"])
    assert encoder.asked == []
    await recent.embed(["question 1"])
    assert encoder.asked == [["question 1"]]


@pytest.mark.requirement("ruling:C17")
async def test_several_texts_and_a_failure_are_not_kept() -> None:
    encoder = Counted(fails=1)
    recent = RecentVectors(encoder)
    with pytest.raises(EmbedderUnavailable):
        await recent.embed(["a"])
    assert await recent.embed(["a", "b"]) == await HashedEmbedder(dim=16).embed(["a", "b"])
    await recent.embed(["a"])
    assert encoder.asked == [["a"], ["a", "b"], ["a"]]


@pytest.mark.requirement("ruling:C17")
async def test_an_encoder_that_sends_back_nothing_is_told_on_and_asked_again() -> None:
    encoder = Silent()
    recent = RecentVectors(encoder)
    assert [await recent.embed(["a"]), await recent.embed(["a"])] == [[], []]
    assert encoder.asked == [["a"], ["a"]]
