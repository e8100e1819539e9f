"""The embedded engine, driven from one thread of its own.

Law: every call into the engine, the first and the last included, happens on that thread, in order; the event loop
never waits in it. A caller that is cancelled leaves a statement that either happens as a whole or not at all. The
blocking client is used although the program is async, because the async embedded client stops writing for ever after
about twice its memtable and now and then aborts the process at exit (docs/adr/0001-embedded-store.md).
The client holds the interpreter while a statement runs, so statements are kept small (ruling H).
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from surrealdb_embedded import SyncEmbeddedDB

from voice.adapters.surreal.connection import Params, require_no_error, result_of, unreachable
from voice.adapters.surreal.wire import decode_answer, encode_request
from voice.core.errors import StoreError, StoreUnavailable

T = TypeVar("T")


class EmbeddedConnection:
    """A `Connection` to an engine inside this process."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="voice-store")
        self._engine: SyncEmbeddedDB | None = None
        self._closed = False

    @classmethod
    async def open(cls, url: str, *, namespace: str, database: str) -> "EmbeddedConnection":
        """Open the engine at `url` (`mem://` or `surrealkv://…`) and select the database.

        Raises:
            StoreHeld: another process, or this one, has it open.
            ConfigurationError: the directory cannot be written.
            StoreUnavailable: the disk is full, or the engine does not start.
        """
        connection = cls()
        try:
            await connection._on_thread(lambda: connection._start(url, namespace, database))
        except BaseException:
            # Also when cancelled: the engine may come up a moment later on its thread, and must not stay there.
            connection._thread.submit(connection._stop)
            connection._thread.shutdown(wait=False)
            raise
        return connection

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement; see `Connection.run`."""
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return result_of(purpose, await self._on_thread(lambda: self._ask(purpose, "query", text, dict(params or {}))))

    async def aclose(self) -> None:
        """Close the engine and give its lock back; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        stopped = asyncio.get_running_loop().run_in_executor(self._thread, self._stop)
        self._thread.shutdown(wait=False)
        await asyncio.shield(stopped)

    async def _on_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _start(self, url: str, namespace: str, database: str) -> None:
        try:
            self._engine = SyncEmbeddedDB(url)
            self._engine.connect()
        except RuntimeError as error:
            raise unreachable("open it", str(error)) from None
        require_no_error("open it", self._ask("open it", "use", namespace, database))

    def _ask(self, purpose: str, method: str, *params: object) -> object:
        assert self._engine is not None  # statements queue up behind the start and before the stop
        request = encode_request(method, params)
        try:
            return decode_answer(self._engine.execute(request))
        except RuntimeError as error:  # its words are judged, not passed on
            raise unreachable(purpose, str(error)) from None
        except ValueError:  # the engine could not read what it was sent: nested too deeply, say
            raise StoreError(f"the store did not understand what it was asked to {purpose}; nothing was done") from None

    def _stop(self) -> None:
        engine, self._engine = self._engine, None
        if engine is None:
            return
        try:
            engine.close()
        except RuntimeError as error:
            raise unreachable("close it", str(error)) from None
