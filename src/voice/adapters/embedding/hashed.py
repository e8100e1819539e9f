"""A deterministic encoder without a model: hashed words and character n-grams.

Law: a vector depends on the text and `dim` alone, on every machine and in every run. It finds shared words and shared
stems, not shared meaning: it is for tests, and for whoever asks for it by name.

Source: DESIGN 3 ("deterministic hash encoder for tests"); promise 5.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from blake3 import blake3

from voice.core.errors import ConfigurationError
from voice.core.text.lazy import late_pattern

MODEL: Final = "hashed-ngrams-v1"
_MAX_CHARS: Final = 20_000
_WORD_WEIGHT: Final = 1.0
_GRAM_WEIGHT: Final = 0.4
_GRAM_SIZES: Final = (3, 4, 5)
_MAX_WORD_CHARS: Final = 32  # bounds the grams of one word
_WORD = late_pattern(r"[\p{L}\p{N}\p{M}]+|\p{So}")


class HashedEmbedder:
    """Words and n-grams thrown at `dim` axes with a sign, summed and normalised."""

    provider: str = "local"
    model: str = MODEL

    def __init__(self, dim: int = 512) -> None:
        if dim < 8:
            raise ConfigurationError("the hashed encoder needs a dimension of at least 8")
        self.dim = dim
        self._placed = lru_cache(1 << 14)(self._place)

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text, none of them zero; never fails."""
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> bytes:
        vector = np.zeros(self.dim, dtype=np.float64)
        for match in _WORD.finditer(unicodedata.normalize("NFKC", text[:_MAX_CHARS]).casefold()):
            for axis, weight in self._placed(match.group()):
                vector[axis] += weight
        if not vector.any():
            axis, _ = self._axis(f"text {text}")  # a text without words gets an axis of its own
            vector[axis] = 1.0
        return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()

    def _place(self, word: str) -> tuple[tuple[int, float], ...]:
        word = word[:_MAX_WORD_CHARS]
        axis, sign = self._axis(f"word {word}")
        places = [(axis, sign * _WORD_WEIGHT)]
        for gram in _grams(f"<{word}>"):  # "<" and ">" make beginnings and ends differ
            axis, sign = self._axis(f"gram {gram}")
            places.append((axis, sign * _GRAM_WEIGHT))
        return tuple(places)

    def _axis(self, feature: str) -> tuple[int, float]:
        number = int.from_bytes(blake3(feature.encode("utf-8", "surrogatepass")).digest(length=8), "little")
        # The lowest bit is the sign, so not part of the axis.
        return (number >> 1) % self.dim, 1.0 if number & 1 else -1.0


def _grams(word: str) -> Iterator[str]:
    for size in _GRAM_SIZES:
        for start in range(len(word) - size + 1):
            yield word[start : start + size]
