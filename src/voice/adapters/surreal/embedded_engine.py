"""The embedded engine: its thread, the connection to it, and the CBOR that it speaks.

Law: every call into the engine, from the first to the last, runs on that thread, in order, for this process and its
guests alike. A request that did not start by its deadline never starts. Once the store's files are gone no request
starts and none is answered, because what it writes could never be found.

The blocking client is used although the program is async: the async embedded client stops writing for ever after about
twice its memtable, and sometimes aborts the process at exit (docs/adr/0001-embedded-store.md). It holds the interpreter
while a statement runs, so statements are kept small (ruling H); it is imported when an engine starts, since a guest has
none. The event loop never waits in the engine: a cancelled caller's statement happens as a whole or not at all.

Limit: the engine also uses its path in the background and when it is closed. The name of a handle keeps meaning the
directory itself (`sharing.directory_identity`). Where the system has no such names (macOS), an engine whose files are
gone is not closed but abandoned, and its background work may still write to what is at the path now.

The codec sends and accepts only what the store's columns hold: texts, bytes, booleans, floats, 64-bit integers, aware
datetimes, record ids with text keys, and lists and mappings of these; the bytes are those of the client library, whose
pure Python codec costs half of every read. Anything else is refused before it is sent and is damage when it is read.
Absent values are left out, never sent as None (ruling B9). Source: docs/store.md, "What it costs".
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

from voice.adapters.surreal.connection import (
    TORN,
    Params,
    RecordID,
    disk_full,
    require_no_error,
    result_of,
    unreachable,
)
from voice.core.errors import StoreDamaged, StoreError, StoreUnavailable, VoiceError
from voice.core.store_holder import Effect, effect_of

if TYPE_CHECKING:
    from surrealdb_embedded import SyncEmbeddedDB


class EngineFailed(Exception):
    """The engine itself failed; the caller judges its words (`connection.unreachable`)."""

    def __init__(self, words: str) -> None:
        super().__init__("the engine failed")
        self.words = words


class RequestMisread(Exception):
    """The engine could not read a request, for example because it is nested too deeply; nothing was done."""


class RequestNotBegun(Exception):
    """A request did not start and never will: the engine is closed, or the deadline had passed."""


class StoreFilesMissing(Exception):
    """The engine's files are no longer in their place."""

    def __init__(self, *, was_carried_out: bool) -> None:
        super().__init__("the engine's files are gone")
        self.was_carried_out = was_carried_out
        """Whether the request had started before that was seen; where its files are now is unknown."""


class Engine:
    """One engine at one address."""

    def __init__(self, *, is_there: Callable[[], bool] = lambda: True) -> None:
        """Make an engine that is not started yet. `is_there` tells whether its files are still in their place; it is
        called on the engine's thread, before and after each request and by `check_files`."""
        self._is_there = is_there
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="voice-store")  # one: requests run in order
        self._engine: SyncEmbeddedDB | None = None
        self.epoch = object()
        """Replaced by another object whenever a request is submitted that may write."""

    def start(self, url: str) -> "Future[None]":
        """Open the store at `url` (`mem://` or `surrealkv://…`); the future raises `EngineFailed`."""
        return self._thread.submit(self._start, url)

    def submit(self, request: bytes, *, not_after: float | None = None, reads: bool = False) -> "Future[bytes]":
        """Queue a request in the engine's own protocol behind all that were submitted before; it does not start after
        the monotonic time `not_after`, and `reads` says that it is known to write nothing. The answer to come raises
        `EngineFailed`, `RequestMisread`, `RequestNotBegun` or `StoreFilesMissing`. Raises RequestNotBegun: the engine
        was stopped."""
        try:
            return self._thread.submit(self._execute, request, not_after)
        except RuntimeError:  # the thread takes no more work
            raise RequestNotBegun from None
        finally:
            # Only after it is queued: a read of the new epoch must run behind every write of the old one.
            if not reads:
                self.epoch = object()

    def check_files(self) -> None:
        """Queue a check whether its files are still in their place; does not wait for it."""
        with suppress(RuntimeError):  # a stopped engine is checked no more
            self._thread.submit(self._is_there)

    def stop(self) -> "Future[None]":
        """Close the store behind all that was submitted; the future raises `EngineFailed`. Call once only."""
        stopped = self._thread.submit(self._stop)
        self._thread.shutdown(wait=False)
        return stopped

    def abandon(self) -> "Future[None]":
        """Let the engine go without closing it: closing would write into whatever is in its place now. It keeps its
        deleted files, and their lock, until the process ends, and its background work may still use the path it was
        given. Call once only, instead of `stop`."""
        abandoned = self._thread.submit(self._forget)
        self._thread.shutdown(wait=False)  # without waiting: the event loop calls this
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
        except ValueError:  # the client's error for a request that it cannot decode
            raise RequestMisread from None
        # In `finally`: once the files are gone, neither an answer nor an error of the engine means anything.
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
# Most bytes that the engine needs at once to flush what it holds before it accepts more.
_ROOM: Final = 16 * 1024 * 1024


