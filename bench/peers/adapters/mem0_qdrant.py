"""mem0 with its local qdrant: raw memories (`infer=False`, no language model), cosine, its own `search`.

The embedder is replaced by one that answers with the given vectors; the language model is named because mem0 demands
one, and never called. mem0's keyword arm needs a model file that it fetches from a hub, so it is off here, as it is for
whoever installs `mem0ai` without extras. Its telemetry and its notices are off.
"""

import os
from array import array
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from bench.peers.contract import TOP_K, Item, Place, Question

_USER = "bench"


class GivenVectors:
    """mem0's embedder interface over the vectors of the run."""

    def __init__(self, vectors: Mapping[str, bytes]) -> None:
        self._vectors = {text.strip(): vector for text, vector in vectors.items()}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the given vector; mem0 trims a query before it asks."""
        del memory_action
        return array("f", self._vectors[text.strip()]).tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        """Return the given vectors."""
        return [self.embed(text, memory_action) for text in texts]


class _Memory(Protocol):
    """The part of `mem0.Memory` that is used here."""

    embedding_model: GivenVectors

    def add(self, messages: str, *, user_id: str, metadata: dict[str, object], infer: bool) -> object: ...
    def search(self, query: str, *, top_k: int, filters: dict[str, object]) -> dict[str, list[dict[str, object]]]: ...
    def close(self) -> None: ...


class _Client(Protocol):
    """The part of the qdrant client that is used here."""

    def close(self) -> None: ...


class _MemoryClass(Protocol):
    """`mem0.Memory` itself."""

    def from_config(self, config_dict: dict[str, object]) -> _Memory: ...


class Mem0Store:
    """One `mem0.Memory`."""

    def __init__(self, memory: _Memory, vectors: Mapping[str, bytes]) -> None:
        self._memory = memory
        self._memory.embedding_model = GivenVectors(vectors)

    def add(self, items: Sequence[Item]) -> None:
        """Add each as a memory of one user, with our id in its metadata."""
        for item in items:
            self._memory.add(item.text, user_id=_USER, metadata={"row": item.id}, infer=False)

    def ask(self, mode: str, question: Question) -> list[str]:
        """Return ids as `search` ranks them; its own threshold stays."""
        del mode
        answer = self._memory.search(question.text, top_k=TOP_K, filters={"user_id": _USER})
        return [str(cast("dict[str, object]", found["metadata"])["row"]) for found in answer["results"]]

    def close(self) -> None:
        """Close history and vectors."""
        store = cast("_Store", self._memory)
        store.vector_store.client.close()
        self._memory.close()


class _VectorStore(Protocol):
    client: _Client


class _Store(Protocol):
    """Where `mem0.Memory` keeps its qdrant client."""

    vector_store: _VectorStore


class Mem0:
    """The peer."""

    modes: tuple[str, ...] = ("search",)
    modules: tuple[str, ...] = ("mem0", "qdrant_client")
    batch = 1

    def open(self, place: Place) -> Mem0Store:
        """Open the memory there; mem0's own files stay there, too."""
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(place.directory / "mem0")
        memory = cast("_MemoryClass", import_module("mem0").Memory)
        vectors = {"path": str(place.directory / "qdrant"), "embedding_model_dims": place.dim, "on_disk": True}
        unused = {"provider": "openai", "config": {"api_key": "none: never called", "model": "none"}}
        made = memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {"collection_name": "bench", **vectors}},
                "embedder": unused,
                "llm": unused,
                "history_db_path": str(place.directory / "history.db"),
            }
        )
        return Mem0Store(made, place.vectors)


PEER = Mem0()
