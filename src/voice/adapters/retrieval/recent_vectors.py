"""The vectors of the texts that were asked for last, kept so that a turn encodes its question once.

Law: only a text that stands alone is kept: a question. An embedder gives the same text the same bytes
(`voice.ports.embedder`), so what is kept is what it would answer again; a failure is not kept.
"""

from collections.abc import Sequence
from typing import Final

from voice.ports.embedder import Embedder

_KEPT: Final = 16
"""Questions: a turn looks for its own, for the one it follows, and for what either says without its time."""


class RecentVectors:
    """An embedder that answers what it was asked a moment ago from memory."""

    def __init__(self, embedder: Embedder) -> None:
        """Keep nothing yet.

        Args:
            embedder: who encodes what is not kept.
        """
        self._embedder = embedder
        self._kept: dict[str, bytes] = {}
        self.provider, self.model, self.dim = embedder.provider, embedder.model, embedder.dim

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text; see `Embedder.embed`."""
        if len(texts) != 1:
            return await self._embedder.embed(texts)
        (text,) = texts
        vector = self._kept.pop(text, None)
        if vector is None:
            vectors = await self._embedder.embed(texts)
            if len(vectors) != 1:
                return vectors
            vector = vectors[0]
        self._kept[text] = vector
        if len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]
        return [vector]
