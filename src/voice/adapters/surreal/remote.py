"""A SurrealDB server or cluster, over a web socket.

Law: the same facade as the embedded engine. The SDK reconnects by itself, but as a stranger: whenever the connection
was lost, we sign in and select the database again before the next statement. A statement that the server refused to a
stranger did not happen and is sent again; of one whose answer was lost nobody knows, so it is sent again only where
that changes nothing, and is `OutcomeUnknown` otherwise (`writer` then looks it up by the mark it leaves). A server that
was there and is gone may be restarting: it is waited for.

Source: DESIGN 4; docs/server.md.
"""

import asyncio
import time
from asyncio import Future
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Any, Final, cast

from surrealdb import RecordID as Theirs
from surrealdb.connections.async_ws import AsyncWsSurrealConnection
from surrealdb.errors import NotAllowedError, SurrealError, TransportTimeoutError

from voice.adapters.surreal.connection import Params, SignedOut, Unread, WriteConflict, result_of
from voice.adapters.surreal.dialect import RecordID
from voice.core.errors import ConfigurationError, OutcomeUnknown, StoreUnavailable
from voice.core.messages import memory as messages
from voice.core.store_holder import effect_of, may_be_repeated, retry_pause_s

_LOST: Final = (SurrealError, OSError, TimeoutError, KeyError)
"""What the SDK raises when a socket breaks: KeyError comes out of its table of pending requests."""
_ATTEMPTS: Final = 3
"""How often one statement is sent: a server that breaks off every time has something against it."""
_RIVALS: Final = 20
"""How often others may be first."""
_CONFLICT: Final = "can be retried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """A user of the server; without one the connection is anonymous."""

    username: str
    password: str = field(repr=False)


class _Requests(dict[str, "Future[dict[str, Any]]"]):
    """The SDK's pending requests, with every failure looked at.

    When sending fails the SDK forgets the request's future; asyncio would complain of it on stderr much later.
    """

    def __setitem__(self, key: str, request: "Future[dict[str, Any]]") -> None:
        request.add_done_callback(_look_at)
        super().__setitem__(key, request)


def _look_at(request: "Future[dict[str, Any]]") -> None:
    if not request.cancelled():
        request.exception()


class _Lost(Exception):
    """The answer did not come."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class RemoteConnection:
    """A `Connection` to a server."""

    def __init__(
        self, url: str, *, namespace: str, database: str, credentials: Credentials | None, wait_s: float = 0.0
    ) -> None:
        """Prepare a connection; nothing is sent yet.

        Args:
            url: `ws://HOST:PORT` or `wss://HOST:PORT`.
            namespace: where on the server the database is.
            credentials: who signs in; None is nobody.
            wait_s: how long a server that was there may be gone.
        """
        self._client = AsyncWsSurrealConnection(url, streaming=False)
        self._client.qry = _Requests()
        self._place = (namespace, database)
        self._credentials = credentials
        self._wait_s = wait_s
        self._entered: object = None
        """The socket that was signed in on."""
        self._was_there = False
        self._chance = SystemRandom().random
        """Keeps clients that were turned away together from coming back together."""
        self._closed = False
        self._entering = asyncio.Lock()

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement; see `Connection.run`.

        Raises:
            OutcomeUnknown: it writes, and nobody knows whether it happened.
        """
        may_repeat = may_be_repeated(effect_of(text), was_carried_out=None)
        lost: _Lost | None = None
        for _ in range(_ATTEMPTS):
            await self._enter()
            try:
                return await self._ask_in_turn(purpose, text, params)
            except SignedOut:
                self._entered, lost = None, None
            except _Lost as each:
                if not may_repeat:
                    raise OutcomeUnknown(messages.outcome_unknown(purpose, each.why)) from None
                lost = each
        if lost is None:
            raise ConfigurationError(f"the store server does not allow its user to {purpose}; check user and password")
        raise StoreUnavailable(f"{lost.why} every time when asked to {purpose}; try again")

    async def aclose(self) -> None:
        """Close the socket; safe to call twice."""
        self._closed, self._entered = True, None
        await self._let_go()

    async def _ask_in_turn(self, purpose: str, text: str, params: Params | None) -> object:
        """Ask until no other transaction is in the way; of those that met, the server carried out one."""
        for attempt in range(_RIVALS):
            try:
                return await self._told(purpose, text, params)
            except WriteConflict:
                await asyncio.sleep(retry_pause_s(attempt, self._chance()))
        return await self._told(purpose, text, params)

    async def _told(self, purpose: str, text: str, params: Params | None) -> object:
        """Ask once; what a server cannot read may come back, for it may keep it on other machines."""
        try:
            return from_library(result_of(purpose, await self._ask(text, params)))
        except Unread:
            raise StoreUnavailable(
                f"the store server could not {purpose} and does not say why; try again, and see its log"
            ) from None

    async def _ask(self, text: str, params: Params | None) -> object:
        socket = self._client.socket
        try:
            return await self._client.query_raw(text, cast("dict[str, Any]", to_library(params or {})))
        except TransportTimeoutError:
            raise _Lost("the store server did not answer in time") from None
        except _LOST:
            if self._client.socket is socket:  # nobody else has come in again meanwhile
                await self._let_go()
            raise _Lost("the connection to the store server broke") from None

    async def _let_go(self) -> None:
        self._entered = None
        try:
            await self._client.close()
        except _LOST:
            return  # a socket that is broken already is closed

    async def _enter(self) -> None:
        async with self._entering:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            if self._entered is not None and self._entered is self._client.socket:
                return
            until, attempt = time.monotonic() + (self._wait_s if self._was_there else 0.0), 0
            while not await self._came_in():
                if time.monotonic() >= until:
                    raise StoreUnavailable("the store server cannot be reached; check SURR_DB_URL")
                await asyncio.sleep(retry_pause_s(attempt, self._chance()))
                attempt += 1
            self._entered, self._was_there = self._client.socket, True

    async def _came_in(self) -> bool:
        """Return whether the server was reached, with its database chosen.

        Raises:
            ConfigurationError: it refused the sign-in.
        """
        try:
            await self._client.connect()
            await self._sign_in()
            await self._choose_database()
        except NotAllowedError:
            raise ConfigurationError("the store server refused the sign-in; check its user and password") from None
        except _LOST:
            await self._let_go()
            return False
        return True

    async def _choose_database(self) -> None:
        """Choose the database; the first to do so makes it, and of several at once the server lets one win."""
        for attempt in range(_RIVALS):
            try:
                return await self._client.use(*self._place)
            except SurrealError as error:
                if _CONFLICT not in str(error):
                    raise
            await asyncio.sleep(retry_pause_s(attempt, self._chance()))
        return await self._client.use(*self._place)

    async def _sign_in(self) -> None:
        """Sign in as a user of the database, of its namespace or of the server, whichever it is."""
        if self._credentials is None:
            return
        user = {"username": self._credentials.username, "password": self._credentials.password}
        namespace, database = self._place
        levels: tuple[dict[str, str], ...] = (
            {},
            {"namespace": namespace},
            {"namespace": namespace, "database": database},
        )
        for level in levels:
            try:
                await self._client.signin(cast("dict[str, Any]", {**user, **level}))
            except NotAllowedError:
                if level is levels[-1]:
                    raise
            else:
                return


def to_library(value: object) -> object:
    """Return a value with our record ids made the library's."""
    if isinstance(value, RecordID):
        return Theirs(value.table_name, value.id)
    if isinstance(value, Mapping):
        return {name: to_library(each) for name, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [to_library(each) for each in cast("list[object]", value)]
    return value


def from_library(value: object) -> object:
    """Return a value with the library's record ids made ours."""
    if isinstance(value, Theirs):
        return RecordID(value.table_name, cast("str", value.id))
    if isinstance(value, dict):
        return {name: from_library(each) for name, each in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [from_library(each) for each in cast("list[object]", value)]
    return value
