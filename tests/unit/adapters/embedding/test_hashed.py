"""The encoder without a model."""

import numpy as np
import pytest

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.core.errors import ConfigurationError


async def cosine(left: str, right: str) -> float:
    a, b = (np.frombuffer(vector, dtype="<f4") for vector in await HashedEmbedder().embed([left, right]))
    return float(a @ b)


async def test_shared_words_and_shared_stems_bring_texts_together() -> None:
    assert await cosine("the violin concert", "a concert for violin") > 0.5
    assert await cosine("gardening", "gardener") > await cosine("gardening", "mathematics") + 0.2


async def test_case_and_width_do_not_matter() -> None:
    assert await cosine("Ｔｅａ", "TEA") == pytest.approx(1.0)


@pytest.mark.requirement("promise:8")
async def test_vectors_are_the_same_on_every_machine_and_in_every_run() -> None:
    (vector,) = await HashedEmbedder(8).embed(["tea at noon"])
    assert vector.hex() == "73d09a3e00000000ac38e83e812a2e3f73d01a3eac3868be8f84c1be73d01a3e"


async def test_the_dimension_is_a_choice_within_reason() -> None:
    assert HashedEmbedder(64).dim == 64
    with pytest.raises(ConfigurationError, match="at least 8"):
        HashedEmbedder(4)
