"""What an encoder gives back is checked before it is searched with: the fault is its own, not the asker's."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from change_feed import ALL_TABLES, DIM, MODEL, ChangeFeed, packed, thought
from retrieval_doubles import OneVector
from voice.adapters.index.index import FoldedIndex
from voice.adapters.retrieval import LocalHybrid, LocalVector
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
    with pytest.raises(EmbedderUnavailable, match="zero or not finite"):
        await provider.search(query)
