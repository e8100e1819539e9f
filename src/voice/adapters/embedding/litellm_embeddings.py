"""Vectors from a provider, through litellm: explicit, networked, never a fallback.

Law: what comes back is checked before it is believed: one vector per text, in order, of the promised dimension, finite
and not zero. Lengths are made 1 here. No error carries a text or a key.

Source: DESIGN 7; promises 5, 6 and 10; rulings C17, D24.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, cast

import anyio.to_thread
import numpy as np

from voice.adapters.litellm_setup import load_litellm
from voice.core.errors import ConfigurationError, EmbedderUnavailable

_TEXTS_PER_CALL: Final = 64
_TIMEOUT_S: Final = 60.0


class _Reply(Protocol):
    """litellm's `EmbeddingResponse`."""

    data: list[Mapping[str, object]]


class LiteLlmEmbedder:
    """Embeddings of `model` (litellm's spelling, e.g. `openai/text-embedding-3-small`)."""

    def __init__(self, *, model: str, dim: int, api_key: str | None = None, api_base: str | None = None) -> None:
        if dim <= 0:
            raise ConfigurationError("the embedding dimension must be a positive number")
        self.provider = model.partition("/")[0] if "/" in model else "openai"  # litellm's own rule
        self.model = model  # vendor included: two vendors' models of one name make different vectors (promise 5)
        self.dim = dim
        self._call_arguments: dict[str, object] = {
            "model": model,
            "api_key": api_key,
            "api_base": api_base,
            "timeout": _TIMEOUT_S,
            "max_retries": 0,  # repeating is up to the caller
            "num_retries": 0,
            "encoding_format": "float",  # numbers, not base 64
        }

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text; an empty text is sent as a single space. Raises EmbedderUnavailable: the
        provider failed, or sent something that is not what was promised."""
        vectors: list[bytes] = []
        for start in range(0, len(texts), _TEXTS_PER_CALL):
            # Providers refuse empty texts.
            vectors += await self._embed_some([text or " " for text in texts[start : start + _TEXTS_PER_CALL]])
        return vectors

    async def _embed_some(self, texts: list[str]) -> list[bytes]:
        litellm = await anyio.to_thread.run_sync(load_litellm)
        try:
            reply = cast("_Reply", await litellm.aembedding(input=texts, **self._call_arguments))
        except Exception as error:  # noqa: BLE001 - the vendor's errors share no base and quote the request
            failure = EmbedderUnavailable(f"the embedding provider {self.provider} failed ({type(error).__name__})")
        else:
            return self._checked(reply, len(texts))
        raise failure  # outside the handler: nothing that quotes the request hangs on to it

    def _checked(self, reply: _Reply, expected: int) -> list[bytes]:
        try:
            # A provider may answer in another order.
            by_index = sorted(reply.data, key=lambda entry: cast("int", entry["index"]))
            matrix = np.array([entry["embedding"] for entry in by_index], dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            raise EmbedderUnavailable(f"the embedding provider {self.provider} sent no readable vectors") from None
        if matrix.shape != (expected, self.dim):
            raise EmbedderUnavailable(
                f"{self.model} sent vectors of shape {matrix.shape}, expected {(expected, self.dim)}; "
                "check the configured embedding dimension"
            )
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise EmbedderUnavailable(f"{self.model} sent a vector that is zero or not finite")
        return [vector.tobytes() for vector in (matrix / lengths).astype("<f4")]  # little-endian, as stored
