"""What every encoder keeps to: the same bytes for the same text, unit length, the promised order and dimension."""

import hashlib
import json
from collections.abc import Iterator

import httpx
import numpy as np
import pytest
import respx

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.embedding.litellm_embeddings import LiteLlmEmbedder
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.ports.search_index import Embedder

_API = "https://embeddings.test/v1"
TEXTS = [
    "The cat sleeps.",
    "A dog barks at night.",
    "東京は大きい",
    "naïve café",
    "😀",
    "",
    "   ",
    "\x00",
    "word " * 4_000,
]
_MINILM = MiniLmEmbedder()  # loaded once for all tests


def _reply(request: httpx.Request) -> httpx.Response:
    """Answer as an OpenAI-style server does, with a vector that depends on the text alone, entries out of order."""
    texts = json.loads(request.content)["input"]
    entries = [
        {"object": "embedding", "index": place, "embedding": [float(byte) + 1.0 for byte in _digest(text)]}
        for place, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return httpx.Response(200, json={"object": "list", "model": "m", "data": entries[::-1], "usage": usage})


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:8]


@pytest.fixture(params=["hashed", "minilm", "litellm"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    match request.param:
        case "hashed":
            yield HashedEmbedder()
        case "minilm":
            yield _MINILM
        case _:
            with respx.mock:
                respx.post(f"{_API}/embeddings").mock(side_effect=_reply)
                yield LiteLlmEmbedder(model="openai/some-model", dim=8, api_key="sk-test", api_base=_API)


def matrix(vectors: list[bytes]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.array([np.frombuffer(vector, dtype="<f4") for vector in vectors])


async def test_names_its_provider_model_and_dimension(embedder: Embedder) -> None:
    assert embedder.provider
    assert embedder.model
    assert embedder.dim > 0


@pytest.mark.requirement("promise:5")
async def test_every_text_has_one_unit_vector_of_the_promised_dimension(embedder: Embedder) -> None:
    vectors = await embedder.embed(TEXTS)
    assert [len(vector) for vector in vectors] == [4 * embedder.dim] * len(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(matrix(vectors), axis=1), 1.0, atol=1e-5)


@pytest.mark.requirement("promise:8")
async def test_the_same_text_gives_the_same_bytes_alone_and_among_others(embedder: Embedder) -> None:
    together = await embedder.embed(TEXTS)
    alone = [(await embedder.embed([text]))[0] for text in TEXTS]
    assert together == alone


async def test_results_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    assert await embedder.embed(TEXTS[::-1]) == (await embedder.embed(TEXTS))[::-1]


async def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert await embedder.embed([]) == []
    assert len(await embedder.embed(["a kiln"])) == 1
