"""Providers by name: the local ones, and those that other packages bring.

Law: a package brings a provider by an entry point of the group `voice.retrieval_providers`, whose object is called with
a `ProviderContext` and returns a `RetrievalProvider` (`voice.adapters.entry_points` says how). A local name always
means the local provider. What answers otherwise than its contract says fails by name (`checked`), like what cannot be
loaded.

Source: spec retrieval-contract, Custom Providers; ruling A24.
"""

from collections.abc import Iterable, Sequence
from typing import Final, cast

from voice.adapters.entry_points import all_names, installed, make
from voice.adapters.retrieval.checked import CheckedProvider
from voice.adapters.retrieval.local import LocalFts, LocalHybrid, LocalVector
from voice.core.errors import ConfigurationError, InvalidParams
from voice.ports.embedder import Embedder
from voice.ports.retrieval_provider import ProviderContext, RetrievalProvider

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


GROUP: Final = "voice.retrieval_providers"


class InstalledProviders:
    """`RetrievalProviders` over the local ones and the installed packages."""

    def __init__(self, local: Iterable[RetrievalProvider], context: ProviderContext) -> None:
        """Know the local providers; others are looked up when they are asked for.

        Args:
            local: always there, under their own names.
            context: what an installed provider is made with.
        """
        self._loaded: dict[str, RetrievalProvider] = {provider.name: provider for provider in local}
        self._local = tuple(self._loaded)
        self._context = context

    def names(self) -> tuple[str, ...]:
        """Return every name, the local ones first; see `RetrievalProviders.names`."""
        return all_names(self._local, GROUP)

    def require(self, name: str) -> None:
        """Check that there is a provider of that name, without loading it.

        Raises:
            ConfigurationError: there is none; the message lists those there are.
        """
        if name not in self._loaded and name not in installed(GROUP):
            known = ", ".join(self.names())
            raise ConfigurationError(
                f"SURR_INNER_VOICE_RETRIEVAL names no provider that is installed; use one of {known}"
            )

    def named(self, name: str) -> RetrievalProvider:
        """Return the provider of that name; see `RetrievalProviders.named`."""
        known = self._loaded.get(name)
        if known is not None:
            return known
        entry = installed(GROUP).get(name)
        if entry is None:
            raise InvalidParams(f"there is no such provider; use one of {', '.join(self.names())}")
        made = cast("RetrievalProvider", make(entry, self._context, kind="retrieval provider", is_one=_is_one))
        return self._loaded.setdefault(name, CheckedProvider(made, name))


def installed_providers(context: ProviderContext) -> InstalledProviders:
    """Return the three local providers, and whatever other packages bring."""
    index, embedder = context.index, RecentVectors(context.embedder)
    local = (
        LocalVector(index=index, embedder=embedder),
        LocalHybrid(index=index, embedder=embedder),
        LocalFts(index=index),
    )
    return InstalledProviders(local, context)


def _is_one(made: object, name: str) -> bool:
    """Return whether a factory of somebody else's made what the port describes, under the name it is installed by."""
    provider = cast("RetrievalProvider", made)
    own, search, _ = provider.name, provider.search, provider.is_deterministic
    return own == name and callable(search)