class EmbeddedConnection:
    """A `Connection` to an engine inside this process."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine = Engine()
        self._closed = False

    @classmethod
    async def open(cls, url: str, *, namespace: str, database: str) -> "EmbeddedConnection":
        """Open the engine at `url` (`mem://` or `surrealkv://…`) and select the database. Raises StoreHeld: another
        process, or this one, has it open; ConfigurationError: the directory cannot be written; StoreUnavailable: the
        disk is full, or the engine does not start."""
        connection = cls(url)
        try:
            await connection._start(namespace, database)
        except BaseException:
            # Also when cancelled: the engine may start a moment later on its thread, and must not stay open.
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
        """Close the engine and release its lock; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        try:
            # Shielded: closing runs to its end although the caller is cancelled.
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
        """Return why the engine failed; an engine that stalls has no room to write, or a file that it cannot read."""
        if _STALLED not in words.lower():
            return unreachable(purpose, words)
        has_room = shutil.disk_usage(self._url.partition("://")[2]).free >= _ROOM  # the URL ends in the directory
        return StoreDamaged(TORN) if has_room else disk_full(purpose)


def closed() -> StoreUnavailable:
    """Return the error of a closed store."""
    return StoreUnavailable("the store is closed")


def misread(purpose: str) -> StoreError:
    """Return the error of a request that the engine could not read."""
    return StoreError(f"the store could not read the request to {purpose}; nothing was done")


_NONE_TAG: Final = 6  # SurrealDB's own tags
_RECORD_TAG: Final = 8
_INSTANT_TAG: Final = 12
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_PLAIN_TYPES: Final = (str, bytes, bool, float)
_NANOS: Final = 1_000_000_000
# Tags that the compiled codec would decode to values of its own: sets, decimals, addresses, shared references.
_CODEC_TAGS: Final = (*range(6), *(25, 28, 29, 30, 35, 36, 37, 52, 54, 100, 256, 258, 260, 261, 1004, 43_000, 55_799))


def encode_request(method: str, params: Sequence[object]) -> bytes:
    """Return a request in the engine's protocol; `params` are the arguments of its `method`, in order. Raises
    StoreError: a value's type fits no column of ours, or a text is not valid Unicode."""
    _require_sendable(params)
    request = {"id": "", "method": method, "params": list(params)}
    try:
        return cbor2.dumps(request, encoders=_ENCODERS)
    except UnicodeEncodeError:
        raise StoreError("the store holds valid Unicode only; a text has half a character in it") from None


def decode_answer(data: bytes) -> object:
    """Return the answer in `data`. Raises StoreDamaged: it is not CBOR, or holds a value whose type fits no column of
    ours."""
    try:
        return cast(
            "object",
            cbor2.loads(data, semantic_decoders=_DECODERS, tag_hook=_refuse_tag, object_hook=_require_text_keys),
        )
    except cbor2.CBORDecodeError:
        raise _unreadable() from None


def _require_sendable(params: Sequence[object]) -> None:
    """Check every value, however deep: the codec's own hooks do not see the types it knows."""
    pending: list[Iterable[object]] = [params]
    # A list of what is left, because recursion would end at deep values.
    while pending:
        for value in pending.pop():
            if isinstance(value, _PLAIN_TYPES):
                continue
            if isinstance(value, list | tuple):
                pending.append(cast("Sequence[object]", value))
            elif isinstance(value, dict):
                members = cast("dict[object, object]", value)
                if not all(isinstance(key, str) for key in members):
                    raise _no_column_for("a mapping keyed by anything but texts")
                pending.append(members.values())
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
        if not isinstance(value.id, str):  # pyright: ignore[reportUnnecessaryIsInstance] - not checked at run time
            raise _no_column_for("a record keyed by anything but a text")
    else:
        raise _no_column_for(f"a {type(value).__name__}")


def _no_column_for(what: str) -> StoreError:
    return StoreError(f"the store has no column for {what}")


def _encode_record(encoder: cbor2.CBOREncoder, value: object) -> None:
    record = cast("RecordID", value)
    encoder.encode_semantic(_RECORD_TAG, [record.table_name, record.id])


def _decode_none(*_: object) -> None:
    return None


def _decode_record(value: object, *_: object) -> RecordID:
    table, key = _require_list(value)
    if type(table) is not str or type(key) is not str:
        raise _unreadable()
    return RecordID(table, key)


def _require_list(value: object) -> list[object]:
    if type(value) is not list:
        raise _unreadable()
    return cast("list[object]", value)


def _decode_instant(value: object, *_: object) -> datetime:
    parts = _require_list(value)
    seconds, nanoseconds = [*parts, 0, 0][: max(len(parts), 2)]  # zeros at the end are not sent
    # `type`, because True is an int as well.
    if type(seconds) is not int or type(nanoseconds) is not int or not 0 <= nanoseconds < _NANOS:
        raise _unreadable()
    return _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)


def _require_text_keys(found: Mapping[object, object], *_: object) -> Mapping[object, object]:
    if not all(type(key) is str for key in found):
        raise _unreadable()
    return found


def _refuse_tag(*_: object) -> object:
    raise _unreadable()


def _unreadable() -> StoreDamaged:
    return StoreDamaged("the store's answer cannot be read; run `voice maintain verify`")


_ENCODERS: Final[Mapping[type, cbor2.EncoderHook]] = {RecordID: _encode_record}
_DECODERS: Final[Mapping[int, cbor2.SemanticDecoderCallback]] = {
    **dict.fromkeys(_CODEC_TAGS, _refuse_tag),
    _NONE_TAG: _decode_none,
    _RECORD_TAG: _decode_record,
    _INSTANT_TAG: _decode_instant,
}
