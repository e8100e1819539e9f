"""This program: its store on disk, its index beside it, its retrieval service as `voice retrieve` calls it.

A row counts as kept when the store has it and the index has folded it. Encoding is given, as it is to every peer.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime

from bench.peers.contract import TOP_K, Item, Place, Question
from voice.bootstrap import Parts, Services, open_services
from voice.core.records import Origin, Scope, Thought, VectorRow
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.parse import parse_settings
from voice.core.text.normalise import clean_text
from voice.ports.stores import WriteBatch


class GivenVectors:
    """An `Embedder` that knows the vectors of the run and computes none."""

    provider: str = "given"

    def __init__(self, place: Place) -> None:
        self.model, self.dim = place.model, place.dim
        self._vectors = {clean_text(text).strip(): vector for text, vector in place.vectors.items()}

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the given vectors; raises KeyError for a text that is not of the run."""
        return [self._vectors[text] for text in texts]


class VoiceStore:
    """One open memory."""

    def __init__(self, place: Place) -> None:
        settings = parse_settings({"store.home": str(place.directory)}, {}, {}).settings
        self._place, self._loop = place, asyncio.new_event_loop()
        self._opening: AbstractAsyncContextManager[Services] = open_services(
            settings, place.directory, Parts(embedder=GivenVectors(place))
        )
        self._services = self._loop.run_until_complete(self._opening.__aenter__())

    def add(self, items: Sequence[Item]) -> None:
        """Write the items with their vectors and fold them into the index."""
        rows = tuple(_thought(item) for item in items)
        vectors = tuple(
            VectorRow(row_id=item.id, model=self._place.model, dim=self._place.dim, data=item.vector) for item in items
        )
        self._loop.run_until_complete(self._write(WriteBatch(rows=rows, vectors=vectors)))

    def ask(self, mode: str, question: Question) -> list[str]:
        """Return ids as the retrieval service chooses them."""
        request = RetrieveRequest(query=question.text, top_k=TOP_K, provider=mode, surroundings=Scope.ALL)
        return [snippet.id for snippet in self._loop.run_until_complete(self._services.find(request)).snippets]

    def close(self) -> None:
        """Close store and index."""
        self._loop.run_until_complete(self._opening.__aexit__(None, None, None))
        self._loop.close()

    async def _write(self, batch: WriteBatch) -> None:
        await self._services.store.write(batch)
        await self._services.index.refresh()


def _thought(item: Item) -> Thought:
    said_at = datetime.fromisoformat(item.created_at)
    return Thought(
        id=item.id,
        created_at=said_at,
        recorded_at=said_at,
        origin=Origin.LOGGED,
        content=item.words,
        kind=item.kind,
        speaker=item.speaker,
        thread=item.thread,
    )


class VoiceItself:
    """The peer that the others are compared with."""

    modes: tuple[str, ...] = ("local-hybrid", "local-vector", "local-fts")
    modules: tuple[str, ...] = ("voice.bootstrap",)
    batch = 500

    def open(self, place: Place) -> VoiceStore:
        """Open the memory there."""
        return VoiceStore(place)


PEER = VoiceItself()
