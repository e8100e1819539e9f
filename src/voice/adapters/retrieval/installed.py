"""Providers by name: the local ones, and those that other packages bring.

Law: a package brings a provider by an entry point of the group `voice.retrieval_providers`, whose object is called with
a `ProviderContext` and returns a `RetrievalProvider`. Nothing of it is imported before its name is asked for, and a
local name always means the local provider. What cannot be loaded fails by name, and so does what answers otherwise than
its contract says (`checked`); nothing is used in its place.

Source: spec retrieval-contract, Custom Providers; ruling A24.
"""

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Final, cast

from voice.adapters.retrieval.checked import CheckedProvider
from voice.adapters.retrieval.local import LocalFts, LocalHybrid, LocalVector
from voice.core.errors import ConfigurationError, InvalidParams, VoiceError
from voice.ports.retrieval_provider import ProviderContext, RetrievalProvider

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
        return (*self._local, *sorted(name for name in _installed() if name not in self._local))

    def require(self, name: str) -> None:
        """Check that there is a provider of that name, without loading it.

        Raises:
            ConfigurationError: there is none; the message lists those there are.
        """
        if name not in self._loaded and name not in _installed():
            known = ", ".join(self.names())
            raise ConfigurationError(
                f"SURR_INNER_VOICE_RETRIEVAL names no provider that is installed; use one of {known}"
            )

    def named(self, name: str) -> RetrievalProvider:
        """Return the provider of that name; see `RetrievalProviders.named`."""
        known = self._loaded.get(name)
        if known is not None:
            return known
        entry = _installed().get(name)
        if entry is None:
            raise InvalidParams(f"there is no such provider; use one of {', '.join(self.names())}")
        return self._loaded.setdefault(name, _made(entry, self._context))


def installed_providers(context: ProviderContext) -> InstalledProviders:
    """Return the three local providers, and whatever other packages bring."""
    index, embedder = context.index, context.embedder
    local = (
        LocalVector(index=index, embedder=embedder),
        LocalHybrid(index=index, embedder=embedder),
        LocalFts(index=index),
    )
    return InstalledProviders(local, context)


def _installed() -> dict[str, EntryPoint]:
    """Return the entry points by name; of several packages with one name the first on the path counts."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, entry)
    return found


def _made(entry: EntryPoint, context: ProviderContext) -> RetrievalProvider:
    try:
        factory = cast("Callable[[ProviderContext], RetrievalProvider]", entry.load())
        provider = factory(context)
        name, search, _ = provider.name, provider.search, provider.is_deterministic
    except VoiceError:
        raise
    except Exception as error:  # a package of somebody else's may fail in any way; it is named, with what it raised
        raise ConfigurationError(
            f"{_whose(entry)} cannot be loaded ({type(error).__name__}); mend or remove it"
        ) from error
    if name != entry.name or not callable(search):
        raise ConfigurationError(f"{_whose(entry)} made something else than a provider of that name; mend or remove it")
    return CheckedProvider(provider, name)


def _whose(entry: EntryPoint) -> str:
    package = "an installed package" if entry.dist is None else f"the package {entry.dist.name}"
    return f"the retrieval provider {entry.name} of {package}"
