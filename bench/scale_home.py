"""Opening the memory of `bench.scale` as the program opens any: all services, with an encoder that costs nothing."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from time import process_time
from types import MappingProxyType
from typing import Final

import anyio

from bench.scale_data import MODEL
from voice.bootstrap import Parts, Services, open_services
from voice.core.settings.parse import parse_settings

_LOOK_S: Final = 1.0
_LOOKS: Final = 120
RESTING_CPU_S: Final = 0.02
"""Less than this in one look is rest."""
_NO_VECTORS: Final[Mapping[str, bytes]] = MappingProxyType({})


class Given:
    """An `Embedder` that knows the vectors of its texts beforehand."""

    provider = "given"
    model = MODEL

    def __init__(self, dim: int, vectors: Mapping[str, bytes] = _NO_VECTORS) -> None:
        self.dim = dim
        self.vectors = vectors

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of the texts."""
        return [self.vectors[text] for text in texts]


def open_memory(home: Path, embedder: Given) -> AbstractAsyncContextManager[Services]:
    """Return the memory in `home`, to be entered."""
    settings = parse_settings({"gate.enabled": True}, {}, {}).settings
    return open_services(settings, home, Parts(embedder=embedder))


async def rested() -> float:
    """Wait until the engine's own threads rest, and return the processor seconds they took.

    Now and then the engine rewrites its files behind the program; that is told apart from what a retrieval costs, and
    not left out.
    """
    began = process_time()
    for _ in range(_LOOKS):
        before = process_time()
        await anyio.sleep(_LOOK_S)
        if process_time() - before < RESTING_CPU_S:
            break
    return process_time() - began
