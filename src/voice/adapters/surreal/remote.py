"""A connection to a SurrealDB server or cluster over a web socket.

Law: it behaves like the embedded engine's. The SDK reconnects by itself, but anonymously, so after a lost connection we
sign in and select the database before the next statement. A statement that the server refused to an anonymous client
did not happen and is sent again; one whose answer was lost is sent again only if it changes nothing, and is
`OutcomeUnknown` otherwise (`writer` then looks it up by its mark). A server that was reached before may be restarting:
we wait for it.

Source: DESIGN 4; docs/server.md.
"""

import asyncio
import time
from asyncio import Future
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Any, Final, cast

from surrealdb import RecordID as LibraryRecordID
from surrealdb.connections.async_ws import AsyncWsSurrealConnection
from surrealdb.errors import NotAllowedError, SurrealError, TransportTimeoutError

from voice.adapters.surreal.connection import Params, RecordID, SignedOut, Unread, WriteConflict, result_of
from voice.core.errors import ConfigurationError, OutcomeUnknown, StoreUnavailable
from voice.core.messages import memory as messages
from voice.core.store_holder import Effect, effect_of, retry_pause_s

# What the SDK raises when a socket breaks; KeyError comes from its table of pending requests.
_LOST: Final = (SurrealError, OSError, TimeoutError, KeyError)
_ATTEMPTS: Final = 3  # how often a statement is sent
_CONFLICT_RETRIES: Final = 20  # how often a statement may lose against another transaction
_CONFLICT: Final = "can be retried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """A user of the server; without credentials the connection is anonymous."""

    username: str
    password: str = field(repr=False)


class _Requests(dict[str, "Future[dict[str, Any]]"]):
    """The SDK's pending requests, with every exception marked as read. When sending fails the SDK drops the request's
    future, of which asyncio would complain on stderr much later."""

    def __setitem__(self, key: str, request: "Future[dict[str, Any]]") -> None:
        request.add_done_callback(_mark_read)
        super().__setitem__(key, request)


def _mark_read(request: "Future[dict[str, Any]]") -> None:
    if not request.cancelled():
        request.exception()


class _Lost(Exception):
    """No answer came."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class RemoteConnection:
    """A `Connection` to a server."""

    def __init__(
        self, url: str, *, namespace: str, database: str, credentials: Credentials | None, wait_s: float = 0.0
    ) -> None:
        """Make a connection; nothing is sent yet. A server that was reached before may be gone for `wait_s`."""
        self._client = AsyncWsSurrealConnection(url, streaming=False)
        # Before the first request: the SDK keeps its futures here.
        self._client.qry = _Requests()
        self._place = (namespace, database)
        self._credentials = credentials
        self._wait_s = wait_s
        self._ready_socket: object = None  # socket on which we signed in and selected the database
        self._was_there = False
        self._chance = SystemRandom().random  # spreads the retries of clients that were refused together
        self._closed = False
        self._entering = asyncio.Lock()

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement; see `Connection.run`."""
        may_repeat = effect_of(text) is Effect.READS
        lost: _Lost | None = None
        for _ in range(_ATTEMPTS):  # again after a sign-out or a lost read, after all else it raises
            await self._enter()
            try:
                return await self._ask_until_won(purpose, text, params)
            # Refused before it began, so even a write may be sent again.
            except SignedOut:
                self._ready_socket, lost = None, None
            except _Lost as each:
                if not may_repeat:
                    raise OutcomeUnknown(messages.outcome_unknown(purpose, each.why)) from None
                lost = each
        if lost is None:
            raise ConfigurationError(f"the store server does not allow its user to {purpose}; check user and password")
        raise StoreUnavailable(f"{lost.why} every time when asked to {purpose}; try again")

    async def aclose(self) -> None:
        """Close the socket; safe to call twice."""
        self._closed, self._ready_socket = True, None
        await self._disconnect()

    async def _ask_until_won(self, purpose: str, text: str, params: Params | None) -> object:
        """Ask again while another transaction wins; of those in conflict the server carries out one."""
        for attempt in range(_CONFLICT_RETRIES):
            try:
                return await self._ask_once(purpose, text, params)
            except WriteConflict:
                await asyncio.sleep(retry_pause_s(attempt, self._chance()))
        return await self._ask_once(purpose, text, params)

    async def _ask_once(self, purpose: str, text: str, params: Params | None) -> object:
        """Ask once; what a server cannot read may become readable, for it may be kept on other machines."""
        try:
            return from_library(result_of(purpose, await self._ask(text, params)))
        except Unread:
            raise StoreUnavailable(
                f"the store server could not {purpose} and does not say why; try again, and see its log"
            ) from None

    async def _ask(self, text: str, params: Params | None) -> object:
        socket = self._client.socket  # the socket that the request went out on
        try:
            return await self._client.query_raw(text, cast("dict[str, Any]", to_library(params or {})))
        except TransportTimeoutError:
            raise _Lost("the store server did not answer in time") from None
        except _LOST:
            if self._client.socket is socket:  # no other task has reconnected meanwhile
                await self._disconnect()
            raise _Lost("the connection to the store server broke") from None

    async def _disconnect(self) -> None:
        self._ready_socket = None
        with suppress(*_LOST):  # a broken socket is closed already
            await self._client.close()

    async def _enter(self) -> None:
        async with self._entering:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            # The SDK replaces its socket when it reconnects.
            if self._ready_socket is not None and self._ready_socket is self._client.socket:
                return
            until, attempt = time.monotonic() + (self._wait_s if self._was_there else 0.0), 0
            while not await self._try_enter():
                # At least one try, also for a server that was never reached, for which no time is left.
                if time.monotonic() >= until:
                    raise StoreUnavailable("the store server cannot be reached; check SURR_DB_URL")
                await asyncio.sleep(retry_pause_s(attempt, self._chance()))
                attempt += 1
            self._ready_socket, self._was_there = self._client.socket, True

    async def _try_enter(self) -> bool:
        try:
            await self._client.connect()
            await self._sign_in()
            await self._select_database()
        except NotAllowedError:
            raise ConfigurationError("the store server refused the sign-in; check its user and password") from None
        except _LOST:
            await self._disconnect()
            return False
        return True

    async def _select_database(self) -> None:
        """Select the database; the first client to do so creates it, and of several at once the server lets one win."""
        for attempt in range(_CONFLICT_RETRIES):
            try:
                return await self._client.use(*self._place)
            except SurrealError as error:
                if _CONFLICT not in str(error):
                    raise
            await asyncio.sleep(retry_pause_s(attempt, self._chance()))
        return await self._client.use(*self._place)

    async def _sign_in(self) -> None:
        """Sign in as a user of the server, of the namespace or of the database, whichever accepts."""
        if self._credentials is None:
            return
        user = {"username": self._credentials.username, "password": self._credentials.password}
        namespace, database = self._place
        levels = (dict[str, str](), {"namespace": namespace}, {"namespace": namespace, "database": database})
        # A sign-in names the level that the user was made on, which the settings do not tell.
        for level in levels:
            try:
                await self._client.signin(cast("dict[str, Any]", {**user, **level}))
            except NotAllowedError:
                if level is levels[-1]:
                    raise
            else:
                return


def to_library(value: object) -> object:
    """Return a value with our record ids as the library's."""
    if isinstance(value, RecordID):
        return LibraryRecordID(value.table_name, value.id)
    if isinstance(value, Mapping):
        return {name: to_library(each) for name, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [to_library(each) for each in cast("list[object]", value)]
    return value


def from_library(value: object) -> object:
    """Return a value with the library's record ids as ours."""
    if isinstance(value, LibraryRecordID):
        return RecordID(value.table_name, cast("str", value.id))
    if isinstance(value, dict):
        return {name: from_library(each) for name, each in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [from_library(each) for each in cast("list[object]", value)]
    return value
