"""The embedded engine: its thread, its bytes (CBOR), and the connection to it.

Law: every call into the engine, the first and the last included, happens on that thread, in order, whoever asks: this
process or a guest of it. A request that was not begun by its deadline is never begun. Once its files are gone nothing
is begun and nothing answered, because what is written then is found by nobody. The blocking client is used although the
program is async, because the async embedded client stops writing for ever after about twice its memtable and now and
then aborts the process at exit (docs/adr/0001-embedded-store.md). The client holds the interpreter while a statement
runs, so statements are kept small (ruling H). It is imported when an engine is started: a guest has none.

Limit: the engine works by the path it was given, in the background and when it is closed. Where that is the name of a
handle it stays the directory's own (`sharing.directory_identity`). Where the system has no such names (macOS), an
engine whose files are gone is not closed but abandoned; what it has begun in the background it may still do to what is
in the place. The event loop never waits in the engine; a cancelled caller leaves a statement that happens as a whole or
not at all.

Requests to the embedded engine and its answers, as the bytes it speaks (CBOR, with tags of its own). Only what the
store's columns hold is sent and understood: texts, bytes, truths, floats, integers of 64 bits, aware instants, record
ids keyed by a text, and lists and mappings of these. These go byte for byte as the client library sends them and are
decoded to the same values, by a compiled codec: the library's own is pure Python and cost half of every read. Anything
else is refused before it is sent, and damage where it is read, never a guess: the compiled codec alone would send a
large integer as another number and a naive instant as UTC. Absent is left out, never sent as None (ruling B9).
Source: docs/store.md, "What it costs"; the unit tests of this module hold it against the library's codec.
"""

import asyncio
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, cast

import cbor2

from voice.adapters.surreal.connection import TORN, Params, disk_full, require_no_error, result_of, unreachable
from voice.adapters.surreal.dialect import RecordID
from voice.core.errors import StoreDamaged, StoreError, StoreUnavailable, VoiceError
from voice.core.store_holder import Effect, effect_of

if TYPE_CHECKING:
    from surrealdb_embedded import SyncEmbeddedDB


class EngineFailed(Exception):
    """The engine itself failed; its words are judged by whoever asked (`connection.unreachable`)."""

    def __init__(self, words: str) -> None:
        super().__init__("the engine failed")
        self.words = words


class RequestMisread(Exception):
    """The engine could not read what it was sent: nested too deeply, say. Nothing was done."""


class RequestNotBegun(Exception):
    """A request was not begun and never will be: the engine is closed, or the deadline had passed."""


