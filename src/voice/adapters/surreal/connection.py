"""One checked way to run a statement.

Law: one call is one statement, one transaction and one result; the engine's multi-statement results are never used
(ruling B14). What the engine says about a failure may quote a row, so its words stay here: a caller gets one of our
errors, with the kind of the failure and the name of the field at most. A block `{ …; THROW 'code'; }` that throws was
not carried out at all, and its code comes back as `ThrownCode`.
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
"""What is said to a connection that the SDK made anew by itself, where a server lets strangers in."""
_THROWN = "An error occurred: "
_FULL = "no space left on device"
_TORN = ("failed to load manifest", "failed to fill whole buffer", "sstable error", "corrupt", "checksum")
_OF_ITS_FILES = "There was a problem with "
"""How the engine begins what it says of its files; what it says of a statement may quote a memory."""
_UNREAD = re.compile(r"(?:An error occurred: )?Failed to (?:count|decode|deserialize|fetch|get|iterate|scan) ")
"""What it says instead where it counts, or reads on several threads; the reason is left out."""
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
            Thrown: the statement threw one of our codes; nothing of it happened.
            BeingRestored: it may not happen while a backup is restored; nothing of it happened.
            StoreUnavailable: the engine cannot be reached, the disk is full, or another writer was first.
            AnswerTooLong: it reads more than can be sent at once; ask for less.
            OutcomeUnknown: it writes, and its answer was lost or did not come in time.
            StoreError: the engine refused the statement; nothing of it happened.
        """
        ...

    async def aclose(self) -> None:
        """Release the database; safe to call twice."""
        ...


@runtime_checkable
class Watched(Protocol):
    """A connection to an engine that nothing is written to unseen."""

    @property
    def epoch(self) -> object | None:
        """The same object for as long as nothing was asked for that may write; None where that is not known now."""
        ...


def epochs_of(connection: Connection) -> Callable[[], object | None]:
    """Return what tells the connection's epoch."""
    if not isinstance(connection, Watched):
        return lambda: None
    watched = connection
    return lambda: watched.epoch


class ThrownCode(StoreError):
    """One of our own codes, thrown inside a block."""

    def __init__(self, thrown: str) -> None:
        super().__init__("the store did not carry out a write")
        self.thrown = thrown


class Unread(StoreDamaged):
    """The engine could not read what it keeps and does not say why; of files on this disk, they are torn."""


class AnswerTooLong(StoreError):
    """What was asked for was read, and is more than can be sent at once."""


class BeingRestored(StoreUnavailable):
    """A backup is being restored into the store; nothing else is written meanwhile."""


class WriteConflict(StoreUnavailable):
    """Two transactions touched the same rows and the engine kept the other one."""


class SignedOut(StoreUnavailable):
    """A server dropped the connection and answered the next statement as to a stranger."""


async def run_repeatable(connection: Connection, purpose: str, text: str, params: Params | None = None) -> object:
    """Run a statement that comes to the same when it is carried out twice, again wherever its outcome is unknown.

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
        Thrown, WriteConflict, SignedOut, StoreError: see `Connection.run`.
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
        Thrown, WriteConflict, SignedOut, StoreError: see `Connection.run`.
    """
    if not isinstance(response, dict):
        raise StoreError(f"the store gave no answer when asked to {purpose}")
    reply = cast("dict[str, object]", response)
    if reply.get("error") is not None:
        raise _failure(purpose, cast("dict[str, object]", reply["error"]), "message")
    return reply


def _failure(purpose: str, failure: dict[str, object], member: str) -> VoiceError:
    kind, text = str(failure.get("kind") or "unknown"), str(failure.get(member) or "")
    if _UNREAD.match(text):
        return Unread(TORN)
    if text.startswith(_OF_ITS_FILES) and _is_torn(text.lower()):
        return StoreDamaged(TORN)
    if kind == "Thrown" or text.startswith(_THROWN):
        return _thrown(purpose, text.removeprefix(_THROWN))
    if "TransactionConflict" in str(failure.get("details")) or "can be retried" in text:
        return WriteConflict(f"another writer was first when asked to {purpose}; try again")
    if kind == "NotFound" and _PLACE.search(str(failure.get("details"))):
        return ConfigurationError(
            "the store server has no such namespace or database, and its user may not make it; "
            "check SURR_DB_NS and SURR_DB_DB"
        )
    if kind == "NotAllowed" or _NOWHERE.search(str(failure.get("details"))):
        return SignedOut(f"the store server does not allow this connection to {purpose}")
    if _FULL in text.lower():
        return disk_full(purpose)
    field = _FIELD.search(text)
    detail = f", field {field[1]}" if field else ""
    return StoreError(f"the store refused to {purpose} ({kind}{detail}); nothing of it was written")


def _thrown(purpose: str, code: str) -> StoreError:
    if code != RESTORING:
        return ThrownCode(code)
    return being_restored(purpose)


def being_restored(purpose: str, users: str = "") -> BeingRestored:
    """Return the error of a store that is being filled from a backup; `users`: who is known to use it, in words."""
    return BeingRestored(
        f"a backup is being restored into the store, so it did not {purpose}; try again when that is done, and if it "
        f"was broken off, {messages.restore_again(users)}"
    )


def disk_full(purpose: str) -> DiskFull:
    """Return the error of a store whose disk has no room left."""
    return DiskFull(f"the disk is full, so the store could not {purpose}; free some space and try again")


def _is_torn(said: str) -> bool:
    return any(words in said for words in _TORN)


def unreachable(purpose: str, text: str) -> VoiceError:
    """Return what it means that the engine itself failed, judged by its `text`, which is not passed on."""
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
