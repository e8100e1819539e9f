"""The encoder, which turns text into vectors."""

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """A sentence encoder with a fixed model and dimension.

    Guarantees: the same text gives the same bytes; vectors have length 1 (up to float error) and are never zero; the
    order of results is the order of texts; nothing is fetched from a network unless the adapter's name says so.
    """

    @property
    def provider(self) -> str:
        """Who computes it, e.g. `local` or `openai`."""
        ...

    @property
    def model(self) -> str:
        """The model's name; vectors of different models are never compared (promise 5)."""
        ...

    @property
    def dim(self) -> int:
        """Numbers per vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one little-endian float32 vector per text, `4 * dim` bytes each.

        Raises:
            EmbedderUnavailable: the encoder failed; there is no fallback (ruling C17).
        """
        ...
