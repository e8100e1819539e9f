"""A question that a turn looks up more than once is encoded once."""

from collections.abc import Sequence

import pytest

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.retrieval import RecentVectors
from voice.core.errors import EmbedderUnavailable

pytestmark = pytest.mark.requirement("ruling:C17")


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


async def test_the_same_question_is_encoded_once_and_gets_the_same_vector() -> None:
    encoder = Counted()
    recent = RecentVectors(encoder)
    first = [await recent.embed([text]) for text in ("Where is the boat?", "Who is Irma?", "Where is the boat?")]
    assert first[0] == first[2] == await HashedEmbedder(dim=16).embed(["Where is the boat?"])
    assert encoder.asked == [["Where is the boat?"], ["Who is Irma?"]]


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


async def test_several_texts_and_a_failure_are_not_kept() -> None:
    encoder = Counted(fails=1)
    recent = RecentVectors(encoder)
    with pytest.raises(EmbedderUnavailable):
        await recent.embed(["a"])
    assert await recent.embed(["a", "b"]) == await HashedEmbedder(dim=16).embed(["a", "b"])
    await recent.embed(["a"])
    assert encoder.asked == [["a"], ["a", "b"], ["a"]]


async def test_an_encoder_that_sends_back_nothing_is_told_on_and_asked_again() -> None:
    encoder = Silent()
    recent = RecentVectors(encoder)
    assert [await recent.embed(["a"]), await recent.embed(["a"])] == [[], []]
    assert encoder.asked == [["a"], ["a"]]
