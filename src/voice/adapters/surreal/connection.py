"""A connection to a database, and its errors.

Law: one call is one statement, one transaction and one result; the engine's multi-statement results are never used
(ruling B14). The engine's error texts may quote a row, so they stay here: a caller gets one of our errors, with at most
the kind of failure and a field's name. A block `{ …; THROW 'code'; }` that throws has no effect, and its code comes
back as `ThrownCode`.
"""

import errno
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol, cast, runtime_checkable

from voice.adapters.disk.private_files import DiskFull
from voice.adapters.surreal.dialect import RESTORING
from voice.core.errors import (
    ConfigurationError,
    OutcomeUnknown,
    StoreDamaged,
    StoreError,
    StoreHeld,
    StoreUnavailable,
    VoiceError,
)
from voice.core.messages import memory as messages

Params = Mapping[str, object]

_REPEATS = 20
_FIELD = re.compile(r"field [`'](\w+)")
_PLACE = re.compile(r"'kind': '(?:Namespace|Database)'")
_NOWHERE = re.compile(r"'kind': '(?:Namespace|Database)Empty'")
"""The engine's answer on a connection that the SDK silently re-opened, on a server that admits anonymous users."""
_THROWN = "An error occurred: "
_FULL = "no space left on device"
_TORN = ("failed to load manifest", "failed to fill whole buffer", "sstable error", "corrupt", "checksum")
_FILE_TROUBLE = "There was a problem with "
"""How the engine's errors about its files begin; its errors about a statement may quote a memory."""
_UNREAD = re.compile(r"(?:An error occurred: )?Failed to (?:count|decode|deserialize|fetch|get|iterate|scan) ")
"""The same for counts and parallel reads, whose errors do not give the reason."""
TORN = (
    "the store's files are torn and cannot be read; restore a backup into a new data directory with: "
    "voice --home DIRECTORY maintain restore-backup FILE"
)
_REFUSED = ("read-only file system", "permission denied", "operation not permitted")


class Connection(Protocol):
    """An open database."""

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement and return its result; `purpose` names it in errors ("write rows").

        Raises:
            ThrownCode: the statement threw one of our codes; it had no effect.
            BeingRestored: refused while a backup is restored; it had no effect.
            StoreUnavailable: the engine cannot be reached, the disk is full, or another writer came first.
            AnswerTooLong: the answer is longer than can be sent at once; ask for less.
            OutcomeUnknown: it writes, and its answer was lost or did not come in time.
            StoreError: the engine refused the statement; it had no effect.
        """
        ...

    async def aclose(self) -> None:
        """Release the database; safe to call twice."""
        ...


@runtime_checkable
class Watched(Protocol):
    """A connection that knows of every write to its engine."""

    @property
    def epoch(self) -> object | None:
        """The same object as long as no statement was run that may write; None where that is unknown."""
        ...


def epochs_of(connection: Connection) -> Callable[[], object | None]:
    """Return a function that gives the connection's epoch."""
    if not isinstance(connection, Watched):
        return lambda: None
    watched = connection
    return lambda: watched.epoch


class ThrownCode(StoreError):
    """A block threw one of our codes."""

    def __init__(self, thrown: str) -> None:
        super().__init__("the store did not carry out a write")
        self.thrown = thrown


class Unread(StoreDamaged):
    """The engine could not read its data and gives no reason; on this disk, the files are torn."""


class AnswerTooLong(StoreError):
    """The answer was read but is longer than can be sent at once."""


class BeingRestored(StoreUnavailable):
    """A backup is being restored into the store; no other write is accepted."""


class WriteConflict(StoreUnavailable):
    """Two transactions touched the same rows, and the engine kept the other."""


class SignedOut(StoreUnavailable):
    """A server dropped the connection and treated the next statement as anonymous."""


