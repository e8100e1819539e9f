"""An engine that one process has to itself.

Law: the event loop never waits in the engine (`engine`). A caller that is cancelled leaves a statement that either
happens as a whole or not at all.
"""

import asyncio
import shutil
from typing import Final

from voice.adapters.surreal.connection import TORN, Params, disk_full, require_no_error, result_of, unreachable
from voice.adapters.surreal.engine import Engine, EngineFailed, NotCarriedOut, RequestMisread
from voice.adapters.surreal.wire import decode_answer, encode_request
from voice.core.errors import StoreDamaged, StoreError, StoreUnavailable, VoiceError
from voice.core.store_holder import Effect, effect_of

_STALLED: Final = "pipeline stall"
_ROOM: Final = 16 * 1024 * 1024
"""Bytes that the engine needs at once, at most, to write what it has to write before it takes more."""


class EmbeddedConnection:
    """A `Connection` to an engine inside this process."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine = Engine()
        self._closed = False

    @classmethod
    async def open(cls, url: str, *, namespace: str, database: str) -> "EmbeddedConnection":
        """Open the engine at `url` (`mem://` or `surrealkv://…`) and select the database.

        Raises:
            StoreHeld: another process, or this one, has it open.
            ConfigurationError: the directory cannot be written.
            StoreUnavailable: the disk is full, or the engine does not start.
        """
        connection = cls(url)
        try:
            await connection._start(namespace, database)
        except BaseException:
            # Also when cancelled: the engine may come up a moment later on its thread, and must not stay there.
            connection._engine.stop()
            raise
        return connection

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement; see `Connection.run`."""
        if self._closed:
            raise closed()
        request = encode_request("query", (text, dict(params or {})))
        return result_of(purpose, await self._ask(purpose, request, effect_of(text)))

    @property
    def epoch(self) -> object | None:
        """What nothing was written since; see `Watched`."""
        return None if self._closed else self._engine.epoch

    async def aclose(self) -> None:
        """Close the engine and give its lock back; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        try:
            await asyncio.shield(asyncio.wrap_future(self._engine.stop()))
        except EngineFailed as failed:
            raise unreachable("close it", failed.words) from None

    async def _start(self, namespace: str, database: str) -> None:
        try:
            await asyncio.wrap_future(self._engine.start(self._url))
        except EngineFailed as failed:
            raise self._failure("open it", failed.words) from None
        require_no_error("open it", await self._ask("open it", encode_request("use", (namespace, database))))

    async def _ask(self, purpose: str, request: bytes, effect: Effect = Effect.WRITES) -> object:
        try:
            submitted = self._engine.submit(request, reads=effect is Effect.READS)
            return decode_answer(await asyncio.wrap_future(submitted))
        except EngineFailed as failed:
            raise self._failure(purpose, failed.words) from None
        except RequestMisread:
            raise misread(purpose) from None
        except NotCarriedOut:
            raise closed() from None

    def _failure(self, purpose: str, words: str) -> VoiceError:
        """Return why the engine failed; one that stalls has no room to write, or a file that it cannot read."""
        if _STALLED not in words.lower():
            return unreachable(purpose, words)
        has_room = shutil.disk_usage(self._url.partition("://")[2]).free >= _ROOM
        return StoreDamaged(TORN) if has_room else disk_full(purpose)


def closed() -> StoreUnavailable:
    """Return the error of a store that was closed."""
    return StoreUnavailable("the store is closed")


def misread(purpose: str) -> StoreError:
    """Return the error of a request that the engine could not read."""
    return StoreError(f"the store did not understand what it was asked to {purpose}; nothing was done")
