"""Wires settings, adapters and services together.

Law: the only module, with its parts in `voice.wiring`, that names a concrete adapter. What a command does not use is
neither imported nor opened: `Services` makes each service when it is asked for, the language model is made at the first
question, the encoder loads at the first text.

Source: DESIGN 3, 11; STYLE 5.
"""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from voice.adapters.surreal.opening import open_store, require_key
from voice.adapters.system.data_directory import STORE_NAME, load_key, secure_home
from voice.core.settings.providers import EmbedSettings, LlmSettings
from voice.core.settings.values import Settings
from voice.core.text.normalise import keyed_hash
from voice.ports.llm import LlmClient
from voice.ports.search_index import Embedder
from voice.ports.system import Clock
from voice.wiring.open_memory import INDEX_FOLDER, Parts
from voice.wiring.services import Services

if TYPE_CHECKING:
    from voice.ports.files import EndpointStore

__all__ = ["INDEX_FOLDER", "Parts", "Services", "make_embedder", "make_llm", "open_services"]
_KEY_CHECK: Final = "the key of this store"
"""What a store keeps the keyed hash of, to know its key again."""
_REAL: Final = Parts()


@asynccontextmanager
async def open_services(settings: Settings, home: Path, parts: Parts = _REAL) -> AsyncGenerator[Services]:
    """Open the memory in `home` and close it again at the end. Raises ConfigurationError: a setting cannot be used, the
    directory cannot be written, or its key is not the store's; StoreHeld: another process has it open and answers
    nobody; StoreError."""
    async with AsyncExitStack() as stack:
        home = secure_home(home)
        key = load_key(home)
        stores = await stack.enter_async_context(
            await open_store(
                settings.store.url or home / STORE_NAME,
                home=home,
                username=settings.store.user,
                password=settings.store.password,
                namespace=settings.store.namespace,
                database=settings.store.database,
                wait_s=settings.store.wait_s,
            )
        )
        await require_key(stores.connection, keyed_hash(key, _KEY_CHECK), home=home)
        make = partial(_make_llm_at, home)
        yield Services(settings=settings, home=home, key=key, stores=stores, parts=parts, stack=stack, make_llm=make)


def make_embedder(settings: EmbedSettings) -> Embedder:
    """Return the encoder the settings name; nothing is loaded yet. Raises ConfigurationError: it lacks a model."""
    from voice.adapters.embedding import make_embedder as make

    return make(settings)


def _make_llm_at(home: Path, settings: LlmSettings, clock: Clock) -> LlmClient:
    """Return the configured model of a data directory, where what its endpoint rejects is kept."""
    from voice.wiring.data_directory import endpoints_of

    return make_llm(settings, clock, endpoints_of(home))


def make_llm(settings: LlmSettings, clock: Clock, kept: "EndpointStore | None" = None) -> LlmClient:
    """Return the configured model inside its layers, not yet connected. `kept`: where is kept what its endpoint
    rejected. Raises ConfigurationError: the provider needs a key and there is none (ruling A23)."""
    from voice.adapters.llm.factory import make_client, with_learning, with_retries

    settings.require_key()
    today = clock.now().date()
    client = make_client(settings, today=today, unix_time=lambda: clock.now().timestamp())
    return with_retries(with_learning(client, settings, today=today, kept=kept), monotonic_ms=clock.monotonic_ms)