class StoreFilesMissing(Exception):
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
            The answer to come; it raises `EngineFailed`, `RequestMisread`, `RequestNotBegun` or `StoreFilesMissing`.

        Raises:
            NotCarriedOut: the engine was stopped.
        """
        try:
            return self._thread.submit(self._execute, request, not_after)
        except RuntimeError:  # the thread takes no more work
            raise RequestNotBegun from None
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
            raise RequestNotBegun
        if not self._is_there():
            raise StoreFilesMissing(was_carried_out=False)
        try:
            return self._engine.execute(request)
        except RuntimeError as error:
            raise EngineFailed(str(error)) from None
        except ValueError:
            raise RequestMisread from None
        finally:
            if not self._is_there():
                raise StoreFilesMissing(was_carried_out=True)

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
        except RequestNotBegun:
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


_NONE: Final = 6
_RECORD: Final = 8
_INSTANT: Final = 12
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_PLAIN: Final = (str, bytes, bool, float)
_NANOS: Final = 1_000_000_000
_OF_THE_CODEC: Final = (*range(6), *(25, 28, 29, 30, 35, 36, 37, 52, 54, 100, 256, 258, 260, 261, 1004, 43_000, 55_799))
"""Tags that the compiled codec would turn into values of its own: sets, decimals, addresses, shared references."""


def encode_request(method: str, params: Sequence[object]) -> bytes:
    """Return a request of the engine's own protocol; `params` are what its `method` takes, in order.

    Raises:
        StoreError: a value is of a kind that no column of ours has, or a text is not valid Unicode.
    """
    _require_sendable(params)
    request = {"id": "", "method": method, "params": list(params)}
    try:
        return cbor2.dumps(request, encoders=_ENCODERS)
    except UnicodeEncodeError:
        raise StoreError("the store holds valid Unicode only; a text has half a character in it") from None


def decode_answer(data: bytes) -> object:
    """Return the answer in those bytes.

    Raises:
        StoreDamaged: they are none, or hold a value of a kind that no column of ours has.
    """
    try:
        return cast(
            "object", cbor2.loads(data, semantic_decoders=_DECODERS, tag_hook=_unknown, object_hook=_keyed_by_text)
        )
    except cbor2.CBORDecodeError:
        raise _unreadable() from None


def _require_sendable(params: Sequence[object]) -> None:
    """Check every value, however deep: the codec's own hooks do not see the kinds it knows.

    Raises:
        StoreError: the store has no column for one.
    """
    waiting: list[Iterable[object]] = [params]
    while waiting:
        for value in waiting.pop():
            if isinstance(value, _PLAIN):
                continue
            if isinstance(value, list | tuple):
                waiting.append(cast("Sequence[object]", value))
            elif isinstance(value, dict):
                members = cast("dict[object, object]", value)
                if not all(isinstance(key, str) for key in members):
                    raise _no_column_for("a mapping keyed by anything but texts")
                waiting.append(members.values())
            else:
                _require_scalar(value)


def _require_scalar(value: object) -> None:
    if isinstance(value, int):
        if not _MIN_INT <= value <= _MAX_INT:
            raise _no_column_for("an integer of more than 64 bits")
    elif isinstance(value, datetime):
        if value.utcoffset() is None:
            raise _no_column_for("an instant without an offset from UTC")
    elif isinstance(value, RecordID):
        if not isinstance(value.id, str):  # pyright: ignore[reportUnnecessaryIsInstance] - a type is a promise only
            raise _no_column_for("a record keyed by anything but a text")
    else:
        raise _no_column_for(f"a {type(value).__name__}")


def _no_column_for(what: str) -> StoreError:
    return StoreError(f"the store has no column for {what}")


def _encode_record(encoder: cbor2.CBOREncoder, found: object) -> None:
    record = cast("RecordID", found)
    encoder.encode_semantic(_RECORD, [record.table_name, record.id])


def _none(*_: object) -> None:
    return None


def _record(value: object, *_: object) -> RecordID:
    table, key = _parts(value)
    if type(table) is not str or type(key) is not str:
        raise _unreadable()
    return RecordID(table, key)


def _parts(value: object) -> list[object]:
    if type(value) is not list:
        raise _unreadable()
    return cast("list[object]", value)


def _instant(value: object, *_: object) -> datetime:
    parts = _parts(value)
    seconds, nanoseconds = [*parts, 0, 0][: max(len(parts), 2)]  # zeros at the end are not sent
    if type(seconds) is not int or type(nanoseconds) is not int or not 0 <= nanoseconds < _NANOS:
        raise _unreadable()
    return _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)


def _keyed_by_text(found: Mapping[object, object], *_: object) -> Mapping[object, object]:
    if not all(type(key) is str for key in found):
        raise _unreadable()
    return found


def _foreign(*_: object) -> object:
    raise _unreadable()


def _unreadable() -> StoreDamaged:
    return StoreDamaged("the store's answer cannot be read; run `voice maintain verify`")


def _unknown(tag: cbor2.CBORTag, *_: object) -> object:
    raise StoreDamaged(f"the store's answer holds a value of an unknown kind ({tag.tag}); run `voice maintain verify`")


_ENCODERS: Final[Mapping[type, cbor2.EncoderHook]] = {RecordID: _encode_record}
_DECODERS: Final[Mapping[int, cbor2.SemanticDecoderCallback]] = {
    **dict.fromkeys(_OF_THE_CODEC, _foreign),
    _NONE: _none,
    _RECORD: _record,
    _INSTANT: _instant,
}