async def run_repeatable(connection: Connection, purpose: str, text: str, params: Params | None = None) -> object:
    """Run a statement that may safely run twice, again whenever its outcome is unknown.

    Raises:
        OutcomeUnknown: it was unknown every time.
        StoreError: see `Connection.run`.
    """
    for _ in range(_REPEATS):
        with suppress(OutcomeUnknown):
            return await connection.run(purpose, text, params)
    return await connection.run(purpose, text, params)


def result_of(purpose: str, response: object) -> object:
    """Return the result of the one statement in a raw response.

    Raises:
        ThrownCode, WriteConflict, SignedOut, StoreError: see `Connection.run`.
    """
    reply = require_no_error(purpose, response)
    results = cast("list[dict[str, object]]", reply.get("result") or [])
    if len(results) != 1:
        raise StoreError(f"the store gave {len(results)} answers when asked to {purpose}; one was expected")
    if results[0].get("status") != "OK":
        raise _failure(purpose, results[0], "result")
    return results[0].get("result")


def require_no_error(purpose: str, response: object) -> dict[str, object]:
    """Return the members of a raw response that is not itself an error.

    Raises:
        ThrownCode, WriteConflict, SignedOut, StoreError: see `Connection.run`.
    """
    if not isinstance(response, dict):
        raise StoreError(f"the store gave no answer when asked to {purpose}")
    reply = cast("dict[str, object]", response)
    if reply.get("error") is not None:
        raise _failure(purpose, cast("dict[str, object]", reply["error"]), "message")
    return reply


def _failure(purpose: str, failure: dict[str, object], member: str) -> VoiceError:
    kind, text, details = (str(failure.get(name) or "") for name in ("kind", member, "details"))
    if _UNREAD.match(text):
        return Unread(TORN)
    if text.startswith(_FILE_TROUBLE) and _is_torn(text.lower()):
        return StoreDamaged(TORN)
    if kind == "Thrown" or text.startswith(_THROWN):
        code = text.removeprefix(_THROWN)
        return being_restored(purpose) if code == RESTORING else ThrownCode(code)
    if "TransactionConflict" in details or "can be retried" in text:
        return WriteConflict(f"another writer was first when asked to {purpose}; try again")
    if kind == "NotFound" and _PLACE.search(details):
        return ConfigurationError(
            "the store server has no such namespace or database, and its user may not make it; "
            "check SURR_DB_NS and SURR_DB_DB"
        )
    if kind == "NotAllowed" or _NOWHERE.search(details):
        return SignedOut(f"the store server does not allow this connection to {purpose}")
    if _FULL in text.lower():
        return disk_full(purpose)
    field = _FIELD.search(text)
    detail = f", field {field[1]}" if field else ""
    return StoreError(f"the store refused to {purpose} ({kind or 'unknown'}{detail}); nothing of it was written")


def being_restored(purpose: str, users: str = "") -> BeingRestored:
    """Return the error of a store that a backup is being restored into; `users` says in words who uses it."""
    return BeingRestored(
        f"a backup is being restored into the store, so it did not {purpose}; try again when that is done, and if it "
        f"was broken off, {messages.restore_again(users)}"
    )


def disk_full(purpose: str) -> DiskFull:
    """Return the error of a store on a full disk."""
    return DiskFull(f"the disk is full, so the store could not {purpose}; free some space and try again")


def _is_torn(said: str) -> bool:
    return any(words in said for words in _TORN)


def unreachable(purpose: str, text: str) -> VoiceError:
    """Return the error for a failure of the engine itself, judged by its `text`, which is not passed on."""
    said = text.lower()
    if "already locked" in said:
        return StoreHeld("another process holds this store")
    if _FULL in said or f"os error {errno.ENOSPC}" in said:
        return disk_full(purpose)
    if any(words in said for words in _REFUSED):
        return ConfigurationError("the store's directory cannot be written; choose another one with SURR_DB_URL")
    if "manifest format version" in said:
        return ConfigurationError("the store was made by another version of the engine; see docs/store.md")
    if _is_torn(said):
        return StoreDamaged(TORN)
    return StoreUnavailable(f"the store cannot be reached to {purpose}; try again")
