"""The embedded engine as bytes in and bytes out, driven from one thread of its own.

Law: every call into the engine, the first and the last included, happens on that thread, in order, whoever asks: this
process or a guest of it. A request that was not begun by its deadline is never begun. Once its files are gone nothing
is begun and nothing answered, because what is written then is found by nobody. The blocking client is used although the
program is async, because the async embedded client stops writing for ever after about twice its memtable and now and
then aborts the process at exit (docs/adr/0001-embedded-store.md). The client holds the interpreter while a statement
runs, so statements are kept small (ruling H). It is imported when an engine is started: a guest has none.

Limit: the engine works by the path it was given, in the background and when it is closed. Where that is the name of a
handle it stays the directory's own (`holding.ground`). Where the system has no such names (macOS), an engine whose
files are gone is not closed but abandoned; what it has begun in the background it may still do to what is in the place.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surrealdb_embedded import SyncEmbeddedDB


class EngineFailed(Exception):
    """The engine itself failed; its words are judged by whoever asked (`connection.unreachable`)."""

    def __init__(self, words: str) -> None:
        super().__init__("the engine failed")
        self.words = words


class RequestMisread(Exception):
    """The engine could not read what it was sent: nested too deeply, say. Nothing was done."""


class NotCarriedOut(Exception):
    """A request was not begun and never will be: the engine is closed, or the deadline had passed."""


class Gone(Exception):
    """The engine's files are not in their place any more."""

    def __init__(self, *, was_carried_out: bool) -> None:
        super().__init__("the engine's files are gone")
        self.was_carried_out = was_carried_out
        """Whether the request was begun before that was seen, in files of which nobody knows where they are."""


def _always() -> bool:
    return True


class Engine:
    """One engine at one address."""

    def __init__(self, *, is_there: Callable[[], bool] = _always) -> None:
        """Make an engine that is not started yet.

        Args:
            is_there: whether its files are still in their place; asked on its thread, before and after each request and
                by `look`.
        """
        self._is_there = is_there
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="voice-store")
        self._engine: SyncEmbeddedDB | None = None
        self.epoch = object()
        """The same for as long as nothing was asked for that may write."""

    def start(self, url: str) -> "Future[None]":
        """Open the store at `url` (`mem://` or `surrealkv://…`); the future raises `EngineFailed`."""
        return self._thread.submit(self._start, url)

    def submit(self, request: bytes, *, not_after: float | None = None, reads: bool = False) -> "Future[bytes]":
        """Have a request carried out after all that were submitted before.

        Args:
            request: in the engine's own protocol.
            not_after: the monotonic instant after which it is not begun; None waits as long as it takes.
            reads: whether it is known to write nothing.

        Returns:
            The answer to come; it raises `EngineFailed`, `RequestMisread`, `NotCarriedOut` or `Gone`.

        Raises:
            NotCarriedOut: the engine was stopped.
        """
        try:
            return self._thread.submit(self._execute, request, not_after)
        except RuntimeError:  # the thread takes no more work
            raise NotCarriedOut from None
        finally:
            # Once it waits, and not before: what is read in an epoch is asked for behind all that ended the one before.
            if not reads:
                self.epoch = object()

    def look(self) -> None:
        """Ask whether its files are still in their place, behind all that was submitted; waits for no answer."""
        with suppress(RuntimeError):  # it was stopped, and is looked at no more
            self._thread.submit(self._is_there)

    def stop(self) -> "Future[None]":
        """Close the store behind all that was submitted; the future raises `EngineFailed`. Once only."""
        stopped = self._thread.submit(self._stop)
        self._thread.shutdown(wait=False)
        return stopped

    def abandon(self) -> "Future[None]":
        """Let the engine go without closing it: it would write what it still has into whatever is in its place now.

        What it has lies in files that are gone; it keeps these, and their lock, until the process ends, and in the
        background it may go on by the path it was given. Once only, and instead of `stop`.
        """
        abandoned = self._thread.submit(self._forget)
        self._thread.shutdown(wait=False)
        return abandoned

    def _start(self, url: str) -> None:
        from surrealdb_embedded import SyncEmbeddedDB  # noqa: PLC0415  (a guest does without the engine)

        try:
            self._engine = SyncEmbeddedDB(url)
            self._engine.connect()
        except RuntimeError as error:
            raise EngineFailed(str(error)) from None

    def _execute(self, request: bytes, not_after: float | None) -> bytes:
        if self._engine is None or (not_after is not None and time.monotonic() > not_after):
            raise NotCarriedOut
        if not self._is_there():
            raise Gone(was_carried_out=False)
        try:
            return self._engine.execute(request)
        except RuntimeError as error:
            raise EngineFailed(str(error)) from None
        except ValueError:
            raise RequestMisread from None
        finally:
            if not self._is_there():
                raise Gone(was_carried_out=True)

    def _forget(self) -> None:
        self._engine = None

    def _stop(self) -> None:
        engine, self._engine = self._engine, None
        if engine is None:
            return
        try:
            engine.close()
        except RuntimeError as error:
            raise EngineFailed(str(error)) from None
