"""Vectors from a provider: what comes back is checked, what fails says so without a word of what was sent."""

import json
from types import SimpleNamespace

import httpx
import numpy as np
import pytest
import respx

from voice.adapters.embedding.litellm_embeddings import LiteLlmEmbedder
from voice.core.errors import ConfigurationError, EmbedderUnavailable

_URL = "https://embeddings.test/v1/embeddings"


def embedder(dim: int = 2) -> LiteLlmEmbedder:
    return LiteLlmEmbedder(model="openai/m", dim=dim, api_key="sk-canary", api_base="https://embeddings.test/v1")


def reply(*vectors: object) -> httpx.Response:
    data = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return httpx.Response(200, json={"object": "list", "model": "m", "data": data, "usage": usage})


@respx.mock
async def test_sends_the_texts_and_gives_back_unit_vectors() -> None:
    route = respx.post(_URL).mock(return_value=reply([3.0, 4.0], [0.0, 2.0]))
    first, second = await embedder().embed(["one", ""])
    assert np.frombuffer(first, "<f4").tolist() == pytest.approx([0.6, 0.8])
    assert np.frombuffer(second, "<f4").tolist() == [0.0, 1.0]
    assert json.loads(route.calls.last.request.content)["input"] == ["one", " "]
    assert route.calls.last.request.headers["authorization"] == "Bearer sk-canary"


@respx.mock
async def test_many_texts_go_in_several_calls() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return reply(*([1.0, 0.0] for _ in json.loads(request.content)["input"]))

    route = respx.post(_URL).mock(side_effect=answer)
    assert len(await embedder().embed([str(number) for number in range(150)])) == 150
    assert route.call_count == 3


@pytest.mark.requirement("promise:5")
@respx.mock
async def test_refuses_vectors_of_another_dimension() -> None:
    respx.post(_URL).mock(return_value=reply([1.0, 0.0, 0.0]))
    with pytest.raises(EmbedderUnavailable, match="check the configured embedding dimension"):
        await embedder().embed(["x"])


@respx.mock
async def test_refuses_fewer_vectors_than_texts() -> None:
    respx.post(_URL).mock(return_value=reply([1.0, 0.0]))
    with pytest.raises(EmbedderUnavailable, match="shape"):
        await embedder().embed(["x", "y"])


@pytest.mark.parametrize("vector", [[0.0, 0.0], [1e400, 0.0], [float("nan"), 0.0], [None, 0.0]])
@respx.mock
async def test_refuses_a_vector_without_direction(vector: list[float | None]) -> None:
    body = reply([0.0, 0.0]).text.replace("[0.0, 0.0]", json.dumps(vector)).replace("[0.0,0.0]", json.dumps(vector))
    respx.post(_URL).mock(return_value=httpx.Response(200, text=body))
    with pytest.raises(EmbedderUnavailable, match="zero or not finite"):
        await embedder().embed(["x"])


@pytest.mark.parametrize("entry", [{"index": 0}, {"index": 0, "embedding": ["a", "b"]}])
def test_refuses_what_is_no_vector(entry: dict[str, object]) -> None:
    with pytest.raises(EmbedderUnavailable, match="no readable vectors"):
        embedder()._checked(SimpleNamespace(data=[entry]), 1)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("s0:embedder-failure", "promise:6")
@pytest.mark.parametrize("status", [401, 429, 500])
@respx.mock
async def test_a_failing_provider_is_named_and_nothing_sent_is_quoted(status: int) -> None:
    respx.post(_URL).mock(return_value=httpx.Response(status, json={"error": {"message": "canary text sk-canary"}}))
    with pytest.raises(EmbedderUnavailable, match="provider openai failed") as raised:
        await embedder().embed(["canary text"])
    assert "canary" not in str(raised.value)
    assert raised.value.__context__ is None


def test_a_model_without_a_vendor_is_openai_and_a_dimension_must_be_positive() -> None:
    assert LiteLlmEmbedder(model="text-embedding-3-small", dim=2).provider == "openai"
    assert LiteLlmEmbedder(model="ollama/nomic", dim=2).provider == "ollama"
    with pytest.raises(ConfigurationError, match="positive"):
        LiteLlmEmbedder(model="m", dim=0)
